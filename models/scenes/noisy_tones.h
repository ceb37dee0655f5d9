// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/photon_noise.h"

namespace mpm::scenes {

/// Linear light, 0 to 1, of the values of a picture (the curve of sRGB).
const std::array<float, 256>& linearLight();

/// What each value of a picture becomes under each deviate of noise: a noisy sensor as one table.
class NoisyTones {
 public:
  NoisyTones();

  /// White stands for `electrons`; `gain` brightens linear light before that, `reading` as in
  /// PhotonTable. `quantiles` gives those of a mean in electrons.
  void set(double gain, double electrons,
           const std::function<void(double mean, Quantiles& found)>& quantiles);

  /// Every value of `picture` (8 bits, any number of channels) by itself, in place.
  void apply(cv::Mat& picture, const Chance& chance) const;

 private:
  std::vector<std::uint8_t> tones_;  ///< [256][kNoiseBins]
};

}  // namespace mpm::scenes
