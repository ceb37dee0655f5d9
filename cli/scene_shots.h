// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>

#include "models/scenes/camera.h"
#include "models/scenes/night.h"

namespace mpm::cli {

/// Frames of drawn streets, each of the seed and time that is asked for.
class SceneShots {
 public:
  /// `options`: but for the seed. `paperNight`: darkens every frame as the paper did.
  SceneShots(const scenes::CameraOptions& options, bool paperNight);

  void shoot(std::uint64_t seed, double time, cv::Mat& picture, cv::Mat& labels);
  const scenes::CameraOptions& options() const { return options_; }

 private:
  scenes::CameraOptions options_;
  std::unique_ptr<scenes::Camera> camera_;  // of options_.seed
  std::unique_ptr<scenes::PaperNight> night_;
};

}  // namespace mpm::cli
