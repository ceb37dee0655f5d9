// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/camera.h"
#include "models/scenes/chance.h"
#include "models/scenes/noise.h"

namespace mpm::scenes {

/// How a frame is exposed.
struct Exposure {
  double gain = 1;          ///< of linear light, against what the light asks for
  double electrons = 9000;  ///< that white stands for, as the frame shows it
};

/// What the camera's exposure has come to at this time of the scene. It wants level ^ -kMetering:
/// by night a little more than the light's own 1 / level, since a meter takes dark walls for grey.
/// It follows within about kExposureLag seconds of the camera, with longer shutter times first,
/// then with amplification, until neither has any more.
Exposure exposureAt(const CameraOptions& options, double time);

constexpr double kExposureLag = 2, kMetering = 1.06;
constexpr int kQuality = 88, kLowQuality = 60;  ///< of JPEGs

/// A lens that is not quite sharp, a sensor that counts electrons, and JPEG.
class Sensor {
 public:
  Sensor();

  /// Turns an ideal picture (CV_8UC3) into what the camera hands out. The noise is the chance's.
  /// `quality`: of the JPEG.
  void take(cv::Mat& picture, const Exposure& exposure, const Chance& chance,
            int quality = kQuality);

 private:
  PhotonTable photons_;
  NoisyTones tones_;
  Exposure made_{0, 0};  // what tones_ are for
  std::vector<unsigned char> jpeg_;
};

}  // namespace mpm::scenes
