// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>

#include "gui/canvas/inspection.h"
#include "gui/canvas/view_geometry.h"

namespace mpm::gui {

enum class LinkKind { hovered, pinned };

/// Outlines the places of a group and draws a line to each from the one looked at. A cross marks
/// `position` where there is no group.
void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind);

}  // namespace mpm::gui
