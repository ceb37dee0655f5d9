// SPDX-License-Identifier: Apache-2.0
#include "cli/segment_frames.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <system_error>

#include "cli/video.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> picturesIn(const std::string& folder) {
  std::vector<std::string> pictures;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file() && cv::haveImageReader(path)) pictures.push_back(path);
  }
  if (failed) {
    throw std::runtime_error("cannot read the folder " + folder + ": " + failed.message());
  }
  if (pictures.empty()) throw std::runtime_error("there is no picture in the folder " + folder);
  std::sort(pictures.begin(), pictures.end());
  return pictures;
}

[[noreturn]] void refuse(const std::string& path) {
  throw std::runtime_error("cannot open " + path +
                           " as a picture, a folder of pictures, a video or an address");
}

// The last part of a path or an address, without what a file's name should not hold.
std::string stemOf(const std::string& path) {
  std::string stem = fs::path(path).stem().string();
  for (char& c : stem) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '&' || c == ':') c = '_';
  }
  return stem.empty() ? "frame" : stem;
}

}  // namespace

InputFrames::InputFrames(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (fs::is_directory(input, ignored)) {
      for (const std::string& picture : picturesIn(input)) sources_.push_back({picture, true});
    } else if (fs::is_regular_file(input, ignored) && cv::haveImageReader(input)) {
      sources_.push_back({input, true});
    } else {
      // Now, so that nothing has been written when the last of many inputs is wrong.
      cv::VideoCapture video;
      if (!openVideo(video, input)) refuse(input);
      sources_.push_back({input, false});
    }
  }
}

std::string InputFrames::unusedName(const std::string& name) {
  std::string unused = name;
  for (int copy = 2; !names_.insert(unused).second; ++copy) {
    unused = name + "_" + std::to_string(copy);
  }
  return unused;
}

bool InputFrames::nextOfVideo(InputFrame& frame) {
  const std::string& path = sources_[source_].path;
  if (!video_.isOpened()) {
    if (!openVideo(video_, path)) refuse(path);
    videoFrame_ = 0;
  }
  if (!video_.read(frame.picture)) {
    video_.release();
    return false;
  }
  char number[16];
  std::snprintf(number, sizeof number, "_%06d", videoFrame_);
  frame.source = path;
  frame.index = videoFrame_++;
  frame.name = unusedName(stemOf(path) + number);
  return true;
}

bool InputFrames::next(InputFrame& frame) {
  for (; source_ < sources_.size(); ++source_) {
    const Source& source = sources_[source_];
    if (!source.isPicture) {
      if (nextOfVideo(frame)) return true;
      continue;
    }
    frame.picture = cv::imread(source.path, cv::IMREAD_COLOR);
    if (frame.picture.empty()) throw std::runtime_error("cannot read the picture " + source.path);
    frame.source = source.path;
    frame.index = 0;
    frame.name = unusedName(stemOf(source.path));
    ++source_;
    return true;
  }
  return false;
}

double InputFrames::share() const {
  double done = static_cast<double>(source_);
  if (video_.isOpened()) {
    const double all = video_.get(cv::CAP_PROP_FRAME_COUNT);
    if (all > 0) done += std::min(1.0, videoFrame_ / all);
  }
  return done / static_cast<double>(std::max<std::size_t>(sources_.size(), 1));
}

}  // namespace mpm::cli
