// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <string>
#include <vector>

#include "gui/canvas/inspection.h"
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
/// `position` where there is no group.
void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind);

}  // namespace mpm::gui
