// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/zone_editor.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::ZoneEditor)
};

constexpr double kLeastArea = 1e-5;  // of the picture: three pixels of 640 x 480

cv::Point2d inPicture(QPointF at) {
  return {std::clamp(at.x(), 0.0, 1.0), std::clamp(at.y(), 0.0, 1.0)};
}

bool hasArea(const std::vector<cv::Point2d>& corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    twice += corners[i].cross(corners[(i + 1) % corners.size()]);
  }
  return corners.size() >= 3 && std::abs(twice) / 2 >= kLeastArea;
}

bool contains(const std::vector<cv::Point2d>& corners, QPointF at) {
  std::vector<cv::Point2f> polygon;
  for (const cv::Point2d& corner : corners) polygon.emplace_back(corner);
  const cv::Point2f point(static_cast<float>(at.x()), static_cast<float>(at.y()));
  return cv::pointPolygonTest(polygon, point, false) >= 0;
}

}  // namespace

void ZoneEditor::setZones(std::vector<monitor::Zone> zones) {
  zones_ = std::move(zones);
  draft_.clear();
  held_.reset();
  chosen_ = -1;
}

std::vector<cv::Point2d>& ZoneEditor::cornersOf(int zone) {
  return zone < 0 ? draft_ : zones_[static_cast<std::size_t>(zone)].corners;
}

std::optional<ZoneEditor::Corner> ZoneEditor::cornerAt(QPointF at, QSizeF reach) const {
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

int ZoneEditor::zoneAt(QPointF at) const {
  for (std::size_t i = zones_.size(); i-- > 0;) {  // the one drawn last lies on top
    if (zones_[i].corners.size() >= 3 && contains(zones_[i].corners, at))
      return static_cast<int>(i);
  }
  return -1;
}

ZoneEditor::Outcome ZoneEditor::press(QPointF at, QSizeF reach, bool draw) {
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

ZoneEditor::Outcome ZoneEditor::moveTo(QPointF at) {
  if (!held_) return Outcome::nothing;
  cornersOf(held_->zone)[static_cast<std::size_t>(held_->corner)] = inPicture(at);
  return Outcome::seen;
}

ZoneEditor::Outcome ZoneEditor::release() {
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

std::string ZoneEditor::freshName() const {
  for (int number = static_cast<int>(zones_.size()) + 1;; ++number) {
    const std::string name = Words::tr("Zone %1").arg(number).toStdString();
    const auto has = [&](const monitor::Zone& zone) { return zone.name == name; };
    if (std::none_of(zones_.begin(), zones_.end(), has)) return name;
  }
}

ZoneEditor::Outcome ZoneEditor::close() {
  held_.reset();
  if (!hasArea(draft_)) return Outcome::nothing;
  zones_.push_back({freshName(), std::move(draft_)});
  draft_.clear();
  chosen_ = static_cast<int>(zones_.size()) - 1;
  return Outcome::changed;
}

ZoneEditor::Outcome ZoneEditor::cancel() {
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

ZoneEditor::Outcome ZoneEditor::remove() {
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

ZoneEditor::Outcome ZoneEditor::choose(int step) {
  if (zones_.empty() || !draft_.empty() || held_) return Outcome::nothing;
  const int count = static_cast<int>(zones_.size());
  const int from = chosen_ < 0 ? (step > 0 ? -1 : count) : chosen_;
  chosen_ = ((from + step) % count + count) % count;
  return Outcome::seen;
}

}  // namespace mpm::gui
