// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "monitor/camera/bytes.h"
#include "monitor/camera/view.h"

// A view as bytes, for the machine that wrote them: a version, then each light: its numbers, and
// its five pictures as rows, columns and half floats.
namespace mpm::monitor {
namespace {

constexpr std::uint32_t kVersion = 0x4d505601;
constexpr int kMostSide = 4096;

void putPicture(std::string& bytes, const cv::Mat& picture) {
  put(bytes, picture.rows);
  put(bytes, picture.cols);
  if (picture.empty()) return;
  cv::Mat half;
  picture.convertTo(half, CV_16F);
  bytes.append(reinterpret_cast<const char*>(half.data), half.total() * half.elemSize());
}

bool takePicture(std::string_view& bytes, cv::Mat& picture) {
  int rows = 0, cols = 0;
  if (!take(bytes, rows) || !take(bytes, cols)) return false;
  if (rows < 0 || cols < 0 || rows > kMostSide || cols > kMostSide) return false;
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * 2;
  if (bytes.size() < size) return false;
  picture = cv::Mat();
  if (size == 0) return true;
  cv::Mat half(rows, cols, CV_16F);
  std::memcpy(half.data, bytes.data(), size);
  bytes.remove_prefix(size);
  half.convertTo(picture, CV_32F);
  return cv::checkRange(picture);
}

}  // namespace

std::string View::bytes() const {
  std::string bytes;
  put(bytes, kVersion);
  for (const Learnt& learnt : learnt_) {
    for (const double number : {learnt.seconds, learnt.kept, learnt.sharp, learnt.sharpSeconds}) {
      put(bytes, number);
    }
    for (const cv::Mat* picture :
         {&learnt.details, &learnt.coarse, &learnt.longDetails, &learnt.longCoarse, &learnt.fine}) {
      putPicture(bytes, *picture);
    }
  }
  return bytes;
}

bool View::learnFrom(std::string_view bytes) {
  std::uint32_t version = 0;
  if (!take(bytes, version) || version != kVersion) return false;
  std::array<Learnt, kLightStates> found;
  for (Learnt& learnt : found) {
    for (double* number : {&learnt.seconds, &learnt.kept, &learnt.sharp, &learnt.sharpSeconds}) {
      if (!take(bytes, *number) || !(*number >= 0) || !std::isfinite(*number)) return false;
    }
    for (cv::Mat* picture :
         {&learnt.details, &learnt.coarse, &learnt.longDetails, &learnt.longCoarse, &learnt.fine}) {
      if (!takePicture(bytes, *picture)) return false;
    }
    // Those that are compared with each other are of one size, as learn() makes them.
    const cv::Size half = learnt.coarse.size(), whole = learnt.fine.size();
    const bool fits = learnt.details.size() == half &&
                      (learnt.longCoarse.empty() || learnt.longCoarse.size() == half) &&
                      learnt.longDetails.size() == learnt.longCoarse.size() &&
                      whole.empty() == learnt.longCoarse.empty() &&
                      (whole.empty() || half == cv::Size(std::max(1, whole.width / 2),
                                                         std::max(1, whole.height / 2)));
    if (!fits || (learnt.seconds > 0) == half.empty()) return false;
  }
  if (!bytes.empty()) return false;
  learnt_ = std::move(found);
  return true;
}

}  // namespace mpm::monitor
