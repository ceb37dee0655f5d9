// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QPainter>
#include <QPalette>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/trace.h"

/// Data into `plot`, of which `scale` has a column for each pixel of the device.
namespace mpm::gui {

/// The light of each column; infrared and no signal have a pattern besides.
void drawLight(QPainter& painter, const std::vector<LightSpan>& spans, const QRect& plot,
               const TimeScale& scale, const QPalette& palette);

/// A line through the means in a band from smallest to largest. A bucket alone is a point.
void drawTrace(QPainter& painter, const GroupedSeries& series, const QRect& plot,
               const TimeScale& scale, const ValueAxis& axis, const QColor& colour);

}  // namespace mpm::gui
