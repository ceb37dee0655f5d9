// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "cli/scene_plan.h"
#include "models/scenes/camera.h"
#include "models/scenes/noise.h"

namespace mpm::cli {

/// Frames of drawn streets, each of the seed and time that is asked for.
class SceneShots {
 public:
  /// `options`: but for the seed. `paperNight`: darkens every frame as the paper did.
  SceneShots(const scenes::CameraOptions& options, bool paperNight);

  void shoot(std::uint64_t seed, double time, cv::Mat& picture, cv::Mat& labels);
  const cv::Mat& puddles() const { return camera_->puddles(); }  ///< of what was shot last
  const scenes::CameraOptions& options() const { return options_; }

 private:
  scenes::CameraOptions options_;
  std::unique_ptr<scenes::Camera> camera_;  // of options_.seed
  std::unique_ptr<scenes::PaperNight> night_;
};

struct SceneFolder {
  std::string path;
  bool jpeg = false, overlay = false;
  bool json = false;  ///< a line for each frame on stdout
};

/// Writes images/NAME.png, labels/NAME.png (a pixel's value is its class), where asked for
/// overlays/NAME.jpg, and classes.txt; of shots with puddles also puddles/NAME.png (0 puddle, 1
/// other road and pavement, 2 everything else) and puddles/classes.txt. std::runtime_error where
/// one of them cannot be written.
void writeSceneFolder(ScenePlan& plan, SceneShots& shots, const SceneFolder& folder);

/// Writes a frame's bytes, BGR, and those of its labels, and the next frame's, to a file or, where
/// that is "-", to stdout; ends quietly when whoever reads them has gone.
void writeSceneBytes(ScenePlan& plan, SceneShots& shots, const std::string& file);

struct SceneVideo {
  std::string path;  ///< .mp4 or .avi
  double seconds = 20, fps = 30;
  bool json = false;
};

/// UsageError where the name is none of a video that can be written.
void checkVideoName(const std::string& path);

/// Plays a street from the plan's first frame on, at the camera's clock.
void writeSceneVideo(ScenePlan& plan, SceneShots& shots, const SceneVideo& video);

}  // namespace mpm::cli
