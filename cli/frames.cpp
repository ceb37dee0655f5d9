// SPDX-License-Identifier: Apache-2.0
#include "cli/frames.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <opencv2/dnn.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio/registry.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/wording.h"
#include "evaluate/pairs.h"
#include "monitor/source/readers.h"
#include "secrets/secrets.h"

namespace mpm::cli {

namespace {

namespace fs = std::filesystem;

bool isAddress(const std::string& input) { return input.find("://") != std::string::npos; }

// Recognises p_%03d.png; in an address a % encodes a letter.
bool isPatternOfNames(const std::string& input) {
  return input.find('%') != std::string::npos && !isAddress(input);
}

// Decides by the content, or by a name that promises a picture: a missing one must be reported.
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

// Lists the pictures that an input names, itself or a folder's; none for other files.
std::vector<std::string> picturesOf(const std::string& input) {
  std::error_code ignored;
  if (fs::is_directory(input, ignored)) return picturesIn(input);
  if (fs::is_regular_file(input, ignored) && cv::haveImageReader(input)) return {input};
  return {};
}

// Returns an empty picture if it cannot be read completely, or is longer than a JPEG's sides, which
// overlays need.
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

// Returns the last part of a path or an address, without characters that a file name should avoid.
std::string stemOf(const std::string& path) {
  std::string stem = fs::path(path).stem().string();
  for (char& c : stem) {
    if (static_cast<unsigned char>(c) <= ' ' || std::strchr("?&:*", c) != nullptr) c = '_';
  }
  return stem.empty() ? "frame" : stem;
}

// Returns indices of `count` things spread over `all`, the middle of each part.
std::vector<int> spread(int all, int count) {
  std::vector<int> indices;
  count = std::min(all, count);
  for (int i = 0; i < count; ++i) indices.push_back(static_cast<int>((i + 0.5) * all / count));
  return indices;
}

// Location of a frame.
struct Place {
  std::string path;
  int frame = -1;  // of a video
};

// Returns the first frames if a video does not report its length.
std::vector<Place> framesIn(const InputPlace& input, int count) {
  cv::VideoCapture video;
  open(video, input);
  const int all = monitor::promisedFrames(video.get(cv::CAP_PROP_FRAME_COUNT));
  std::vector<Place> places;
  for (const int frame : spread(all > 0 ? all : count, count))
    places.push_back({input.path, frame});
  return places;
}

// Returns an empty frame if a video is shorter than it says.
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
    // A pipe would block anybody who looks into it.
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
  // GStreamer reads nothing that FFmpeg cannot, and may leak what it cannot open.
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

namespace {

const std::vector<int>& imageShape(const Description& model) {
  if (model.inputs.size() != 1) {
    throw std::runtime_error("the model has " + std::to_string(model.inputs.size()) +
                             " inputs; expected one, an image");
  }
  const std::vector<int>& shape = model.inputs[0].shape;
  if (shape.size() != 4 || (shape[1] != 1 && shape[1] != 3 && shape[1] >= 0)) {
    throw std::runtime_error("the model's input " + model.inputs[0].name + " is " +
                             shapeText(shape) +
                             "; expected an image, [batch x 1 or 3 x height x width]");
  }
  return shape;
}

cv::Size sizeOf(const Description& model, const cv::Size& wanted) {
  const std::vector<int>& shape = imageShape(model);
  if (!wanted.empty()) return wanted;
  if (shape[2] > 0 && shape[3] > 0) return {shape[3], shape[2]};
  if (!model.input.empty()) return model.input;
  if (model.patchSize > 0 && !model.gridSize.empty()) return model.gridSize * model.patchSize;
  throw std::runtime_error(
      "the model's input takes any size; give one with --input-size, such as 512x384");
}

}  // namespace

cv::Mat pictureBlob(const cv::Mat& picture, const Description& model,
                    const segment::ModelMetadata& facts, const cv::Size& size) {
  const std::vector<int>& shape = imageShape(model);
  cv::Mat image = picture;
  if (shape[1] == 1) cv::cvtColor(picture, image, cv::COLOR_BGR2GRAY);
  const std::vector<cv::Mat> batch(std::max(1, shape[0]), image);
  cv::Mat blob = cv::dnn::blobFromImages(batch, 1 / 255.0, sizeOf(model, size), {},
                                         shape[1] == 3 && facts.rgb.value_or(true), false);
  const cv::Vec3f half = cv::Vec3f::all(0.5F);
  const cv::Vec3f mean = facts.mean.value_or(half), deviation = facts.std.value_or(half);
  for (int b = 0; b < blob.size[0]; ++b) {
    for (int c = 0; c < blob.size[1]; ++c) {
      cv::Mat plane(blob.size[2], blob.size[3], CV_32F, blob.ptr(b, c));
      plane.convertTo(plane, CV_32F, 1 / deviation[c], -mean[c] / deviation[c]);
    }
  }
  return blob;
}

std::vector<cv::Mat> calibrationBlobs(const std::string& path, ReadOptions options,
                                      const std::vector<cv::Mat>& frames) {
  options.check = false;  // convert proves the model
  const Description model = describe(path, options);
  checkCanMerge(model, path);
  const segment::ModelMetadata facts = segment::modelMetadata(path, model.metadata);
  std::vector<cv::Mat> blobs;
  for (const cv::Mat& frame : frames) {
    try {
      blobs.push_back(pictureBlob(frame, model, facts, options.inputSize));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
  }
  return blobs;
}

std::vector<TunedPrecision> comparePrecisions(const std::string& model,
                                              const SegmenterOptions& options,
                                              const std::vector<cv::Mat>& frames) {
  std::cerr << "mpm: comparing precisions on " << countText(frames.size(), "frame")
            << " to choose one" << std::endl;
  return tunePrecisions(model, options, frames);
}

void choosePrecision(const std::string& model, SegmenterOptions& options,
                     const std::vector<cv::Mat>& frames) {
  SegmenterOptions plain = options;
  plain.values = false;
  const std::vector<TunedPrecision> precisions = comparePrecisions(model, plain, frames);
  options.read.precision = fastestPrecision(precisions).precision;
  std::cerr << "mpm: " << precisionText(options.read.precision, precisions) << '\n';
}

}  // namespace mpm::cli
