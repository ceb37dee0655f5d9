// SPDX-License-Identifier: Apache-2.0
#include "cli/scene_output.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "cli/frames.h"
#include "cli/input_files.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/usage_error.h"
#include "cli/wording.h"
#include "models/scenes/camera.h"
#include "models/scenes/chance.h"
#include "models/scenes/classes.h"
#include "models/scenes/light.h"
#include "monitor/source/readers.h"
#include "segment/pictures.h"

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

SceneBytes::SceneBytes(const std::string& file)
    : name_(file == "-" ? "the standard output" : file) {
  if (file != "-") {
    output_.emplace(file);
    file_ = ::open(output_->part().c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (file_ < 0) fail();
  if (isatty(file_) == 1) {
    throw UsageError("--raw " + file +
                     " would write bytes to a terminal; write to a pipe or a file");
  }
  std::signal(SIGPIPE, SIG_IGN);
}

SceneBytes::~SceneBytes() {
  if (file_ > 1) ::close(file_);
}

void SceneBytes::write(ScenePlan& plan, SceneShots& shots) {
  cv::Mat picture, labels;
  for (SceneFrame frame; plan.next(frame);) {
    shots.shoot(frame.seed, frame.second, picture, labels);
    CV_Assert(picture.isContinuous() && labels.isContinuous());
    if (!put(picture) || !put(labels)) return;
  }
  if (output_) output_->finish();
}

bool SceneBytes::put(const cv::Mat& picture) const {
  const unsigned char* bytes = picture.data;
  for (std::size_t left = picture.total() * picture.elemSize(); left > 0;) {
    const ssize_t written = ::write(file_, bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0) fail();
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
  return true;
}

void SceneBytes::fail() const {
  throw std::runtime_error("cannot write to " + name_ + ": " +
                           std::generic_category().message(errno));
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string classesText() {
  std::string text;
  for (const scenes::ClassFacts& one : scenes::kClassFacts) {
    text += one.name;
    text += cv::format("\t#%02x%02x%02x\n", one.colour[2], one.colour[1], one.colour[0]);
  }
  return text;
}

constexpr const char* kPuddleClasses = "puddle\t#3c78d2\nground\t#8a8a80\nother\t#404048\n";

// As kPuddleClasses counts.
cv::Mat puddlePainting(const cv::Mat& labels, const cv::Mat& puddles) {
  cv::Mat painting(labels.size(), CV_8U, cv::Scalar(2));
  painting.setTo(1, labels == static_cast<int>(scenes::Class::road));
  painting.setTo(1, labels == static_cast<int>(scenes::Class::pavement));
  painting.setTo(0, puddles);
  return painting;
}

Json frameFacts(const SceneFrame& frame, scenes::WeatherKind kind) {
  const double time = frame.second;
  const scenes::Weather weather = scenes::weatherAt(frame.seed, time, kind);
  const scenes::Light light = scenes::lightAt(frame.seed, time, weather);
  return {{"seed", frame.seed},
          {"hour", rounded(time / 3600, 4)},
          {"weather", scenes::nameOf(weather.kind())},
          {"level", rounded(light.level, 4)},
          {"lamps", rounded(light.lamps, 4)}};
}

}  // namespace

void writeSceneFolder(ScenePlan& plan, SceneShots& shots, const SceneFolder& folder) {
  const fs::path root = folder.path;
  const bool puddles = shots.options().puddles;
  for (const char* name : {"images", "labels"}) makeFolder(root / name);
  if (folder.overlay) makeFolder(root / "overlays");
  writeFile(root / "classes.txt", classesText());
  if (puddles) {
    makeFolder(root / "puddles");
    writeFile(root / "puddles/classes.txt", kPuddleClasses);
  }
  const std::vector<cv::Vec3b> colours = scenes::classColours();
  // Labels compress well anyhow, and noise does not.
  const std::vector<int> how = {cv::IMWRITE_JPEG_QUALITY, 92, cv::IMWRITE_PNG_COMPRESSION, 1};
  const std::string ending = folder.jpeg ? ".jpg" : ".png";
  int count = 0;
  {
    Progress progress("drawing");
    cv::Mat picture, labels;
    for (SceneFrame frame; plan.next(frame); ++count, progress.show(plan.share())) {
      shots.shoot(frame.seed, frame.second, picture, labels);
      const std::string name = nameOf(frame);
      Json line = {{"image", "images/" + name + ending}, {"labels", "labels/" + name + ".png"}};
      writePicture(root / line["image"], picture, how);
      writePicture(root / line["labels"], labels, how);
      if (puddles) {
        line["puddles"] = "puddles/" + name + ".png";
        writePicture(root / line["puddles"], puddlePainting(labels, shots.puddles()), how);
      }
      if (folder.overlay) {
        line["overlay"] = "overlays/" + name + ".jpg";
        writePicture(root / line["overlay"], drawOverlay(picture, labels, colours), how);
      }
      line.update(frameFacts(frame, shots.options().weather));
      if (folder.json) std::cout << line.dump() << '\n';
    }
  }
  if (folder.json) return;
  std::cout << "wrote " << countText(count, "frame") << " and " << (count == 1 ? "its" : "their")
            << " labels to " << folder.path << '\n';
}

namespace {

bool isAvi(const std::string& path) { return std::filesystem::path(path).extension() == ".avi"; }

// Motion JPEG is OpenCV's own; anything else is FFmpeg's or GStreamer's.
void openWriter(cv::VideoWriter& writer, const std::string& part, const SceneVideo& video,
                cv::Size size) {
  if (isAvi(video.path)) {
    const int code = cv::VideoWriter::fourcc('M', 'J', 'P', 'G');
    if (writer.open(part, cv::CAP_OPENCV_MJPEG, code, video.fps, size)) return;
    throw std::runtime_error("cannot write " + video.path);
  }
  const int code = cv::VideoWriter::fourcc('m', 'p', '4', 'v');
  if (writer.open(part, cv::CAP_FFMPEG, code, video.fps, size)) return;
  throw std::runtime_error(
      "cannot write " + video.path +
      ": this OpenCV has no FFmpeg that can write it; use a name that ends in .avi");
}

// A writer tells of no error, a full disk's included: whether the video is there, reading it says.
void checkWritten(const std::string& part, const std::string& path, int frames) {
  cv::VideoCapture written;
  const int found =
      openVideo(written, part) ? monitor::promisedFrames(written.get(cv::CAP_PROP_FRAME_COUNT)) : 0;
  if (found == frames) return;
  throw std::runtime_error(
      cv::format("cannot write %s: %d of %d frames have arrived in it; is the disk full?",
                 path.c_str(), found, frames));
}

}  // namespace

void checkVideoName(const std::string& path) {
  if (isAvi(path) || std::filesystem::path(path).extension() == ".mp4") return;
  throw UsageError("--video " + path + " cannot be written; use a name that ends in .mp4 or .avi");
}

void writeSceneVideo(ScenePlan& plan, SceneShots& shots, const SceneVideo& video) {
  const int frames = std::max(1, static_cast<int>(std::lround(video.seconds * video.fps)));
  const double clock = shots.options().clock;
  SceneFrame first;
  plan.next(first);
  cv::VideoWriter writer;
  InputFiles().checkOutput(video.path);
  OutputFile file(video.path, isAvi(video.path) ? ".avi" : ".mp4");  // which tells the format
  openWriter(writer, file.part().string(), video, shots.options().size);
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
  checkWritten(file.part().string(), video.path, frames);
  file.finish();
  if (video.json) {
    const Json line = {{"video", video.path},
                       {"frames", frames},
                       {"fps", video.fps},
                       {"seed", first.seed},
                       {"hour", first.second / 3600.0},
                       {"clock", clock}};
    std::cout << jsonText(line, -1);
  } else {
    std::cout << "wrote " << frames << " frames to " << video.path << '\n';
  }
}

}  // namespace mpm::cli
