// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/chance.h"
#include "models/scenes/exposure.h"
#include "models/scenes/noisy_tones.h"

namespace mpm::scenes {

/// A lens that is not quite sharp, a sensor that counts electrons, and JPEG.
class Sensor {
 public:
  Sensor();

  /// Turns an ideal picture (CV_8UC3) into what the camera hands out. The noise is the chance's.
  void take(cv::Mat& picture, const Exposure& exposure, const Chance& chance);

 private:
  PhotonTable photons_;
  NoisyTones tones_;
  Exposure made_{0, 0};  // what tones_ are for
  std::vector<unsigned char> jpeg_;
};

}  // namespace mpm::scenes
