// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointF>
#include <cmath>
#include <optional>

namespace mpm::gui {

/// Which part of the picture linked views show, and which place of it is looked at. Positions are
/// of the picture: (0, 0) its upper left corner, (1, 1) its lower right one.
class ViewState : public QObject {
  Q_OBJECT

 public:
  static constexpr double kMostZoom = 32;

  explicit ViewState(QObject* parent = nullptr) : QObject(parent) {}

  double zoom() const { return zoom_; }       ///< 1: the whole picture fits; up to kMostZoom
  QPointF centre() const { return centre_; }  ///< what stands in a view's middle
  std::optional<QPointF> hovered() const { return hovered_; }
  std::optional<QPointF> pinned() const { return pinned_; }
  std::optional<QPointF> looked() const { return hovered_ ? hovered_ : pinned_; }

  /// What stands at `anchor` stays where it is.
  void zoomBy(double factor, QPointF anchor) {
    const double zoom = qBound(1.0, zoom_ * factor, kMostZoom);
    show(zoom, anchor - (anchor - centre_) * (zoom_ / zoom));
  }

  void panBy(QPointF distance) { show(zoom_, centre_ + distance); }
  void fit() { show(1, {0.5, 0.5}); }
  /// Held inside the picture.
  void setHovered(std::optional<QPointF> position) {
    position = inPicture(position);
    if (position == hovered_) return;
    hovered_ = position;
    emit hoveredChanged();
  }

  void setPinned(std::optional<QPointF> position) {
    position = inPicture(position);
    if (position == pinned_) return;
    pinned_ = position;
    emit pinnedChanged();
  }

 signals:
  void moved();  ///< zoom or centre
  void hoveredChanged();
  void pinnedChanged();

 private:
  static bool isFinite(QPointF point) {
    return std::isfinite(point.x()) && std::isfinite(point.y());
  }

  static std::optional<QPointF> inPicture(std::optional<QPointF> position) {
    if (!position || !isFinite(*position)) return std::nullopt;
    return QPointF(qBound(0.0, position->x(), 1.0), qBound(0.0, position->y(), 1.0));
  }

  void show(double zoom, QPointF centre) {
    if (!std::isfinite(zoom) || !isFinite(centre)) return;
    zoom = qBound(1.0, zoom, kMostZoom);
    const double half = 0.5 / zoom;
    centre = {qBound(half, centre.x(), 1 - half), qBound(half, centre.y(), 1 - half)};
    if (zoom == zoom_ && centre == centre_) return;
    zoom_ = zoom;
    centre_ = centre;
    emit moved();
  }

  double zoom_ = 1;
  QPointF centre_{0.5, 0.5};
  std::optional<QPointF> hovered_, pinned_;
};

}  // namespace mpm::gui
