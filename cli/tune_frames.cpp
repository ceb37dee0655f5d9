// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_frames.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <system_error>

#include "cli/video.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

// Where a frame is to be found.
struct Place {
  std::string path;
  int frame = -1;  // of a video
};

// Indices of `count` things spread over `all`, the middle of each part.
std::vector<int> spread(int all, int count) {
  std::vector<int> indices;
  count = std::min(all, count);
  for (int i = 0; i < count; ++i) indices.push_back(static_cast<int>((i + 0.5) * all / count));
  return indices;
}

std::vector<Place> picturesIn(const std::string& folder) {
  std::vector<Place> places;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.is_regular_file() && cv::haveImageReader(entry.path().string()))
      places.push_back({entry.path().string()});
  }
  if (failed)
    throw std::runtime_error("cannot read the folder " + folder + ": " + failed.message());
  if (places.empty()) throw std::runtime_error("there is no picture in the folder " + folder);
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.path < b.path; });
  return places;
}

// Where a video does not tell its length, its first frames.
std::vector<Place> framesIn(const std::string& path, int count) {
  cv::VideoCapture video;
  if (!openVideo(video, path))
    throw std::runtime_error("cannot open " + path +
                             " as a picture, a folder of pictures or a video");
  const int all = static_cast<int>(video.get(cv::CAP_PROP_FRAME_COUNT));
  std::vector<Place> places;
  for (const int frame : spread(all > 0 ? all : count, count)) places.push_back({path, frame});
  return places;
}

cv::Mat readFrame(const Place& place) {
  cv::Mat frame;
  if (place.frame < 0) {
    frame = cv::imread(place.path, cv::IMREAD_COLOR);
  } else {
    cv::VideoCapture video;
    openVideo(video, place.path);
    video.set(cv::CAP_PROP_POS_FRAMES, place.frame);
    video.read(frame);
  }
  return frame;
}

}  // namespace

std::vector<cv::Mat> spreadFrames(const std::vector<std::string>& inputs, int count) {
  std::vector<Place> places;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    std::vector<Place> more;
    if (fs::is_directory(input, ignored)) {
      more = picturesIn(input);
    } else if (fs::is_regular_file(input, ignored) && cv::haveImageReader(input)) {
      more = {{input}};
    } else {
      more = framesIn(input, count);
    }
    places.insert(places.end(), more.begin(), more.end());
  }
  std::vector<cv::Mat> frames;
  for (const int index : spread(static_cast<int>(places.size()), count)) {
    const Place& place = places[static_cast<std::size_t>(index)];
    cv::Mat frame = readFrame(place);
    if (!frame.empty()) {
      frames.push_back(frame);
    } else if (place.frame < 0) {
      throw std::runtime_error("cannot read the picture " + place.path);
    }  // a video may be shorter than it says
  }
  if (frames.empty()) throw std::runtime_error("cannot read a frame of " + inputs.front());
  return frames;
}

}  // namespace mpm::cli
