// SPDX-License-Identifier: Apache-2.0
#include <QtWidgets>
#include <algorithm>
#include <cmath>

#include "gui/teach/paint_canvas.h"

namespace mpm::gui {

void PaintCanvas::mousePressEvent(QMouseEvent* event) {
  if (!isReady()) return;
  const QPointF at = geometry().toPicture(event->position());
  crossShown_ = false;
  if (event->button() == Qt::MiddleButton) {
    panned_ = event->position();
    return;
  }
  endStroke();
  cross_ = at;
  press(event->button() == Qt::RightButton);
}

void PaintCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!isReady()) return;
  const ViewGeometry shown = geometry();
  if (panned_) {
    state_.panBy(shown.toPicture(*panned_) - shown.toPicture(event->position()));
    panned_ = event->position();
    return;
  }
  crossShown_ = false;
  if (byKey_) endStroke();
  dragTo(shown.toPicture(event->position()));
}

void PaintCanvas::mouseReleaseEvent(QMouseEvent* /*event*/) {
  panned_.reset();
  if (!byKey_) endStroke();
}

void PaintCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (tool_ == PaintTool::polygon) return closePolygon();
  mousePressEvent(event);
}

void PaintCanvas::wheelEvent(QWheelEvent* event) {
  constexpr double kNotch = 120, kFactor = 1.2;
  const int turned = event->angleDelta().y();
  if (turned == 0 || !isReady()) return event->ignore();
  state_.zoomBy(std::pow(kFactor, turned / kNotch), geometry().toPicture(event->position()));
  event->accept();
}

void PaintCanvas::leaveEvent(QEvent* event) {
  update();
  QWidget::leaveEvent(event);
}

void PaintCanvas::focusOutEvent(QFocusEvent* event) {
  if (byKey_) endStroke();
  QWidget::focusOutEvent(event);
}

bool PaintCanvas::keyMoves(int key, bool fine) {
  QPointF by;
  if (key == Qt::Key_Left) by = {-1, 0};
  if (key == Qt::Key_Right) by = {1, 0};
  if (key == Qt::Key_Up) by = {0, -1};
  if (key == Qt::Key_Down) by = {0, 1};
  if (by.isNull()) return false;
  const double most = std::max(picture_->cols, picture_->rows);
  const double pixels = fine ? 1 : std::max(1.0, most * 0.02 / state_.zoom());
  const QPointF step(by.x() * pixels / picture_->cols, by.y() * pixels / picture_->rows);
  const QPointF at(std::clamp(cross_.x() + step.x(), 0.0, 1.0),
                   std::clamp(cross_.y() + step.y(), 0.0, 1.0));
  crossShown_ = true;
  dragTo(at);
  const double half = 0.45 / state_.zoom();  // the view follows the cross
  const QPointF off = at - state_.centre();
  state_.panBy(
      {off.x() - std::clamp(off.x(), -half, half), off.y() - std::clamp(off.y(), -half, half)});
  return true;
}

void PaintCanvas::keyPressEvent(QKeyEvent* event) {
  constexpr double kStep = 1.25;
  if (!isReady()) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Space:
      if (event->isAutoRepeat()) return;
      crossShown_ = true;
      if (byKey_) return endStroke();
      press(false);
      byKey_ = !before_.empty();
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return closePolygon();
    case Qt::Key_Backspace:
      if (!corners_.empty()) corners_.pop_back();
      return update();
    case Qt::Key_Escape:
      dropBegun();
      return update();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return state_.zoomBy(kStep, cross_);
    case Qt::Key_Minus:
      return state_.zoomBy(1 / kStep, cross_);
    case Qt::Key_F:
      return state_.fit();
    default:
      if (!keyMoves(event->key(), event->modifiers() & Qt::ShiftModifier))
        QWidget::keyPressEvent(event);
  }
}

}  // namespace mpm::gui
