// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/picture_marks.h"

#include <QPen>
#include <QPolygonF>
#include <QVector>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gui/canvas/colour_scale.h"
#include "gui/canvas/token_groups.h"

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

// Under its highest corner.
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

constexpr std::size_t kMostLinks = 400;  // more cannot be told apart, and cost milliseconds

void drawCross(QPainter& painter, QPointF at, const QColor& colour) {
  constexpr double kArm = 7;
  const QVector<QLineF> lines{{at - QPointF(kArm, 0), at + QPointF(kArm, 0)},
                              {at - QPointF(0, kArm), at + QPointF(0, kArm)}};
  painter.setPen(QPen(kHalo, 4));
  painter.drawLines(lines);
  painter.setPen(QPen(colour, 2));
  painter.drawLines(lines);
}

}  // namespace

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

void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind, double wider) {
  const QColor colour = kind == LinkKind::hovered ? QColor(255, 221, 51) : QColor(kPinnedColour);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  if (group.place < 0) {
    drawCross(painter, geometry.toView(position), colour);
    painter.restore();
    return;
  }
  QVector<QRectF> places;
  QVector<QLineF> lines;
  const QRectF own = geometry.toView(placeArea(group.place, group.grid, gridArea));
  const std::size_t count = std::min(group.places.size(), kMostLinks);
  for (std::size_t i = 0; i < count; ++i) {
    const QRectF place = geometry.toView(placeArea(group.places[i], group.grid, gridArea));
    if (group.places[i] == group.place) continue;
    places.push_back(place);
    lines.push_back({own.center(), place.center()});
  }
  for (const auto& [pen, ownPen] :
       {std::pair{QPen(kHalo, 3.5 * wider), QPen(kHalo, 5 * wider)},
        std::pair{QPen(colour, 1.5 * wider), QPen(colour, 2.5 * wider)}}) {
    painter.setPen(pen);
    painter.drawLines(lines);
    painter.drawRects(places);
    painter.setPen(ownPen);
    painter.drawRect(own);
  }
  painter.restore();
}

}  // namespace mpm::gui
