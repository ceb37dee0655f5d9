// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/link_drawing.h"

#include <QPen>
#include <QVector>
#include <algorithm>
#include <cstddef>

#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

constexpr std::size_t kMostLinks = 400;  // more cannot be told apart, and cost milliseconds
const QColor kHalo(0, 0, 0, 170);

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

void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind) {
  const QColor colour = kind == LinkKind::hovered ? QColor(255, 221, 51) : QColor(70, 214, 255);
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
  for (const auto& [pen, ownPen] : {std::pair{QPen(kHalo, 3.5), QPen(kHalo, 5)},
                                    std::pair{QPen(colour, 1.5), QPen(colour, 2.5)}}) {
    painter.setPen(pen);
    painter.drawLines(lines);
    painter.drawRects(places);
    painter.setPen(ownPen);
    painter.drawRect(own);
  }
  painter.restore();
}

}  // namespace mpm::gui
