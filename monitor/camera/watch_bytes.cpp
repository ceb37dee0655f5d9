// SPDX-License-Identifier: Apache-2.0
// What a watch knows as bytes, for the machine that wrote them: a version, what is usual of change
// and of exposure in each light, and the view. A view: a version, then each light: its numbers, and
// its five pictures as rows, columns and half floats.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "monitor/camera/camera_watch.h"
#include "monitor/camera/view.h"

namespace mpm::monitor {
namespace {

/// Values one behind the other, for the machine that wrote them.
template <typename Value>
void put(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The first value, which is taken off; false: there are too few bytes.
template <typename Value>
bool take(std::string_view& bytes, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

constexpr std::uint32_t kViewVersion = 0x4d505601;
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

constexpr std::uint32_t kWatchVersion = 0x4d504301;

bool takeShare(std::string_view& bytes, double& share) {
  return take(bytes, share) && share >= 0 && share <= 1;
}

bool takeDuration(std::string_view& bytes, double& ms) {
  return take(bytes, ms) && ms >= 0 && std::isfinite(ms);
}

}  // namespace

std::string View::bytes() const {
  std::string bytes;
  put(bytes, kViewVersion);
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
  if (!take(bytes, version) || version != kViewVersion) return false;
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

std::string CameraWatch::view() const {
  std::string bytes;
  put(bytes, kWatchVersion);
  put(bytes, stillness_.usual().changing);
  put(bytes, stillness_.usual().knownMs);
  for (const ExposureWatch::Usual& usual : exposure_.usual()) {
    for (const double number : {usual.white, usual.black, usual.knownMs}) put(bytes, number);
  }
  return bytes + view_.home();
}

bool CameraWatch::setView(std::string_view bytes) {
  std::string_view rest = bytes;
  std::uint32_t version = 0;
  if (!take(rest, version) || version != kWatchVersion) return view_.setHome(bytes);
  Stillness::Usual changing;
  if (!takeShare(rest, changing.changing) || !takeDuration(rest, changing.knownMs)) return false;
  ExposureWatch::UsualByLight exposed;
  for (ExposureWatch::Usual& usual : exposed) {
    if (!takeShare(rest, usual.white) || !takeShare(rest, usual.black) ||
        !takeDuration(rest, usual.knownMs)) {
      return false;
    }
  }
  if (!view_.setHome(rest)) return false;
  stillness_.setUsual(changing);
  exposure_.setUsual(exposed);
  return true;
}

}  // namespace mpm::monitor
