// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointF>
#include <optional>

namespace mpm::gui {

/// Which part of the picture linked views show, and which place of it is looked at. Positions are
/// of the picture: (0, 0) its upper left corner, (1, 1) its lower right one.
class ViewState : public QObject {
  Q_OBJECT

 public:
  static constexpr double kMostZoom = 32;

  explicit ViewState(QObject* parent = nullptr);

  double zoom() const { return zoom_; }       ///< 1: the whole picture fits; up to kMostZoom
  QPointF centre() const { return centre_; }  ///< what stands in a view's middle
  std::optional<QPointF> hovered() const { return hovered_; }
  std::optional<QPointF> pinned() const { return pinned_; }
  std::optional<QPointF> looked() const { return hovered_ ? hovered_ : pinned_; }

  void zoomBy(double factor, QPointF anchor);  ///< what stands at `anchor` stays where it is
  void panBy(QPointF distance);
  void fit();
  void setHovered(std::optional<QPointF> position);  ///< held inside the picture
  void setPinned(std::optional<QPointF> position);

 signals:
  void moved();  ///< zoom or centre
  void hoveredChanged();
  void pinnedChanged();

 private:
  void show(double zoom, QPointF centre);

  double zoom_ = 1;
  QPointF centre_{0.5, 0.5};
  std::optional<QPointF> hovered_, pinned_;
};

}  // namespace mpm::gui
