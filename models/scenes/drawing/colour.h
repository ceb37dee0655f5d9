// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "models/scenes/curve.h"

namespace mpm::scenes {

/// BGR, 0 to 1: what is reflected of white light, or what a pixel shows.
using Colour = cv::Vec3d;

/// From the way colours are usually written, 0xRRGGBB.
inline Colour rgb(unsigned hex) {
  return {(hex & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex >> 16 & 255) / 255.0};
}

inline double brightness(const Colour& c) { return 0.11 * c[0] + 0.59 * c[1] + 0.3 * c[2]; }

}  // namespace mpm::scenes
