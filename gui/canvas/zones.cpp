// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/zones.h"

#include <QFontMetricsF>
#include <QPen>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif
#include <utility>

namespace mpm::gui {
namespace {

const QColor kHalo(0, 0, 0, 170);
const QColor kZone(255, 255, 255);
const QColor kChosen(255, 221, 51);
const QColor kLit(255, 140, 60);

QPolygonF inView(const ViewGeometry& geometry, const std::vector<cv::Point2d>& corners) {
  QPolygonF polygon;
  for (const cv::Point2d& corner : corners) polygon << geometry.toView(QPointF(corner.x, corner.y));
  return polygon;
}

// Draws the name below the highest corner.
void drawName(QPainter& painter, const QPolygonF& polygon, const QRectF& bounds,
              const QString& name, const QColor& colour) {
  const auto higher = [](QPointF a, QPointF b) { return a.y() < b.y(); };
  const QPointF top = *std::min_element(polygon.begin(), polygon.end(), higher);
  const QFontMetricsF metrics(painter.font());
  QRectF box(top + QPointF(4, 4),
             QSizeF(metrics.horizontalAdvance(name) + 8, metrics.height() + 2));
  box.moveLeft(
      std::clamp(box.left(), bounds.left(), std::max(bounds.left(), bounds.right() - box.width())));
  box.moveTop(
      std::clamp(box.top(), bounds.top(), std::max(bounds.top(), bounds.bottom() - box.height())));
  painter.setPen(Qt::NoPen);
  painter.setBrush(kHalo);
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(colour);
  painter.drawText(box, Qt::AlignCenter, name);
}

void drawZone(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
              const monitor::Zone& zone, const QColor& colour, bool lit = false) {
  const QPolygonF polygon = inView(geometry, zone.corners);
  if (polygon.isEmpty()) return;
  QColor fill = colour;
  fill.setAlpha(lit ? 55 : 28);
  painter.setBrush(fill);
  painter.setPen(QPen(kHalo, lit ? 6 : 4));
  painter.drawPolygon(polygon);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour, lit ? 4 : 2));
  painter.drawPolygon(polygon);
  const QString name = QString::fromStdString(zone.name);
  drawName(painter, polygon, bounds, lit ? QStringLiteral("⚠ ") + name : name, colour);
}

void drawCorners(QPainter& painter, const QPolygonF& corners, const QColor& colour) {
  constexpr double kRadius = 4.5;
  painter.setPen(QPen(kHalo, 1.5));
  painter.setBrush(colour);
  for (const QPointF& corner : corners) painter.drawEllipse(corner, kRadius, kRadius);
}

}  // namespace

void ZoneEditor::setZones(std::vector<monitor::Zone> zones) {
  zones_ = std::move(zones);
  held_.reset();
  chosen_ = -1;
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

ZoneEditor::Outcome ZoneEditor::close() {
  held_.reset();
  if (!hasArea(draft_)) return Outcome::nothing;
  zones_.push_back({freshName().toStdString(), std::move(draft_)});
  draft_.clear();
  chosen_ = static_cast<int>(zones_.size()) - 1;
  return Outcome::changed;
}

ZoneEditor::Outcome ZoneEditor::closeRectangle(QPointF opposite) {
  if (draft_.size() != 1) return Outcome::nothing;
  const cv::Point2d from = draft_[0], to = inPicture(opposite);
  draft_ = {from, {to.x, from.y}, to, {from.x, to.y}};
  const Outcome closed = close();
  if (closed == Outcome::nothing) draft_ = {from};
  return closed;
}

ZoneEditor::Outcome ZoneEditor::finish() {
  const Outcome closed = close();
  if (closed == Outcome::changed || draft_.empty()) return closed;
  draft_.clear();
  return Outcome::seen;
}

bool ZoneEditor::forget() {
  if (held_) cancel();
  const bool begun = !draft_.empty();
  draft_.clear();
  return begun;
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

cv::Point2d ZoneEditor::inPicture(QPointF at) {
  return {std::clamp(at.x(), 0.0, 1.0), std::clamp(at.y(), 0.0, 1.0)};
}

bool ZoneEditor::hasArea(const std::vector<cv::Point2d>& corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    twice += corners[i].cross(corners[(i + 1) % corners.size()]);
  }
  return corners.size() >= 3 && std::abs(twice) / 2 >= kLeastArea;
}

bool ZoneEditor::contains(const std::vector<cv::Point2d>& corners, QPointF at) {
  std::vector<cv::Point2f> polygon;
  for (const cv::Point2d& corner : corners) polygon.emplace_back(corner);
  const cv::Point2f point(static_cast<float>(at.x()), static_cast<float>(at.y()));
  return cv::pointPolygonTest(polygon, point, false) >= 0;
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

std::vector<cv::Point2d>& ZoneEditor::cornersOf(int zone) {
  return zone < 0 ? draft_ : zones_[static_cast<std::size_t>(zone)].corners;
}

QString ZoneEditor::freshName() const {
  for (int number = static_cast<int>(zones_.size()) + 1;; ++number) {
    const QString name = tr("Zone %1").arg(number);
    const auto has = [&](const monitor::Zone& zone) { return zone.name == name.toStdString(); };
    if (std::none_of(zones_.begin(), zones_.end(), has)) return name;
  }
}

void drawZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
               const std::vector<monitor::Zone>& zones, const std::vector<std::string>& lit) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const monitor::Zone& zone : zones) {
    const bool isLit = std::find(lit.begin(), lit.end(), zone.name) != lit.end();
    drawZone(painter, geometry, bounds, zone, isLit ? kLit : kZone, isLit);
  }
  painter.restore();
}

void drawEditedZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                     const ZoneEditor& editor, QPointF cursor) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < editor.zones().size(); ++i) {
    const QColor colour = static_cast<int>(i) == editor.chosen() ? kChosen : kZone;
    drawZone(painter, geometry, bounds, editor.zones()[i], colour);
    drawCorners(painter, inView(geometry, editor.zones()[i].corners), colour);
  }
  if (!editor.draft().empty()) {
    const QPolygonF corners = inView(geometry, editor.draft());
    QPolygonF line = corners;
    if (!editor.held()) line << geometry.toView(cursor);
    painter.setBrush(Qt::NoBrush);
    for (const auto& pen : {QPen(kHalo, 4), QPen(kChosen, 2)}) {
      painter.setPen(pen);
      painter.drawPolyline(line);
    }
    if (line.size() > 2) {
      painter.setPen(QPen(kChosen, 1, Qt::DashLine));
      painter.drawLine(line.last(), line.first());
    }
    drawCorners(painter, corners, kChosen);
  }
  painter.restore();
}

}  // namespace mpm::gui
