// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "models/scenes/noisy_tones.h"

namespace mpm::scenes {

struct NightOptions {
  double luminosity = 0.25;  ///< what is left of the picture's linear light, above 0 up to 1
  double thermal = 0.006;    ///< standard deviation of the Gaussian part, in shares of white
  double electrons = 400;    ///< that white stands for: the fewer, the stronger the shot noise
  std::uint64_t seed = 7;
};

/// The paper's night, for any picture: less light, Gaussian thermal noise and Poisson shot noise.
class PaperNight {
 public:
  /// std::invalid_argument where an option is out of range.
  explicit PaperNight(const NightOptions& options = {});

  /// `picture`: 8 bits, any number of channels, in place. The noise follows from seed and `frame`.
  void darken(cv::Mat& picture, std::uint64_t frame) const;

 private:
  Chance chance_;
  NoisyTones tones_;
};

}  // namespace mpm::scenes
