// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <algorithm>
#include <cstring>

namespace mpm::monitor {
namespace {

constexpr int kCells = 16, kCellRows = 12;
constexpr std::int64_t kStillMs = 45000, kAliveMs = 5000;
constexpr double kStill = 0.1;       // share of the parts that change all the same: a clock
constexpr double kLeastUsual = 0.4;  // that have to change where it can be told
constexpr double kUsualMs = 600000, kKnownMs = 60000;

bool differs(const cv::Mat& a, const cv::Mat& b) {
  const auto bytes = static_cast<std::size_t>(a.cols);
  for (int y = 0; y < a.rows; ++y) {
    if (std::memcmp(a.ptr(y), b.ptr(y), bytes) != 0) return true;
  }
  return false;
}

}  // namespace

void Stillness::compare(const cv::Mat& samples, std::int64_t nowMs) {
  if (before_.size() != samples.size()) {
    changedMs_.assign(kCells * kCellRows, nowMs);
  } else {
    for (int cell = 0; cell < kCells * kCellRows; ++cell) {
      const int x = cell % kCells, y = cell / kCells;
      const cv::Point from(samples.cols * x / kCells, samples.rows * y / kCellRows);
      const cv::Point to(samples.cols * (x + 1) / kCells, samples.rows * (y + 1) / kCellRows);
      const cv::Rect part(from, to);
      if (differs(samples(part), before_(part))) changedMs_[static_cast<std::size_t>(cell)] = nowMs;
    }
  }
  samples.copyTo(before_);
}

double Stillness::alive(std::int64_t nowMs, std::int64_t backMs) const {
  const auto count = std::count_if(
      changedMs_.begin(), changedMs_.end(),
      [&](std::int64_t changedMs) { return nowMs - changedMs < backMs && changedMs <= nowMs; });
  return static_cast<double>(count) / static_cast<double>(changedMs_.size());
}

Sighting Stillness::look(const cv::Mat& samples, std::int64_t nowMs, double elapsedMs) {
  compare(samples, nowMs);
  Sighting sighting;
  sighting.isKnown = usual_.knownMs >= kKnownMs && usual_.changing >= kLeastUsual;
  // Back is it when much changes within seconds.
  sighting.value = alive(nowMs, isStill_ ? kAliveMs : kStillMs);
  isStill_ = sighting.isKnown && sighting.value <= (isStill_ ? usual_.changing / 2 : kStill);
  sighting.isSeen = isStill_;
  if (!isStill_) {
    usual_.knownMs += elapsedMs;
    const double share = elapsedMs / std::min(usual_.knownMs, kUsualMs);
    usual_.changing += (alive(nowMs, kAliveMs) - usual_.changing) * share;
  }
  return sighting;
}

}  // namespace mpm::monitor
