// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "models/scenes/light.h"

namespace mpm::scenes {

/// Draws what falls between the street and the lens: rain as streaks, snow as flakes that are
/// larger, faster and less sharp the nearer they are, both with a slight veil. `seconds` are the
/// camera's: drops fall at their own pace however fast the scene's clock is.
void drawPrecipitation(cv::Mat& picture, const Light& light, const Weather& weather,
                       std::uint64_t seed, double seconds);

}  // namespace mpm::scenes
