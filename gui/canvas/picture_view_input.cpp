// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QKeyEvent>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/canvas/painting.h"
#include "gui/canvas/picture_view.h"

namespace mpm::gui {
namespace {

constexpr double kZoomStep = 1.25, kPanStep = 0.1;

QPoint stepOf(int key) {
  switch (key) {
    case Qt::Key_Left:
      return {-1, 0};
    case Qt::Key_Right:
      return {1, 0};
    case Qt::Key_Up:
      return {0, -1};
    case Qt::Key_Down:
      return {0, 1};
    default:
      return {};
  }
}

}  // namespace

void PictureView::lookAt(std::optional<QPointF> position, bool byKey) {
  lookedByKey_ = byKey && position;
  looking_ = true;
  state_->setHovered(position);
  looking_ = false;
  if (byKey) describeItself();
}

void PictureView::pin(std::optional<QPointF> position) {
  looking_ = true;
  state_->setPinned(position);
  looking_ = false;
}

// Pinning the same token again releases it.
void PictureView::togglePin(QPointF position) {
  const auto place = [&](QPointF at) {
    return groupAt(tokens()->segmentation, stageLookedAt(), at, gridArea_).place;
  };
  const std::optional<QPointF> pinned = state_->pinned();
  constexpr double kNear = 0.02;
  const bool same =
      pinned && (place(position) >= 0 ? place(*pinned) == place(position)
                                      : (*pinned - position).manhattanLength() < kNear);
  pin(same ? std::nullopt : std::optional(position));
}

int PictureView::stageLookedAt() const {
  const ViewGeometry shown = geometry();
  const QPointF point = shown.toView(state_->looked().value_or(QPointF()));
  for (const Layer& layer : layers(shown, rect())) {
    if (layer.clip.contains(point)) return layer.painting.stage;
  }
  return 0;
}

void PictureView::tellInspection() {
  const bool here = state_->hovered() ? hoveredHere_ : pinnedHere_;
  if (here && state_->looked() && hasPicture()) {
    told_ = true;
    emit inspected(inspect(*result_, *classes_, stageLookedAt(), *state_->looked(), gridArea_));
  } else if (told_) {
    told_ = false;
    emit inspectionEnded();
  }
}

bool PictureView::offersMoreAt(QPointF point) const {
  static const QMetaMethod clicked = QMetaMethod::fromSignal(&PictureView::titleClicked);
  return titleArea_.contains(point) && isSignalConnected(clicked);
}

void PictureView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !hasPicture()) return QWidget::mousePressEvent(event);
  if (offersMoreAt(event->position()))
    return emit titleClicked(mapToGlobal(titleArea_.bottomLeft().toPoint()));
  pressing_ = true;
  dragging_ = false;
  pressed_ = dragged_ = event->position();
}

void PictureView::mouseMoveEvent(QMouseEvent* event) {
  if (!hasPicture()) return;
  const ViewGeometry shown = geometry();
  const QPointF at = event->position();
  setCursor(offersMoreAt(at) ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (pressing_ && (at - pressed_).manhattanLength() >= QApplication::startDragDistance()) {
    dragging_ = true;
  }
  if (dragging_) {
    state_->panBy(shown.toPicture(dragged_) - shown.toPicture(at));
    dragged_ = at;
    return;
  }
  lookAt(shown.hitsPicture(at) ? std::optional(shown.toPicture(at)) : std::nullopt, false);
}

void PictureView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  const bool clicked = pressing_ && !dragging_ && !doubleClicked_ && hasPicture();
  pressing_ = dragging_ = doubleClicked_ = false;
  const ViewGeometry shown = geometry();
  if (!clicked || !shown.hitsPicture(event->position())) return;
  pinBefore_ = state_->pinned();
  togglePin(shown.toPicture(event->position()));
}

void PictureView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseDoubleClickEvent(event);
  doubleClicked_ = true;
  pin(pinBefore_);  // what its first click changed
  state_->fit();
}

void PictureView::wheelEvent(QWheelEvent* event) {
  const int turned = event->angleDelta().y();
  if (turned == 0 || !hasPicture()) return event->ignore();
  constexpr double kNotch = 120, kFactor = 1.2;
  state_->zoomBy(std::pow(kFactor, turned / kNotch), geometry().toPicture(event->position()));
  event->accept();
}

void PictureView::leaveEvent(QEvent* event) {
  if (!lookedByKey_) lookAt(std::nullopt, false);
  QWidget::leaveEvent(event);
}

bool PictureView::stepLook(int key) {
  const QPoint step = stepOf(key);
  if (step.isNull()) return false;
  const QPointF from = state_->looked().value_or(state_->centre());
  const TokenGroup group = groupAt(tokens()->segmentation, stageLookedAt(), from, gridArea_);
  if (group.place < 0) {
    constexpr double kStep = 0.02;
    lookAt(from + QPointF(step) * kStep, true);
    return true;
  }
  const cv::Size grid = group.grid;
  // If nothing is inspected, the first step shows the starting point.
  const QPoint taken = state_->looked() ? step : QPoint();
  const int x = std::clamp(group.place % grid.width + taken.x(), 0, grid.width - 1);
  const int y = std::clamp(group.place / grid.width + taken.y(), 0, grid.height - 1);
  lookAt(placeArea(y * grid.width + x, grid, gridArea_).center(), true);
  return true;
}

bool PictureView::panByKey(int key) {
  const QPoint step = stepOf(key);
  if (step.isNull()) return false;
  state_->panBy(QPointF(step) * kPanStep / state_->zoom());
  return true;
}

void PictureView::keyPressEvent(QKeyEvent* event) {
  if (!hasPicture()) return QWidget::keyPressEvent(event);
  const QPointF anchor = state_->looked().value_or(state_->centre());
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return state_->zoomBy(kZoomStep, anchor);
    case Qt::Key_Minus:
      return state_->zoomBy(1 / kZoomStep, anchor);
    case Qt::Key_0:
      return state_->fit();
    case Qt::Key_Space:
      if (state_->looked()) return togglePin(*state_->looked());
      break;
    case Qt::Key_Escape:
      if (!state_->pinned() && !lookedByKey_) break;
      pin(std::nullopt);
      return lookAt(std::nullopt, true);
    default:
      if (shift ? stepLook(event->key()) : panByKey(event->key())) return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace mpm::gui
