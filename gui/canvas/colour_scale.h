// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRgb>
#include <array>

namespace mpm::gui {

/// 256 colours for values from 0 to 1. Their lightness grows evenly, so that they can be told apart
/// without seeing hues, and on paper.
using ColourScale = std::array<QRgb, 256>;

const ColourScale& valueScale();  ///< blue to yellow: the same to the colour-blind
const ColourScale& countScale();  ///< violet over green to yellow, with more steps to tell apart

QRgb colourAt(const ColourScale& scale,
              double value);  ///< the nearest end outside 0 to 1, and of NaN the lower

constexpr QRgb kDifferenceColour = 0xffff6a13;  ///< stands out from grey to everyone
constexpr QRgb kUnknownColour = 0xff8c8c8c;     ///< where there is no value
constexpr QRgb kRememberedColour = 0xff181c26;  ///< over what was not computed
constexpr QRgb kFreshLine = 0xffffb000;         ///< around what was
constexpr QRgb kPinnedColour = 0xff46d6ff;      ///< of the token that was clicked

}  // namespace mpm::gui
