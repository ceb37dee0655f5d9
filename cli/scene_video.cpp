// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <string>

#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/scene_output.h"
#include "cli/usage_error.h"
#include "cli/video.h"

namespace mpm::cli {
namespace {

bool isAvi(const std::string& path) { return std::filesystem::path(path).extension() == ".avi"; }

// Motion JPEG is OpenCV's own; anything else is FFmpeg's or GStreamer's.
void openWriter(cv::VideoWriter& writer, const SceneVideo& video, cv::Size size) {
  checkOutputFile(video.path);
  if (isAvi(video.path)) {
    const int code = cv::VideoWriter::fourcc('M', 'J', 'P', 'G');
    if (writer.open(video.path, cv::CAP_OPENCV_MJPEG, code, video.fps, size)) return;
    throw std::runtime_error("cannot write " + video.path);
  }
  const int code = cv::VideoWriter::fourcc('m', 'p', '4', 'v');
  if (writer.open(video.path, cv::CAP_FFMPEG, code, video.fps, size)) return;
  throw std::runtime_error("cannot write " + video.path +
                           ": this OpenCV has no FFmpeg that takes it; an .avi it writes itself");
}

// A writer tells of no error, a full disk's included: whether the video is there, reading it says.
void checkWritten(const std::string& path, int frames) {
  cv::VideoCapture written;
  const int found = openVideo(written, path)
                        ? static_cast<int>(std::lround(written.get(cv::CAP_PROP_FRAME_COUNT)))
                        : 0;
  if (found == frames) return;
  throw std::runtime_error(
      cv::format("cannot write %s: %d of %d frames have arrived in it; is the disk full?",
                 path.c_str(), found, frames));
}

}  // namespace

void checkVideoName(const std::string& path) {
  if (isAvi(path) || std::filesystem::path(path).extension() == ".mp4") return;
  throw UsageError("--video " + path + " is no video that can be written; .mp4 and .avi are");
}

void writeSceneVideo(ScenePlan& plan, SceneShots& shots, const SceneVideo& video) {
  const int frames = std::max(1, static_cast<int>(std::lround(video.seconds * video.fps)));
  const double clock = shots.options().clock;
  SceneFrame first;
  plan.next(first);
  cv::VideoWriter writer;
  openWriter(writer, video, shots.options().size);
  {
    Progress progress("drawing");
    cv::Mat picture, labels;
    for (int i = 0; i < frames; ++i) {
      shots.shoot(first.seed, first.second + i / video.fps * clock, picture, labels);
      writer.write(picture);
      progress.show((i + 1.0) / frames);
    }
  }
  writer.release();
  checkWritten(video.path, frames);
  if (video.json) {
    const nlohmann::ordered_json line = {{"video", video.path},
                                         {"frames", frames},
                                         {"fps", video.fps},
                                         {"seed", first.seed},
                                         {"hour", first.second / 3600.0},
                                         {"clock", clock}};
    std::cout << line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
  } else {
    std::cout << "wrote " << frames << " frames to " << video.path << '\n';
  }
}

}  // namespace mpm::cli
