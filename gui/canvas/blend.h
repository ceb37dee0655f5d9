// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRgb>

namespace mpm::gui {

/// Opacity as the blends take it: 0 to 256.
int blendAlpha(double opacity);

/// Each channel of `pixels` (alpha too) becomes (pixel * (256 - alpha) + colour * alpha) / 256,
/// rounded down.
void blend(QRgb* pixels, int count, QRgb colour, int alpha);
/// The same with a colour for each pixel.
void blend(QRgb* pixels, const QRgb* colours, int count, int alpha);

}  // namespace mpm::gui
