// SPDX-License-Identifier: Apache-2.0
#include "cli/scene_shots.h"

#include <bit>

#include "models/scenes/chance.h"

namespace mpm::cli {

SceneShots::SceneShots(const scenes::CameraOptions& options, bool paperNight) : options_(options) {
  if (paperNight) night_ = std::make_unique<scenes::PaperNight>();
}

void SceneShots::shoot(std::uint64_t seed, double time, cv::Mat& picture, cv::Mat& labels) {
  if (!camera_ || options_.seed != seed) {
    options_.seed = seed;
    camera_ = std::make_unique<scenes::Camera>(options_);
  }
  camera_->shoot(time, picture, labels);
  if (night_)
    night_->darken(picture, scenes::Chance(seed).bits(std::bit_cast<std::uint64_t>(time)));
}

}  // namespace mpm::cli
