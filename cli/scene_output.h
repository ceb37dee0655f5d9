// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "cli/output_file.h"
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

/// Frames as bytes, in a file, a pipe or, where that is "-", on stdout.
class SceneBytes {
 public:
  /// UsageError where that is a terminal, std::runtime_error where it cannot be written.
  explicit SceneBytes(const std::string& file);
  ~SceneBytes();
  SceneBytes(const SceneBytes&) = delete;
  SceneBytes& operator=(const SceneBytes&) = delete;

  bool isFile() const { return output_ && output_->isFile(); }

  /// A frame's bytes, BGR, and those of its labels, and the next frame's; ends quietly when whoever
  /// reads them has gone. A file is there as a whole or not at all.
  void write(ScenePlan& plan, SceneShots& shots);

 private:
  bool put(const cv::Mat& picture) const;  // false where nobody reads any more
  [[noreturn]] void fail() const;

  std::string name_;
  std::optional<OutputFile> output_;
  int file_ = 1;
};

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
