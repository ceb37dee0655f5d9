// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointF>
#include <QRect>
#include <QRectF>
#include <QSizeF>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <optional>

#include "gui/canvas/pictures.h"

namespace mpm::gui {

/// The part of the frame that linked views show, and the inspected position. Positions are relative
/// to the frame: (0, 0) its upper left corner, (1, 1) its lower right one.
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

  /// Keeps what is at `anchor` in place.
  void zoomBy(double factor, QPointF anchor) {
    const double zoom = qBound(1.0, zoom_ * factor, kMostZoom);
    show(zoom, anchor - (anchor - centre_) * (zoom_ / zoom));
  }

  void panBy(QPointF distance) { show(zoom_, centre_ + distance); }
  void fit() { show(1, {0.5, 0.5}); }
  /// Clamps the position to the frame.
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

/// Maps a frame into a widget: ratio kept, as large as fits, then zoomed.
class ViewGeometry {
 public:
  ViewGeometry() = default;
  /// `view` is the widget's size in its own pixels, as are all of its points below.
  ViewGeometry(QSizeF view, cv::Size picture, double zoom, QPointF centre) : picture_(picture) {
    if (view.isEmpty() || picture.empty()) return;
    scale_ = std::min(view.width() / picture.width, view.height() / picture.height) * zoom;
    origin_ = {view.width() / 2 - centre.x() * picture.width * scale_,
               view.height() / 2 - centre.y() * picture.height * scale_};
  }

  bool isEmpty() const { return scale_ <= 0; }
  double scale() const { return scale_; }  ///< of the view's pixels to the picture's
  /// Takes a position from the frame's (0, 0) to (1, 1).
  QPointF toView(QPointF position) const {
    return {origin_.x() + position.x() * picture_.width * scale_,
            origin_.y() + position.y() * picture_.height * scale_};
  }

  /// Inverts toView; the result lies outside 0 to 1 for points next to the frame.
  QPointF toPicture(QPointF point) const {
    if (isEmpty()) return {};
    return {(point.x() - origin_.x()) / (picture_.width * scale_),
            (point.y() - origin_.y()) / (picture_.height * scale_)};
  }

  bool hitsPicture(QPointF point) const {
    const QPointF position = toPicture(point);
    return !isEmpty() && position.x() >= 0 && position.y() >= 0 && position.x() < 1 &&
           position.y() < 1;
  }

  QRectF toView(const QRectF& area) const {
    return {toView(area.topLeft()), toView(area.bottomRight())};
  }

  /// The visible part of the frame inside `clip`: whole pixels, and their target in device pixels,
  /// of which each of the view's pixels has `ratio`. Empty if nothing is visible.
  struct Seen {
    cv::Rect area;
    QRect target;
  };

  Seen seen(const QRectF& clip, double ratio) const {
    const QRectF shown = toView(QRectF(0, 0, 1, 1)).intersected(clip);
    if (isEmpty() || shown.isEmpty()) return {};
    const auto pixel = [&](double from, double place) { return (place - from) / scale_; };
    constexpr double kTouch = 1e-6;  // an edge that only rounding moved into the next pixel
    const int left = static_cast<int>(std::floor(pixel(origin_.x(), shown.left()) + kTouch));
    const int top = static_cast<int>(std::floor(pixel(origin_.y(), shown.top()) + kTouch));
    const int right = static_cast<int>(std::ceil(pixel(origin_.x(), shown.right()) - kTouch));
    const int bottom = static_cast<int>(std::ceil(pixel(origin_.y(), shown.bottom()) - kTouch));
    const cv::Rect area =
        cv::Rect(left, top, std::max(1, right - left), std::max(1, bottom - top)) &
        cv::Rect({}, picture_);
    if (area.empty()) return {};
    const auto device = [&](double from, int place) {
      return static_cast<int>(std::lround((from + place * scale_) * ratio));
    };
    const QPoint topLeft(device(origin_.x(), area.x), device(origin_.y(), area.y));
    const QSize size(device(origin_.x(), area.br().x) - topLeft.x(),
                     device(origin_.y(), area.br().y) - topLeft.y());
    return {area, QRect(topLeft, size.expandedTo({1, 1}))};
  }

  /// Returns the part at the target's size, limited to little more than the frame's own pixels.
  Part partFor(const Seen& seen) const {
    constexpr double kMostPixels = 1e6;
    const double pixels = static_cast<double>(seen.target.width()) * seen.target.height();
    const double most = std::max(kMostPixels, static_cast<double>(seen.area.area()));
    const double shrink = std::min(1.0, std::sqrt(most / pixels));
    const auto side = [&](int length) { return std::max(1, static_cast<int>(length * shrink)); };
    return {seen.area, picture_, {side(seen.target.width()), side(seen.target.height())}};
  }

 private:
  cv::Size picture_;
  double scale_ = 0;
  QPointF origin_;  // the picture's corner
};

}  // namespace mpm::gui
