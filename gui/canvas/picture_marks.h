// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QString>
#include <string>
#include <vector>

#include "gui/canvas/inspection.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/view_geometry.h"
#include "gui/canvas/zone_editor.h"

namespace mpm::gui {

/// Polygons with their names, which are held inside `bounds` of the view. Those in `lit`, by name,
/// shine, with a sign before the name.
void drawZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
               const std::vector<monitor::Zone>& zones, const std::vector<std::string>& lit);

/// The same while they are edited: corners to hold, the chosen zone, the draft up to `cursor`.
void drawEditedZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                     const ZoneEditor& editor, QPointF cursor);

enum class LinkKind { hovered, pinned };

/// Outlines the places of a group and draws a line to each from the one looked at. A cross marks
/// `position` where there is no group. Lines are `wider` times as wide as beside a desk.
void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind, double wider = 1);

/// What colours mean: swatches and scales with words.
struct LegendItem {
  enum class Mark { none, colour, hatched, valueScale };
  QString words = {};  ///< of a scale: at its left end
  Mark mark = Mark::none;
  QRgb colour = 0;
  QString atEnd = {};  ///< of a scale: at its right end
  double shorter = 0;  ///< of a scale: by how much, where it has little room
};

/// For a kind of painting of a result; empty where colours need no words. `agreement` 0 to 1: of
/// merged and full labels, where it is known; `ageMs`: how old the result is, where it is not the
/// newest, as of comparisons, and of tokens where there is a memory.
std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs);

/// In the lower left corner of `bounds`, or the upper one, in as many lines as it takes; left out
/// where it would take more than a third of them. Left of `picture`, where there is room: it would
/// cover it in fewer lines. Else in the picture's own corner, unless that is too narrow.
void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge = Qt::BottomEdge, const QRectF& picture = {});

}  // namespace mpm::gui
