// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractSlider>
#include <QWheelEvent>
#include <memory>
#include <optional>
#include <vector>

#include "gui/canvas/area_names.h"
#include "gui/canvas/picture_view.h"
#include "gui/canvas/zones.h"

namespace mpm::gui {

/// Shows one painting of the newest frame, and edits its zones.
///
/// While zones are edited, a click adds a corner, or chooses the zone that it is in; with Shift it
/// adds a corner there, too. A drag makes a rectangle, or moves a corner. Enter or a double click
/// closes the zone, Escape cancels, Delete removes the last corner or the chosen zone. Arrows move
/// a cross, with Shift in small steps; Space adds a corner, or picks one up and drops it. Page Up
/// and Page Down choose a zone.
class FrameView : public PictureView {
  Q_OBJECT

 public:
  explicit FrameView(ViewKind kind = ViewKind::camera, QWidget* parent = nullptr);

  /// Sets the kind; opacity stays.
  void setKind(ViewKind kind);
  ViewKind kind() const { return painting_.kind; }

  /// Shows or hides the kind's title in the corner; initially shown.
  void setTitled(bool titled);
  /// Shows or hides names on large areas of its labels; initially hidden.
  void setNamed(bool named);
  const Painting& painting() const { return painting_; }

  void setZones(std::vector<monitor::Zone> zones) override;

  /// Ending turns the draft into a zone, or emits draftDropped if it has too few corners.
  void setZoneEditing(bool editing);

  /// Drops the draft for another source; returns whether there was one.
  bool forgetDraft();
  bool isZoneEditing() const { return editing_; }
  const ZoneEditor& zoneEditor() const { return editor_; }

 signals:
  void zonesChanged(const std::vector<mpm::monitor::Zone>& zones);  ///< by the user
  void draftDropped();
  void zoneEditingLeft();  ///< by Escape, when there was nothing to cancel

 protected:
  std::vector<Painting*> parts() override { return {&painting_}; }

  std::vector<Layer> layers(const ViewGeometry& /*geometry*/, const QRectF& bounds) const override;
  QString title() const override { return titleOf(painting_); }
  QString description() const override { return descriptionOf(painting_.kind); }

  void drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void drawNames(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds);
  void took(ZoneEditor::Outcome outcome);
  QSizeF reach() const;
  bool isRectangle() const;
  bool moveCross(int key, bool fine);

  // Picks up a corner under the cross, which the next press drops; elsewhere adds a corner. Zones
  // are chosen with Page Up and Page Down instead.
  void pressCross();
  bool editByKey(int key, bool shift);

  Painting painting_;
  ZoneEditor editor_;
  AreaNames names_;
  std::weak_ptr<const monitor::FrameResult> namesOf_;  // the result that they are of
  bool titled_ = true, named_ = false, editing_ = false, crossShown_ = false;
  QPointF cross_{0.5, 0.5};
  std::optional<QPointF> dragged_;  // from where, since a draft was begun and until it is let go
};

/// The line between two images, moved by mouse, arrow keys, Page Up and Down, Home and End. Its
/// value is its position across its parent, from 0 to kSplitSteps. It moves itself to its value.
class SplitHandle : public QAbstractSlider {
  Q_OBJECT

 public:
  static constexpr int kSplitSteps = 1000;

  explicit SplitHandle(QWidget* parent);

  /// Returns the share of the parent's width left of it.
  double share() const { return static_cast<double>(value()) / kSplitSteps; }
  /// Updates its position after the parent's size changed.
  void place();

 protected:
  void paintEvent(QPaintEvent* /*event*/) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* /*event*/) override { setSliderDown(false); }

  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

  /// The wheel zooms the image below it.
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }

 private:
  static constexpr int kWidth = 17;
  double grabbedAt_ = 0;
};

/// Shows two paintings of the newest frame, left and right of a movable line. Each costs only its
/// visible part.
class SplitView : public PictureView {
  Q_OBJECT

 public:
  explicit SplitView(QWidget* parent = nullptr);
  void setKinds(ViewKind left, ViewKind right);

  /// Returns the line's position as a share of the widget's width.
  double split() const { return handle_->share(); }

  SplitHandle* handle() const { return handle_; }

 protected:
  std::vector<Painting*> parts() override { return {&left_, &right_}; }

  std::vector<Layer> layers(const ViewGeometry& geometry, const QRectF& bounds) const override;
  QString title() const override { return tr("%1 and %2").arg(titleOf(left_), titleOf(right_)); }

  QString description() const override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Painting left_, right_;
  SplitHandle* handle_;
};

}  // namespace mpm::gui
