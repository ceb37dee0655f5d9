// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBrush>
#include <QColor>
#include <QPalette>
#include <QString>

#include "monitor/light/light_state.h"

/// Colours of plots, made from the palette so that they can be read on a light and on a dark one.
namespace mpm::gui {

bool isDark(const QPalette& palette);

/// `share` (0 to 1) of `over` on `under`, opaque.
QColor mixed(const QColor& under, const QColor& over, double share);

/// Lines, the first ones as different as can be, also to those who see few colours. Contrasts here
/// and below are those of WCAG 2: at least 3 : 1 against every light state's colour. Starts over
/// after kSeriesColours.
constexpr int kSeriesColours = 6;
QColor seriesColour(int index, const QPalette& palette);

/// A colour that somebody else chose, as near to it as can be seen on the plot: darker or lighter
/// until its contrast to the ground is 3 : 1.
QColor readable(const QColor& colour, const QPalette& palette);

/// What stands behind lines while the light is so; text on it has at least 4.5 : 1.
QColor lightColour(monitor::LightState state, const QPalette& palette);
/// A pattern over it for infrared, no signal and what is not known yet, which nobody has to tell by
/// colour alone; Qt::NoBrush for the others.
QBrush lightPattern(monitor::LightState state, const QPalette& palette);
/// The state's colour where it is a thing itself (a violin), not a background.
QColor strongLightColour(monitor::LightState state, const QPalette& palette);

/// "Day", "No signal", ... in the user's language.
QString lightTitle(monitor::LightState state);

/// For a label that tells what is wrong.
QPalette faultPalette(const QPalette& palette);

QColor gridColour(const QPalette& palette);
QColor quietTextColour(const QPalette& palette);  ///< labels of axes: at least 4.5 : 1

}  // namespace mpm::gui
