// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBrush>
#include <QColor>
#include <QPalette>
#include <QString>

#include "monitor/light/light_state.h"

/// Colours of plots, derived from the palette to be readable on light and dark ones.
namespace mpm::gui {

bool isDark(const QPalette& palette);

/// Returns `share` (0 to 1) of `over` on `under`, opaque.
QColor mixed(const QColor& under, const QColor& over, double share);

/// Colours of lines, the first ones as different as possible, also for colour-blind people.
/// Contrasts here and below are those of WCAG 2: at least 3 : 1 to every light state's colour. They
/// repeat after kSeriesColours.
constexpr int kSeriesColours = 6;
QColor seriesColour(int index, const QPalette& palette);

/// Returns the nearest colour that is visible on the plot: darker or lighter until its contrast to
/// the background is 3 : 1.
QColor readable(const QColor& colour, const QPalette& palette);

/// Returns the background for this light; text on it has a contrast of at least 4.5 : 1.
QColor lightColour(monitor::LightState state, const QPalette& palette);
/// Returns a pattern for infrared, no signal and unknown light, so that nobody depends on colour
/// alone; Qt::NoBrush for the others.
QBrush lightPattern(monitor::LightState state, const QPalette& palette);
/// Returns the state's colour for objects (a violin), not for backgrounds.
QColor strongLightColour(monitor::LightState state, const QPalette& palette);

/// Returns "Day", "No signal", ... in the user's language.
QString lightTitle(monitor::LightState state);

/// Returns the palette of a label that shows an error.
QPalette faultPalette(const QPalette& palette);

QColor gridColour(const QPalette& palette);
QColor quietTextColour(const QPalette& palette);  ///< labels of axes: at least 4.5 : 1

}  // namespace mpm::gui
