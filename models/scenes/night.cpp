// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/night.h"

#include <stdexcept>

namespace mpm::scenes {

PaperNight::PaperNight(const NightOptions& options) : chance_(options.seed, 7700) {
  if (!(options.luminosity > 0 && options.luminosity <= 1)) {
    throw std::invalid_argument("a night's luminosity is above 0 and at most 1");
  }
  if (!(options.thermal >= 0 && options.thermal < 1)) {
    throw std::invalid_argument("a night's thermal noise is from 0 to less than 1, in white");
  }
  if (!(options.electrons >= 1 && options.electrons <= 1e6)) {
    throw std::invalid_argument("a night's white stands for 1 to 1000000 electrons");
  }
  const double reading = options.thermal * options.electrons;
  tones_.set(options.luminosity, options.electrons,
             [&](double mean, Quantiles& found) { found = photonQuantiles(mean, reading); });
}

void PaperNight::darken(cv::Mat& picture, std::uint64_t frame) const {
  CV_Assert(picture.depth() == CV_8U);
  tones_.apply(picture, chance_.stream(frame));
}

}  // namespace mpm::scenes
