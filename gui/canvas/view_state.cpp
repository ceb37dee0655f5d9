// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/view_state.h"

#include <cmath>

namespace mpm::gui {
namespace {

bool isFinite(QPointF point) { return std::isfinite(point.x()) && std::isfinite(point.y()); }

std::optional<QPointF> inPicture(std::optional<QPointF> position) {
  if (!position || !isFinite(*position)) return std::nullopt;
  return QPointF(qBound(0.0, position->x(), 1.0), qBound(0.0, position->y(), 1.0));
}

}  // namespace

ViewState::ViewState(QObject* parent) : QObject(parent) {}

void ViewState::show(double zoom, QPointF centre) {
  if (!std::isfinite(zoom) || !isFinite(centre)) return;
  zoom = qBound(1.0, zoom, kMostZoom);
  const double half = 0.5 / zoom;
  centre = {qBound(half, centre.x(), 1 - half), qBound(half, centre.y(), 1 - half)};
  if (zoom == zoom_ && centre == centre_) return;
  zoom_ = zoom;
  centre_ = centre;
  emit moved();
}

void ViewState::zoomBy(double factor, QPointF anchor) {
  const double zoom = qBound(1.0, zoom_ * factor, kMostZoom);
  show(zoom, anchor - (anchor - centre_) * (zoom_ / zoom));
}

void ViewState::panBy(QPointF distance) { show(zoom_, centre_ + distance); }

void ViewState::fit() { show(1, {0.5, 0.5}); }

void ViewState::setHovered(std::optional<QPointF> position) {
  position = inPicture(position);
  if (position == hovered_) return;
  hovered_ = position;
  emit hoveredChanged();
}

void ViewState::setPinned(std::optional<QPointF> position) {
  position = inPicture(position);
  if (position == pinned_) return;
  pinned_ = position;
  emit pinnedChanged();
}

}  // namespace mpm::gui
