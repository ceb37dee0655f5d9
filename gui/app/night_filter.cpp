// SPDX-License-Identifier: Apache-2.0
#include "gui/app/night_filter.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "models/scenes/night.h"

namespace mpm::gui {

std::function<cv::Mat(const cv::Mat&)> nightFilter(const NightSettings& settings) {
  if (!settings.on) return {};
  scenes::NightOptions options;
  const double noise = std::clamp(settings.noise, 0.0, 1.0);
  options.luminosity = std::clamp(settings.luminosity, 0.01, 1.0);
  options.thermal = 0.012 * noise;
  options.electrons = 20000 * std::pow(0.005, noise);  // 20 000 down to 100
  const auto night = std::make_shared<const scenes::PaperNight>(options);
  const auto frame = std::make_shared<std::uint64_t>(0);
  return [night, frame](const cv::Mat& picture) {
    cv::Mat dark = picture.clone();
    night->darken(dark, (*frame)++);
    return dark;
  };
}

}  // namespace mpm::gui
