// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/camera.h"

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

}  // namespace mpm::scenes
