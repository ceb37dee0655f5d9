// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFontMetrics>
#include <QLocale>
#include <QPainter>
#include <QPalette>
#include <QTimeZone>

#include "gui/plot/trace.h"
#include "gui/plot/value_axis.h"

/// Grid lines and labels around `plot`, the rectangle that data is drawn into. Labels that would
/// touch another are left out.
namespace mpm::gui {

constexpr int kAxisGap = 6;  ///< between a label and the plot

/// Room that labels need left of the plot.
int valueAxisWidth(const ValueAxis& axis, const QFontMetrics& metrics, const QLocale& locale);
/// About how many ticks a length of pixels has room for, upwards and along.
int ticksUpwards(int height, const QFontMetrics& metrics);
int ticksAlong(int width, const QFontMetrics& metrics);

/// Values upwards, labels on the left.
void drawValuesUpwards(QPainter& painter, const QRect& plot, const ValueAxis& axis,
                       const QPalette& palette, const QLocale& locale);
/// Values to the right, labels below.
void drawValuesAlong(QPainter& painter, const QRect& plot, const ValueAxis& axis,
                     const QPalette& palette, const QLocale& locale);

int timeAxisHeight(const QFontMetrics& metrics);
/// Time to the right, labels below: times of day, and the date below them.
void drawTime(QPainter& painter, const QRect& plot, std::int64_t fromUtcMs, std::int64_t toUtcMs,
              const QPalette& palette, const QTimeZone& zone, const QLocale& locale);

}  // namespace mpm::gui
