// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "models/scenes/chance.h"

namespace mpm::scenes {

/// CV_32F, 256 x 128, from 0 to 1 with 0.5 in the middle: noise of several sizes on top of each
/// other, as clouds have it. Its left and right side meet.
cv::Mat cloudNoise(const Chance& chance);

}  // namespace mpm::scenes
