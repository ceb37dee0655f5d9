// SPDX-License-Identifier: Apache-2.0
#include "cli/frames.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio/registry.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/wording.h"
#include "evaluate/pair_files.h"
#include "monitor/source/readers.h"
#include "secrets/secrets.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

bool isAddress(const std::string& input) { return input.find("://") != std::string::npos; }

// p_%03d.png; in an address a % stands for a letter.
bool isPatternOfNames(const std::string& input) {
  return input.find('%') != std::string::npos && !isAddress(input);
}

// By what the file holds, or by a name that promises a picture: that it holds none has to be told.
bool looksLikePicture(const std::string& path) {
  return cv::haveImageReader(path) || (fs::path(path).has_extension() && cv::haveImageWriter(path));
}

std::vector<std::string> picturesIn(const std::string& folder) {
  std::vector<std::string> pictures;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file() && looksLikePicture(path)) pictures.push_back(path);
  }
  if (failed) {
    throw std::runtime_error("cannot read the folder " + folder + ": " + failed.message());
  }
  if (pictures.empty()) throw std::runtime_error("there are no pictures in the folder " + folder);
  std::sort(pictures.begin(), pictures.end());
  return pictures;
}

// Those that an input names, itself or a folder's; none of what is not a picture.
std::vector<std::string> picturesOf(const std::string& input) {
  std::error_code ignored;
  if (fs::is_directory(input, ignored)) return picturesIn(input);
  if (fs::is_regular_file(input, ignored) && cv::haveImageReader(input)) return {input};
  return {};
}

// Empty where that cannot be read as a whole, or is longer than a JPEG's sides, as overlays are.
cv::Mat pictureAt(const std::string& path) {
  constexpr int kLongestSide = 65500;
  const cv::Mat picture = evaluate::readPhotoFile(path);
  return std::max(picture.cols, picture.rows) > kLongestSide ? cv::Mat() : picture;
}

void open(cv::VideoCapture& video, const InputPlace& input) {
  if (openVideo(video, input.path)) return;
  std::error_code ignored;
  if (!isAddress(input.path) && !isPatternOfNames(input.path) && !fs::exists(input.path, ignored))
    throw std::runtime_error("there is no file or folder " + input.shown);
  const bool readsVideos = cv::videoio_registry::hasBackend(cv::CAP_FFMPEG) ||
                           cv::videoio_registry::hasBackend(cv::CAP_GSTREAMER);
  throw std::runtime_error("cannot open " + input.shown +
                           (readsVideos
                                ? " as a picture, a folder of pictures, a video or an address"
                                : " as a picture or a folder of pictures; this OpenCV has no "
                                  "FFmpeg, and the only videos it opens are Motion JPEG (.avi)"));
}

// The last part of a path or an address, without what a file's name should not hold.
std::string stemOf(const std::string& path) {
  std::string stem = fs::path(path).stem().string();
  for (char& c : stem) {
    if (static_cast<unsigned char>(c) <= ' ' || std::strchr("?&:*", c) != nullptr) c = '_';
  }
  return stem.empty() ? "frame" : stem;
}

// Indices of `count` things spread over `all`, the middle of each part.
std::vector<int> spread(int all, int count) {
  std::vector<int> indices;
  count = std::min(all, count);
  for (int i = 0; i < count; ++i) indices.push_back(static_cast<int>((i + 0.5) * all / count));
  return indices;
}

// Where a frame is to be found.
struct Place {
  std::string path;
  int frame = -1;  // of a video
};

// Where a video does not tell its length, its first frames.
std::vector<Place> framesIn(const InputPlace& input, int count) {
  cv::VideoCapture video;
  open(video, input);
  const int all = monitor::promisedFrames(video.get(cv::CAP_PROP_FRAME_COUNT));
  std::vector<Place> places;
  for (const int frame : spread(all > 0 ? all : count, count))
    places.push_back({input.path, frame});
  return places;
}

// Empty where a video is shorter than it says.
cv::Mat readFrame(const Place& place) {
  if (place.frame < 0) return readPicture(place.path);
  cv::VideoCapture video;
  cv::Mat frame;
  openVideo(video, place.path);
  video.set(cv::CAP_PROP_POS_FRAMES, place.frame);
  video.read(frame);
  return frame;
}

}  // namespace

InputPlace placeOf(const std::string& input) {
  std::string path = secrets::addressOf(input);
  std::string shown = isAddress(path) ? secrets::withoutSecrets(path) : path;
  return {std::move(path), std::move(shown)};
}

std::vector<std::string> filesOfInput(const std::string& typed) {
  const std::string input = placeOf(typed).path;
  std::error_code ignored;
  const bool isPattern = isPatternOfNames(input) && !fs::exists(input, ignored);
  const fs::path place = isPattern ? fs::absolute(input).parent_path() : fs::path(input);
  std::vector<std::string> files;
  if (input != typed) files.push_back(typed.substr(1));
  if (!fs::is_directory(place, ignored)) {
    files.push_back(input);
    return files;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored)) {
    // A pipe would keep everybody waiting who looks into it.
    if (entry.is_regular_file(ignored) && looksLikePicture(entry.path().string()))
      files.push_back(entry.path().string());
  }
  return files;
}

cv::Mat readPicture(const std::string& path) {
  const cv::Mat picture = pictureAt(path);
  if (!picture.empty()) return picture;
  const bool opens = std::ifstream(path).is_open();
  throw std::runtime_error("cannot read the picture " + path + ": " +
                           (opens ? "it is broken, too large, or not a picture"
                                  : std::generic_category().message(errno)));
}

bool openVideo(cv::VideoCapture& video, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::is_character_file(input, ignored)) return video.open(input, cv::CAP_V4L2);
  const bool isFile = std::filesystem::is_regular_file(input, ignored);
  if (!isFile && isPatternOfNames(input)) return video.open(input, cv::CAP_IMAGES);
  if (!isFile && !isAddress(input)) return false;
  secrets::keepFFmpegQuiet();
  // GStreamer reads nothing that FFmpeg does not, and what it does not open it may never let go of.
  const int main =
      cv::videoio_registry::hasBackend(cv::CAP_FFMPEG) ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER;
  return video.open(input, main) || video.open(input, cv::CAP_OPENCV_MJPEG);
}

InputFrames::InputFrames(const std::vector<std::string>& inputs) {
  for (const std::string& typed : inputs) {
    const InputPlace input = placeOf(typed);
    const std::vector<std::string> pictures = picturesOf(input.path);
    for (const std::string& picture : pictures) sources_.push_back({{picture, picture}, true});
    if (!pictures.empty()) continue;
    cv::VideoCapture
        video;  // now, so that nothing is written when the last of many inputs is wrong
    open(video, input);
    sources_.push_back({input, false});
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
  const InputPlace& place = sources_[source_].place;
  if (!video_.isOpened()) {
    open(video_, place);
    videoFrame_ = 0;
  }
  if (!video_.read(frame.picture)) {
    if (videoFrame_ == 0) leftOut_.push_back(place.shown);
    video_.release();
    return false;
  }
  char number[16];
  std::snprintf(number, sizeof number, "_%06d", videoFrame_);
  frame.source = place.shown;
  frame.index = videoFrame_++;
  frame.name = unusedName(stemOf(place.shown) + number);
  return true;
}

bool InputFrames::next(InputFrame& frame) {
  for (; source_ < sources_.size(); ++source_) {
    const Source& source = sources_[source_];
    if (!source.isPicture) {
      if (nextOfVideo(frame)) return true;
      continue;
    }
    frame.picture = pictureAt(source.place.path);
    if (frame.picture.empty()) {
      leftOut_.push_back(source.place.shown);
      continue;
    }
    frame.source = source.place.shown;
    frame.index = 0;
    frame.name = unusedName(stemOf(source.place.shown));
    ++source_;
    return true;
  }
  return false;
}

std::string InputFrames::leftOut() const {
  if (leftOut_.empty()) return "";
  constexpr std::size_t kTold = 3;
  std::string text = "left out " + std::to_string(leftOut_.size()) + " of " +
                     countText(sources_.size(), "input") +
                     " (broken, too large, or without a frame): ";
  for (std::size_t i = 0; i < std::min(kTold, leftOut_.size()); ++i) {
    text += (i == 0 ? "" : ", ") + leftOut_[i];
  }
  return text + (leftOut_.size() > kTold ? ", ..." : "");
}

double InputFrames::share() const {
  double done = static_cast<double>(source_);
  if (video_.isOpened()) {
    const double all = video_.get(cv::CAP_PROP_FRAME_COUNT);
    if (all > 0) done += std::min(1.0, videoFrame_ / all);
  }
  return done / static_cast<double>(std::max<std::size_t>(sources_.size(), 1));
}

std::vector<cv::Mat> spreadFrames(const std::vector<std::string>& inputs, int count) {
  std::vector<Place> places;
  for (const std::string& typed : inputs) {
    const InputPlace input = placeOf(typed);
    const std::vector<std::string> pictures = picturesOf(input.path);
    std::vector<Place> more;
    for (const std::string& picture : pictures) more.push_back({picture});
    if (pictures.empty()) more = framesIn(input, count);
    places.insert(places.end(), more.begin(), more.end());
  }
  std::vector<cv::Mat> frames;
  for (const int index : spread(static_cast<int>(places.size()), count)) {
    cv::Mat frame = readFrame(places[static_cast<std::size_t>(index)]);
    if (!frame.empty()) frames.push_back(frame);
  }
  if (frames.empty()) {
    throw std::runtime_error("cannot read a frame of " + placeOf(inputs.front()).shown);
  }
  return frames;
}

}  // namespace mpm::cli
