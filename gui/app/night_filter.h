// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>

namespace mpm::gui {

/// The paper's night, for any source.
struct NightSettings {
  bool on = false;
  double luminosity = 0.25;  ///< what is left of the light: 0.01 to 1
  double noise = 0.5;        ///< 0: none to 1: strong
};

/// For Engine::setFilter; empty where it is off.
std::function<cv::Mat(const cv::Mat&)> nightFilter(const NightSettings& settings);

}  // namespace mpm::gui
