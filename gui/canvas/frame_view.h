// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

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
  explicit FrameView(ViewKind kind = ViewKind::camera, QWidget* parent = nullptr);

  void setKind(ViewKind kind);  ///< opacity stays as it is
  ViewKind kind() const { return painting_.kind; }
  void setStage(int stage);  ///< as in Painting
  void setOpacity(double opacity);
  void setOutlines(bool outlines);
  const Painting& painting() const { return painting_; }

  /// While zones are edited, other ones than they are drop what was begun.
  void setZones(std::vector<monitor::Zone> zones) override;
  void setZoneEditing(bool editing);  ///< what was begun is dropped at the end
  bool isZoneEditing() const { return editing_; }
  const ZoneEditor& zoneEditor() const { return editor_; }

 signals:
  void zonesChanged(const std::vector<mpm::monitor::Zone>& zones);  ///< by the user

 protected:
  std::vector<Layer> layers(const ViewGeometry& geometry, const QRectF& bounds) const override;
  QString title() const override;
  QString description() const override;
  void drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void paintAs(const Painting& painting);
  void took(ZoneEditor::Outcome outcome);
  QSizeF reach() const;
  bool moveCross(int key, bool fine);
  void pressCross();
  bool editByKey(int key, bool shift);

  Painting painting_;
  ZoneEditor editor_;
  bool editing_ = false, crossShown_ = false;
  QPointF cross_{0.5, 0.5};
};

}  // namespace mpm::gui
