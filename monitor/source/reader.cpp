// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>

#include "monitor/source/readers.h"
#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

// Limits FFmpeg's memory in this process, since a stream or video that grows tells its size only
// with a frame. A picture's largest plane has at most 4 bytes a pixel, above 16 bits a channel. One
// limit holds for all readers.
void limitFFmpegBlocks(double mostMegapixels) {
  constexpr double kBytes = 4e6, kLeast = 64e6, kMost = 2e9;  // FFmpeg's own limit is 2^31
  static std::atomic<double> limit{0};
  const double wanted = std::clamp(mostMegapixels * kBytes, kLeast, kMost);
  if (wanted <= limit) return;
  limit = wanted;
  auto* set = reinterpret_cast<void (*)(std::size_t)>(dlsym(RTLD_DEFAULT, "av_max_alloc"));
  if (set != nullptr) set(static_cast<std::size_t>(wanted));
}

// Extracts the message of OpenCV's exceptions, which begin with a source file and mark lines with
// "> ".
std::string sentenceOf(const std::exception& failure) {
  const auto* error = dynamic_cast<const cv::Exception*>(&failure);
  const std::string text = error != nullptr && !error->err.empty() ? error->err : failure.what();
  std::istringstream lines(text);
  std::string sentence;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("> ", 0) == 0) line.erase(0, 2);
    if (!line.empty()) sentence += (sentence.empty() ? "" : " ") + line;
  }
  return sentence;
}

// Returns the value of white; 0 if the depth is no picture's.
double whiteOf(int depth) {
  if (depth == CV_8U) return 255;
  if (depth == CV_16U) return 65535;
  return depth == CV_32F || depth == CV_64F ? 1 : 0;
}

}  // namespace

std::unique_ptr<Reader> makeReader(const SourceAddress& address, const ReaderOptions& options) {
  secrets::keepFFmpegQuiet();
  limitFFmpegBlocks(options.mostMegapixels);
  switch (address.kind) {
    case SourceKind::scene:
      return makeSceneReader(address, options);
    case SourceKind::camera:
      return makeCameraReader(address, options);
    case SourceKind::video:
      return makeVideoReader(address, options);
    case SourceKind::folder:
    case SourceKind::picture:
      return makeFolderReader(address, options);
    case SourceKind::stream:
      return makeStreamReader(address, options);
    case SourceKind::pipeline:
      return makePipelineReader(address, options);
  }
  throw std::invalid_argument(address.shown + " is not a known kind of source");
}

cv::Mat bgrOf(const cv::Mat& picture) {
  const double white = whiteOf(picture.depth());
  if (picture.empty() || picture.dims != 2 || white <= 0) return {};
  if (picture.type() == CV_8UC3) return picture;
  cv::Mat bytes = picture;
  if (picture.depth() != CV_8U) picture.convertTo(bytes, CV_8U, 255 / white);
  cv::Mat bgr;
  switch (picture.channels()) {
    case 1:
      cv::cvtColor(bytes, bgr, cv::COLOR_GRAY2BGR);
      return bgr;
    case 3:
      return bytes;
    case 4:
      cv::cvtColor(bytes, bgr, cv::COLOR_BGRA2BGR);
      return bgr;
    default:
      return {};
  }
}

void GuardedReader::tell(const std::string& fault) { fault_ = secrets::withoutSecrets(fault); }

bool GuardedReader::refuse(const std::string& fault) {
  tell(fault);
  return false;
}

bool GuardedReader::fits(const cv::Size& size) {
  if (!isTooLarge(size)) return true;
  return refuse(
      cv::format("%s gives pictures of %d x %d pixels, more than the limit of %g megapixels: use "
                 "smaller ones, or allow more (--max-megapixels)",
                 address_.shown.c_str(), size.width, size.height, options_.mostMegapixels));
}

ReadStatus GuardedReader::fail(const std::string& fault) {
  tell(fault);
  return ReadStatus::failed;
}

bool GuardedReader::open() {
  fault_.clear();
  try {
    return openSource();
  } catch (const std::exception& failure) {
    return refuse(address_.shown + " cannot be opened: " + sentenceOf(failure));
  }
}

ReadStatus GuardedReader::read(Shot& shot) {
  const cv::Mat room = shot.room;
  shot = {};
  shot.room = room;
  try {
    const ReadStatus status = readSource(shot);
    if (status != ReadStatus::frame || fits(shot.picture.size())) return status;
    shot = {};
    return ReadStatus::failed;
  } catch (const std::exception& failure) {
    return fail(address_.shown + " cannot be read: " + sentenceOf(failure));
  }
}

bool GuardedReader::seek(std::int64_t positionMs) {
  try {
    return seekSource(positionMs);
  } catch (const std::exception& failure) {
    return refuse(address_.shown + " cannot seek: " + sentenceOf(failure));
  }
}

}  // namespace mpm::monitor
