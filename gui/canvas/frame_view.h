// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gui/canvas/area_names.h"
#include "gui/canvas/captions.h"
#include "gui/canvas/picture_marks.h"
#include "gui/canvas/picture_view.h"
#include "gui/canvas/zone_editor.h"

namespace mpm::gui {

/// One kind of painting of the newest frame, and where its zones are drawn.
///
/// While zones are edited: a click adds a corner (inside a zone it chooses that; with Shift it adds
/// a corner there too), corners can be dragged, Enter or a double click closes the zone, Escape
/// cancels, Delete removes the last corner or the chosen zone. By keyboard: arrows move a cross
/// (with Shift in small steps), Space adds a corner or takes one up and lays it down, Page Up and
/// Page Down choose a zone.
class FrameView : public PictureView {
  Q_OBJECT

 public:
  explicit FrameView(ViewKind kind = ViewKind::camera, QWidget* parent = nullptr)
      : PictureView(parent) {
    painting_.kind = kind;
    painting_.opacity = usualOpacity(kind);
    changed();
  }

  /// Opacity stays as it is.
  void setKind(ViewKind kind) {
    change([kind](Painting& part) { part.kind = kind; });
  }

  ViewKind kind() const { return painting_.kind; }

  /// Whether its kind stands in its corner; it does at first.
  void setTitled(bool titled) {
    titled_ = titled;
    update();
  }
  /// Whether names stand on the large areas of its labels; they do not at first.
  void setNamed(bool named) {
    named_ = named;
    update();
  }
  const Painting& painting() const { return painting_; }

  void setZones(std::vector<monitor::Zone> zones) override {
    if (editing_ && zones != editor_.zones()) editor_.setZones(zones);
    PictureView::setZones(std::move(zones));
  }

  /// At the end what was begun becomes a zone; where it has too few corners, draftDropped tells.
  void setZoneEditing(bool editing) {
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

  /// Of another picture: whether a zone was begun, which is gone now.
  bool forgetDraft() {
    update();
    return editor_.forget();
  }

  bool isZoneEditing() const { return editing_; }
  const ZoneEditor& zoneEditor() const { return editor_; }

 signals:
  void zonesChanged(const std::vector<mpm::monitor::Zone>& zones);  ///< by the user
  void draftDropped();
  void zoneEditingLeft();  ///< by Escape, when there was nothing to cancel

 protected:
  std::vector<Painting*> parts() override { return {&painting_}; }

  std::vector<Layer> layers(const ViewGeometry& /*geometry*/, const QRectF& bounds) const override {
    return {{painting_, bounds, titled_ ? title() : QString()}};
  }

  QString title() const override { return titleOf(painting_); }
  QString description() const override { return descriptionOf(painting_.kind); }

  void drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) override {
    if (named_) drawNames(painter, geometry, bounds);
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
    drawHint(painter, bounds, hint, geometry.toView(QRectF(0, 0, 1, 1)));
  }

  void mousePressEvent(QMouseEvent* event) override {
    if (!editing_ || !hasPicture()) return PictureView::mousePressEvent(event);
    if (event->button() != Qt::LeftButton) return;
    crossShown_ = false;
    cross_ = geometry().toPicture(event->position());
    took(editor_.press(cross_, reach(), event->modifiers() & Qt::ShiftModifier));
  }

  void mouseMoveEvent(QMouseEvent* event) override {
    if (!editing_ || !hasPicture()) return PictureView::mouseMoveEvent(event);
    cross_ = geometry().toPicture(event->position());
    crossShown_ = false;
    took(editor_.moveTo(cross_));
    if (!editor_.draft().empty()) update();
  }

  void mouseReleaseEvent(QMouseEvent* event) override {
    if (!editing_) return PictureView::mouseReleaseEvent(event);
    took(editor_.release());
  }

  void mouseDoubleClickEvent(QMouseEvent* event) override {
    if (!editing_) return PictureView::mouseDoubleClickEvent(event);
    took(editor_.close());
  }

  void keyPressEvent(QKeyEvent* event) override {
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    if (editing_ && hasPicture() && editByKey(event->key(), shift)) return;
    PictureView::keyPressEvent(event);
  }

 private:
  void drawNames(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
    if (namesOf_.lock() != result()) {
      namesOf_ = result();
      names_.find(result()->segmentation.labels);
    }
    drawAreaNames(painter, geometry, bounds, names_.found(), *classes());
  }

  void took(ZoneEditor::Outcome outcome) {
    if (outcome == ZoneEditor::Outcome::nothing) return;
    update();
    if (outcome != ZoneEditor::Outcome::changed) return;
    PictureView::setZones(editor_.zones());
    emit zonesChanged(editor_.zones());
  }

  QSizeF reach() const {
    constexpr double kReach = 10;  // of the widget's pixels
    const ViewGeometry shown = geometry();
    const QPointF across = shown.toPicture({kReach, kReach}) - shown.toPicture({0, 0});
    return {across.x(), across.y()};
  }

  bool moveCross(int key, bool fine) {
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
  void pressCross() {
    crossShown_ = true;
    if (editor_.held()) return took(editor_.release());
    took(editor_.press(cross_, reach(), true));
  }

  bool editByKey(int key, bool shift) {
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

  Painting painting_;
  ZoneEditor editor_;
  AreaNames names_;
  std::weak_ptr<const monitor::FrameResult> namesOf_;  // the result that they are of
  bool titled_ = true, named_ = false, editing_ = false, crossShown_ = false;
  QPointF cross_{0.5, 0.5};
};

}  // namespace mpm::gui
