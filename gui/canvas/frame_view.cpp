// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/picture_marks.h"

namespace mpm::gui {

FrameView::FrameView(ViewKind kind, QWidget* parent) : PictureView(parent) {
  painting_.kind = kind;
  painting_.opacity = usualOpacity(kind);
  changed();
}

void FrameView::paintAs(const Painting& painting) {
  if (painting == painting_) return;
  painting_ = painting;
  changed();
}

void FrameView::setKind(ViewKind kind) {
  Painting painting = painting_;
  painting.kind = kind;
  paintAs(painting);
}

void FrameView::setStage(int stage) {
  Painting painting = painting_;
  painting.stage = std::max(0, stage);
  paintAs(painting);
}

void FrameView::setOpacity(double opacity) {
  Painting painting = painting_;
  painting.opacity = opacity >= 0 ? std::min(opacity, 1.0) : 0.0;
  paintAs(painting);
}

void FrameView::setOutlines(bool outlines) {
  Painting painting = painting_;
  painting.outlines = outlines;
  paintAs(painting);
}

std::vector<PictureView::Layer> FrameView::layers(const ViewGeometry& /*geometry*/,
                                                  const QRectF& bounds) const {
  return {{painting_, bounds, title()}};
}

QString FrameView::title() const { return titleOf(painting_); }

QString FrameView::description() const { return descriptionOf(painting_.kind); }

void FrameView::drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
  if (!editing_) return PictureView::drawOver(painter, geometry, bounds);
  drawEditedZones(painter, geometry, bounds, editor_, cross_);
  if (crossShown_) {
    const QPointF at = geometry.toView(cross_);
    for (const QPen& pen : {QPen(QColor(0, 0, 0, 170), 4), QPen(Qt::white, 1.5)}) {
      painter.setPen(pen);
      painter.drawLine(at - QPointF(9, 0), at + QPointF(9, 0));
      painter.drawLine(at - QPointF(0, 9), at + QPointF(0, 9));
    }
  }
  const QString hint = editor_.draft().empty()
                           ? tr("Click where the first corner of a zone is, or choose a zone")
                           : tr("Click the next corner; Enter closes the zone, Escape cancels");
  drawHint(painter, bounds, hint);
}

void FrameView::setZones(std::vector<monitor::Zone> zones) {
  if (editing_ && zones != editor_.zones()) editor_.setZones(zones);
  PictureView::setZones(std::move(zones));
}

void FrameView::setZoneEditing(bool editing) {
  if (editing == editing_) return;
  editing_ = editing;
  editor_.setZones(zones());
  crossShown_ = false;
  cross_ = viewState()->centre();
  setCursor(editing ? Qt::CrossCursor : Qt::ArrowCursor);
  update();
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

void FrameView::mousePressEvent(QMouseEvent* event) {
  if (!editing_ || !hasPicture()) return PictureView::mousePressEvent(event);
  if (event->button() != Qt::LeftButton) return;
  crossShown_ = false;
  cross_ = geometry().toPicture(event->position());
  took(editor_.press(cross_, reach(), event->modifiers() & Qt::ShiftModifier));
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
  took(editor_.release());
}

void FrameView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!editing_) return PictureView::mouseDoubleClickEvent(event);
  took(editor_.close());
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

// A corner under the cross is taken up, and laid down by the next press; elsewhere a corner is
// added. What a mouse would choose is chosen with Page Up and Page Down.
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
      if (outcome == ZoneEditor::Outcome::nothing) setZoneEditing(false);
      return true;
    }
    default:
      return moveCross(key, shift);
  }
}

void FrameView::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  if (editing_ && hasPicture() && editByKey(event->key(), shift)) return;
  PictureView::keyPressEvent(event);
}

}  // namespace mpm::gui
