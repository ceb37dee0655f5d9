// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <opencv2/core.hpp>
#include <vector>

#include "monitor/engine/engine.h"

namespace mpm::monitor {

/// Of each of the first four sources its first picture and one of about a second later, by when a
/// camera has found its exposure. Sources are opened at once and closed again; what does not come
/// within `patience` is missing.
std::vector<cv::Mat> firstPictures(const EngineOptions& options, std::chrono::milliseconds patience,
                                   Clock& clock = systemClock());

}  // namespace mpm::monitor
