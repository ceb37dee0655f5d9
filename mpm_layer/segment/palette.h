// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core/matx.hpp>
#include <vector>

#include "mpm/export.h"

namespace mpm::segment {

/// Colours (BGR) that the eye tells apart: each is, of a fixed choice of colours, the one furthest
/// in CIELAB from black, white and all that stand before it, so that the first ones differ most. A
/// longer palette begins with a shorter one. Behind the 256th they come again.
MPM_API std::vector<cv::Vec3b> distinctColours(std::size_t count);

}  // namespace mpm::segment
