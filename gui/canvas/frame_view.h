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

/// One kind of painting of the newest frame, and where its zones are drawn.
///
/// While zones are edited: a click adds a corner (inside a zone it chooses that; with Shift it adds
/// a corner there too), a drag makes a rectangle, corners can be dragged, Enter or a double click
/// closes the zone, Escape cancels, Delete removes the last corner or the chosen zone. By keyboard:
/// arrows move a cross (with Shift in small steps), Space adds a corner or takes one up and lays it
/// down, Page Up and Page Down choose a zone.
class FrameView : public PictureView {
  Q_OBJECT

 public:
  explicit FrameView(ViewKind kind = ViewKind::camera, QWidget* parent = nullptr);

  /// Opacity stays as it is.
  void setKind(ViewKind kind);
  ViewKind kind() const { return painting_.kind; }

  /// Whether its kind stands in its corner; it does at first.
  void setTitled(bool titled);
  /// Whether names stand on the large areas of its labels; they do not at first.
  void setNamed(bool named);
  const Painting& painting() const { return painting_; }

  void setZones(std::vector<monitor::Zone> zones) override;

  /// At the end what was begun becomes a zone; where it has too few corners, draftDropped tells.
  void setZoneEditing(bool editing);

  /// Of another picture: whether a zone was begun, which is gone now.
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

  // A corner under the cross is taken up, and laid down by the next press; elsewhere a corner is
  // added. What a mouse would choose is chosen with Page Up and Page Down.
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

/// The line between two pictures: dragged with the mouse, moved with arrow keys, Page Up and Down,
/// Home and End. Its value is its place across its parent, from 0 to kSplitSteps. It keeps itself
/// where its value says.
class SplitHandle : public QAbstractSlider {
  Q_OBJECT

 public:
  static constexpr int kSplitSteps = 1000;

  explicit SplitHandle(QWidget* parent);

  /// Of the parent's width left of it.
  double share() const { return static_cast<double>(value()) / kSplitSteps; }
  /// After the parent's size changed.
  void place();

 protected:
  void paintEvent(QPaintEvent* /*event*/) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* /*event*/) override { setSliderDown(false); }

  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

  /// Zooms the picture behind it.
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }

 private:
  static constexpr int kWidth = 17;
  double grabbedAt_ = 0;
};

/// Two paintings of the newest frame, left and right of a line that can be moved. Each costs only
/// what is seen of it.
class SplitView : public PictureView {
  Q_OBJECT

 public:
  explicit SplitView(QWidget* parent = nullptr);
  void setKinds(ViewKind left, ViewKind right);

  /// The line's place, of the widget's width.
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
