// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif
#include <optional>
#include <vector>

#include "monitor/statistics/zones.h"

namespace mpm::gui {

/// Drawing and changing zones, without a widget. Positions are of the picture, (0, 0) to (1, 1),
/// and are held inside it. Zones stay as checkZones wants them.
class ZoneEditor {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::ZoneEditor)

 public:
  enum class Outcome {
    nothing,
    seen,    ///< something looks different
    changed  ///< zones() are others
  };

  struct Corner {
    int zone = -1;  ///< -1: the draft's
    int corner = 0;
    bool operator==(const Corner&) const = default;
  };

  /// The draft stays.
  void setZones(std::vector<monitor::Zone> zones) {
    zones_ = std::move(zones);
    held_.reset();
    chosen_ = -1;
  }

  const std::vector<monitor::Zone>& zones() const { return zones_; }
  const std::vector<cv::Point2d>& draft() const { return draft_; }
  int chosen() const { return chosen_; }  ///< -1: none
  std::optional<Corner> held() const { return held_; }

  /// On a corner: holds it (on the draft's first one: closes it). Inside a zone: chooses it, unless
  /// a draft was begun or `draw`. Elsewhere: one more corner. `reach`: how near counts as on.
  Outcome press(QPointF at, QSizeF reach, bool draw) {
    const std::optional<Corner> corner = cornerAt(at, reach);
    if (corner && corner->zone < 0 && corner->corner == 0 && draft_.size() >= 3) return close();
    if (corner) {
      held_ = corner;
      before_ = cornersOf(corner->zone)[static_cast<std::size_t>(corner->corner)];
      chosen_ = corner->zone;
      return Outcome::seen;
    }
    const int zone = draft_.empty() && !draw ? zoneAt(at) : -1;
    chosen_ = zone;
    if (zone < 0) draft_.push_back(inPicture(at));
    return Outcome::seen;
  }

  /// Of the held corner.
  Outcome moveTo(QPointF at) {
    if (!held_) return Outcome::nothing;
    cornersOf(held_->zone)[static_cast<std::size_t>(held_->corner)] = inPicture(at);
    return Outcome::seen;
  }

  /// A zone that lost its area gets its corner back.
  Outcome release() {
    if (!held_) return Outcome::nothing;
    std::vector<cv::Point2d>& corners = cornersOf(held_->zone);
    cv::Point2d& corner = corners[static_cast<std::size_t>(held_->corner)];
    const bool ofZone = held_->zone >= 0, moved = corner != before_;
    held_.reset();
    if (ofZone && !hasArea(corners)) {
      corner = before_;
      return Outcome::seen;
    }
    return ofZone && moved ? Outcome::changed : Outcome::seen;
  }

  /// The draft, of three or more corners with an area.
  Outcome close() {
    held_.reset();
    if (!hasArea(draft_)) return Outcome::nothing;
    zones_.push_back({freshName().toStdString(), std::move(draft_)});
    draft_.clear();
    chosen_ = static_cast<int>(zones_.size()) - 1;
    return Outcome::changed;
  }

  /// At the end of editing: the draft becomes a zone where it can, or is gone, which is `seen`.
  Outcome finish() {
    const Outcome closed = close();
    if (closed == Outcome::changed || draft_.empty()) return closed;
    draft_.clear();
    return Outcome::seen;
  }

  /// Whether a draft was begun, which is gone now. A held corner goes back.
  bool forget() {
    if (held_) cancel();
    const bool begun = !draft_.empty();
    draft_.clear();
    return begun;
  }

  /// A held corner, else the draft, else the choice.
  Outcome cancel() {
    if (held_) {
      cornersOf(held_->zone)[static_cast<std::size_t>(held_->corner)] = before_;
      held_.reset();
      return Outcome::seen;
    }
    if (draft_.empty() && chosen_ < 0) return Outcome::nothing;
    if (draft_.empty()) chosen_ = -1;
    draft_.clear();
    return Outcome::seen;
  }

  /// The draft's last corner, else the chosen zone.
  Outcome remove() {
    held_.reset();
    if (!draft_.empty()) {
      draft_.pop_back();
      return Outcome::seen;
    }
    if (chosen_ < 0) return Outcome::nothing;
    zones_.erase(zones_.begin() + chosen_);
    chosen_ = -1;
    return Outcome::changed;
  }

  /// The next zone, the one before.
  Outcome choose(int step) {
    if (zones_.empty() || !draft_.empty() || held_) return Outcome::nothing;
    const int count = static_cast<int>(zones_.size());
    const int from = chosen_ < 0 ? (step > 0 ? -1 : count) : chosen_;
    chosen_ = ((from + step) % count + count) % count;
    return Outcome::seen;
  }

 private:
  static constexpr double kLeastArea = 1e-5;  // of the picture: three pixels of 640 x 480

  static cv::Point2d inPicture(QPointF at) {
    return {std::clamp(at.x(), 0.0, 1.0), std::clamp(at.y(), 0.0, 1.0)};
  }

  static bool hasArea(const std::vector<cv::Point2d>& corners) {
    double twice = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      twice += corners[i].cross(corners[(i + 1) % corners.size()]);
    }
    return corners.size() >= 3 && std::abs(twice) / 2 >= kLeastArea;
  }

  static bool contains(const std::vector<cv::Point2d>& corners, QPointF at) {
    std::vector<cv::Point2f> polygon;
    for (const cv::Point2d& corner : corners) polygon.emplace_back(corner);
    const cv::Point2f point(static_cast<float>(at.x()), static_cast<float>(at.y()));
    return cv::pointPolygonTest(polygon, point, false) >= 0;
  }

  std::optional<Corner> cornerAt(QPointF at, QSizeF reach) const {
    std::optional<Corner> nearest;
    double least = 1;
    const auto look = [&](const std::vector<cv::Point2d>& corners, int zone) {
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const double distance = std::hypot((corners[i].x - at.x()) / reach.width(),
                                           (corners[i].y - at.y()) / reach.height());
        if (distance > least) continue;
        least = distance;
        nearest = {zone, static_cast<int>(i)};
      }
    };
    look(draft_, -1);
    if (draft_.empty()) {
      for (std::size_t i = 0; i < zones_.size(); ++i) look(zones_[i].corners, static_cast<int>(i));
    }
    return nearest;
  }

  int zoneAt(QPointF at) const {
    for (std::size_t i = zones_.size(); i-- > 0;) {  // the one drawn last lies on top
      if (zones_[i].corners.size() >= 3 && contains(zones_[i].corners, at))
        return static_cast<int>(i);
    }
    return -1;
  }

  std::vector<cv::Point2d>& cornersOf(int zone) {
    return zone < 0 ? draft_ : zones_[static_cast<std::size_t>(zone)].corners;
  }

  QString freshName() const {
    for (int number = static_cast<int>(zones_.size()) + 1;; ++number) {
      const QString name = tr("Zone %1").arg(number);
      const auto has = [&](const monitor::Zone& zone) { return zone.name == name.toStdString(); };
      if (std::none_of(zones_.begin(), zones_.end(), has)) return name;
    }
  }

  std::vector<monitor::Zone> zones_;
  std::vector<cv::Point2d> draft_;
  int chosen_ = -1;
  std::optional<Corner> held_;
  cv::Point2d before_;  // where the held corner was
};

}  // namespace mpm::gui
