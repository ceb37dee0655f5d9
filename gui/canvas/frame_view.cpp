// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/canvas/captions.h"

namespace mpm::gui {

FrameView::FrameView(ViewKind kind, QWidget* parent) : PictureView(parent) {
  painting_.kind = kind;
  painting_.opacity = usualOpacity(kind);
  changed();
}

void FrameView::setKind(ViewKind kind) {
  change([kind](Painting& part) { part.kind = kind; });
}

void FrameView::setTitled(bool titled) {
  titled_ = titled;
  update();
}

void FrameView::setNamed(bool named) {
  named_ = named;
  update();
}

void FrameView::setZones(std::vector<monitor::Zone> zones) {
  if (editing_ && zones != editor_.zones()) editor_.setZones(zones);
  PictureView::setZones(std::move(zones));
}

void FrameView::setZoneEditing(bool editing) {
  if (editing == editing_) return;
  if (!editing) {
    const ZoneEditor::Outcome outcome = editor_.finish();
    took(outcome);
    if (outcome == ZoneEditor::Outcome::seen) emit draftDropped();
  }
  editing_ = editing;
  editor_.setZones(zones());
  crossShown_ = false;
  cross_ = viewState()->centre();
  setCursor(editing ? Qt::CrossCursor : Qt::ArrowCursor);
  update();
}

bool FrameView::forgetDraft() {
  update();
  return editor_.forget();
}

std::vector<PictureView::Layer> FrameView::layers(const ViewGeometry& /*geometry*/,
                                                  const QRectF& bounds) const {
  return {{painting_, bounds, titled_ ? title() : QString()}};
}

void FrameView::drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
  if (named_) drawNames(painter, geometry, bounds);
  if (!editing_) return PictureView::drawOver(painter, geometry, bounds);
  ZoneEditor shown = editor_;
  if (isRectangle()) shown.closeRectangle(cross_);
  drawEditedZones(painter, geometry, bounds, shown, cross_);
  if (crossShown_) {
    const QPointF at = geometry.toView(cross_);
    for (const QPen& pen : {QPen(QColor(0, 0, 0, 170), 4), QPen(Qt::white, 1.5)}) {
      painter.setPen(pen);
      painter.drawLine(at - QPointF(9, 0), at + QPointF(9, 0));
      painter.drawLine(at - QPointF(0, 9), at + QPointF(0, 9));
    }
  }
  const QString hint = editor_.draft().empty()
                           ? tr("Drag out a zone, click its corners, or choose a zone")
                           : tr("Click the next corner; Enter closes the zone, Escape cancels");
  drawHint(painter, bounds, hint, geometry.toView(QRectF(0, 0, 1, 1)));
}

void FrameView::mousePressEvent(QMouseEvent* event) {
  if (!editing_ || !hasPicture()) return PictureView::mousePressEvent(event);
  if (event->button() != Qt::LeftButton) return;
  crossShown_ = false;
  cross_ = geometry().toPicture(event->position());
  const bool begins = editor_.draft().empty();
  took(editor_.press(cross_, reach(), event->modifiers() & Qt::ShiftModifier));
  if (begins && !editor_.draft().empty()) dragged_ = event->position();
}

void FrameView::mouseMoveEvent(QMouseEvent* event) {
  if (!editing_ || !hasPicture()) return PictureView::mouseMoveEvent(event);
  cross_ = geometry().toPicture(event->position());
  crossShown_ = false;
  took(editor_.moveTo(cross_));
  if (!editor_.draft().empty()) update();
}

void FrameView::mouseReleaseEvent(QMouseEvent* event) {
  if (!editing_) return PictureView::mouseReleaseEvent(event);
  if (dragged_) cross_ = geometry().toPicture(event->position());
  const bool closes = isRectangle();
  dragged_.reset();
  took(closes ? editor_.closeRectangle(cross_) : editor_.release());
}

void FrameView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!editing_) return PictureView::mouseDoubleClickEvent(event);
  took(editor_.close());
}

void FrameView::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  if (editing_ && hasPicture() && editByKey(event->key(), shift)) return;
  PictureView::keyPressEvent(event);
}

void FrameView::drawNames(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
  if (namesOf_.lock() != result()) {
    namesOf_ = result();
    names_.find(result()->segmentation.labels);
  }
  drawAreaNames(painter, geometry, bounds, names_.found(), *classes());
}

void FrameView::took(ZoneEditor::Outcome outcome) {
  if (outcome == ZoneEditor::Outcome::nothing) return;
  update();
  if (outcome != ZoneEditor::Outcome::changed) return;
  PictureView::setZones(editor_.zones());
  emit zonesChanged(editor_.zones());
}

QSizeF FrameView::reach() const {
  constexpr double kReach = 10;  // of the widget's pixels
  const ViewGeometry shown = geometry();
  const QPointF across = shown.toPicture({kReach, kReach}) - shown.toPicture({0, 0});
  return {across.x(), across.y()};
}

// Tells whether a rectangle is being dragged.
bool FrameView::isRectangle() const {
  if (!dragged_ || editor_.draft().size() != 1) return false;
  const QPointF away = geometry().toView(cross_) - *dragged_;
  return away.manhattanLength() >= QApplication::startDragDistance();
}

bool FrameView::moveCross(int key, bool fine) {
  const double step = (fine ? 0.002 : 0.01) / viewState()->zoom();
  QPointF by;
  if (key == Qt::Key_Left) by = {-step, 0};
  if (key == Qt::Key_Right) by = {step, 0};
  if (key == Qt::Key_Up) by = {0, -step};
  if (key == Qt::Key_Down) by = {0, step};
  if (by.isNull()) return false;
  cross_ += by;
  cross_ = {qBound(0.0, cross_.x(), 1.0), qBound(0.0, cross_.y(), 1.0)};
  crossShown_ = true;
  took(editor_.moveTo(cross_));
  update();
  return true;
}

void FrameView::pressCross() {
  crossShown_ = true;
  if (editor_.held()) return took(editor_.release());
  took(editor_.press(cross_, reach(), true));
}

bool FrameView::editByKey(int key, bool shift) {
  switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      took(editor_.close());
      return true;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      took(editor_.remove());
      return true;
    case Qt::Key_PageUp:
      took(editor_.choose(-1));
      return true;
    case Qt::Key_PageDown:
      took(editor_.choose(1));
      return true;
    case Qt::Key_Space:
      pressCross();
      return true;
    case Qt::Key_Escape: {
      const ZoneEditor::Outcome outcome = editor_.cancel();
      took(outcome);
      if (outcome != ZoneEditor::Outcome::nothing) return true;
      setZoneEditing(false);
      emit zoneEditingLeft();
      return true;
    }
    default:
      return moveCross(key, shift);
  }
}

SplitHandle::SplitHandle(QWidget* parent) : QAbstractSlider(parent) {
  setOrientation(Qt::Horizontal);
  setRange(0, kSplitSteps);
  setSingleStep(kSplitSteps / 50);
  setPageStep(kSplitSteps / 10);
  setValue(kSplitSteps / 2);
  setCursor(Qt::SplitHCursor);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Split line"));
  setAccessibleDescription(tr("Arrow keys move the line between the two pictures."));
  setToolTip(tr("Drag the line, or move it with the arrow keys"));
  connect(this, &QAbstractSlider::valueChanged, this, &SplitHandle::place);
}

void SplitHandle::place() {
  const int x = static_cast<int>(std::lround(share() * parentWidget()->width()));
  setGeometry(x - kWidth / 2, 0, kWidth, parentWidget()->height());
}

void SplitHandle::paintEvent(QPaintEvent* /*event*/) {
  constexpr double kGripWidth = 11, kGripHeight = 34;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double x = kWidth / 2.0;
  const QColor colour = hasFocus() ? palette().color(QPalette::Highlight) : QColor(Qt::white);
  painter.setPen(QPen(QColor(0, 0, 0, 150), 4));
  painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  painter.setPen(QPen(colour, 2));
  painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  painter.setPen(QPen(QColor(0, 0, 0, 150), 1));
  painter.setBrush(colour);
  const QRectF grip(x - kGripWidth / 2, (height() - kGripHeight) / 2, kGripWidth, kGripHeight);
  painter.drawRoundedRect(grip, 4, 4);
  painter.setPen(QPen(QColor(0, 0, 0, 170), 1.5));
  for (const double offset : {-2.0, 2.0}) {
    painter.drawLine(QPointF(x + offset, grip.top() + 9), QPointF(x + offset, grip.bottom() - 9));
  }
}

void SplitHandle::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  setSliderDown(true);
  grabbedAt_ = event->position().x() - kWidth / 2.0;
}

void SplitHandle::mouseMoveEvent(QMouseEvent* event) {
  if (!isSliderDown()) return event->ignore();
  const double x = mapToParent(event->position()).x() - grabbedAt_;
  setValue(static_cast<int>(std::lround(x / qMax(1, parentWidget()->width()) * kSplitSteps)));
}

void SplitHandle::focusInEvent(QFocusEvent* event) {
  update();
  QAbstractSlider::focusInEvent(event);
}

void SplitHandle::focusOutEvent(QFocusEvent* event) {
  update();
  QAbstractSlider::focusOutEvent(event);
}

SplitView::SplitView(QWidget* parent) : PictureView(parent), handle_(new SplitHandle(this)) {
  right_.kind = ViewKind::segmentation;
  connect(handle_, &QAbstractSlider::valueChanged, this, [this] { update(); });
  changed();
}

void SplitView::setKinds(ViewKind left, ViewKind right) {
  left_.kind = left;
  right_.kind = right;
  changed();
}

std::vector<PictureView::Layer> SplitView::layers(const ViewGeometry& geometry,
                                                  const QRectF& bounds) const {
  // The line stays over the same spot of the image wherever the image is drawn.
  const ViewGeometry own = this->geometry();
  const double here = split() * width();
  const double x = own.isEmpty() ? here : geometry.toView(own.toPicture({here, 0})).x();
  const double line = std::clamp(x, bounds.left(), bounds.right());
  QRectF left = bounds, right = bounds;
  left.setRight(line);
  right.setLeft(line);
  return {{left_, left, titleOf(left_)}, {right_, right, titleOf(right_)}};
}

QString SplitView::description() const {
  return tr("Left: %1 Right: %2").arg(descriptionOf(left_.kind), descriptionOf(right_.kind));
}

void SplitView::resizeEvent(QResizeEvent* event) {
  handle_->place();
  PictureView::resizeEvent(event);
}

}  // namespace mpm::gui
