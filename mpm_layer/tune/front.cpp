// SPDX-License-Identifier: Apache-2.0
#include "tune/passes.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <utility>

namespace mpm::tune {
namespace {

constexpr double kClearlyFaster = 0.95, kClearlyNearer = 0.01;

// Requires a schedule to be certainly faster, or there is no reason to merge.
bool counts(const TunedSchedule& one) { return one.close && one.ratioHigh < 1; }

bool beats(const TunedSchedule& a, const TunedSchedule& b) {
  if (a.ratio > b.ratio || a.agreement < b.agreement) return false;
  return a.ratio < b.ratio || a.agreement > b.agreement || simpler(a.schedule, b.schedule);
}

bool clearlyBeats(const TunedSchedule& a, const TunedSchedule& b) {
  return (a.ratio <= kClearlyFaster * b.ratio && a.agreement >= b.agreement) ||
         (a.ratio <= b.ratio && a.agreement >= b.agreement + kClearlyNearer);
}

// Returns how much slower one is than the fastest that agrees as well; 0 on the front.
double lag(const TunedSchedule& one, const std::vector<TunedSchedule>& all) {
  double fastest = one.ratio;
  for (const TunedSchedule& other : all) {
    if (beats(other, one)) fastest = std::min(fastest, other.ratio);
  }
  return one.ratio / fastest - 1;
}

}  // namespace

bool simpler(const Schedule& a, const Schedule& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void markFront(TunedSchedule& full, std::vector<TunedSchedule>& schedules) {
  const auto isBeaten = [&](const TunedSchedule& one) {
    return std::any_of(schedules.begin(), schedules.end(), [&](const TunedSchedule& other) {
      return counts(other) && beats(other, one);
    });
  };
  full.onFront = !isBeaten(full);
  for (TunedSchedule& one : schedules) one.onFront = counts(one) && !isBeaten(one);
}

std::vector<std::size_t> nearFront(const std::vector<TunedSchedule>& schedules, std::size_t most) {
  std::vector<std::pair<double, std::size_t>> near;  // by lag
  std::size_t onFront = 0;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const TunedSchedule& one = schedules[i];
    const bool left = std::any_of(schedules.begin(), schedules.end(),
                                  [&](const auto& other) { return clearlyBeats(other, one); });
    if (left || one.ratio >= 1 / kClearlyFaster) continue;
    const bool beaten = std::any_of(schedules.begin(), schedules.end(),
                                    [&](const auto& other) { return beats(other, one); });
    near.emplace_back(beaten ? 1e-9 + lag(one, schedules) : 0, i);
    if (!beaten) ++onFront;
  }
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), std::max(most, onFront)));
  std::vector<std::size_t> indices;
  for (const auto& [itsLag, index] : near) indices.push_back(index);
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace mpm::tune

namespace mpm {
namespace {

using tune::counts;

bool fasterOf(const TunedSchedule& a, const TunedSchedule& b) {
  if (a.ms != b.ms) return a.ms < b.ms;
  if (a.agreement != b.agreement) return a.agreement > b.agreement;
  return tune::simpler(a.schedule, b.schedule);
}

bool nearerOf(const TunedSchedule& a, const TunedSchedule& b) {
  if (a.agreement != b.agreement) return a.agreement > b.agreement;
  return fasterOf(a, b);
}

}  // namespace

double agreementOf(const cv::Mat& labels, const cv::Mat& others) {
  if (labels.size() != others.size() || labels.type() != others.type() || labels.empty()) return 0;
  return cv::countNonZero(labels == others) / static_cast<double>(labels.total());
}

double noiseFloor(const cv::Mat& frame, const cv::Mat& labels, const cv::Size& input,
                  const std::function<cv::Mat(const cv::Mat&)>& labelsOf) {
  constexpr int kEdge = 4;  // pixels of the input beside the border, where there is no picture
  const int pixel = std::max(1, cvRound(static_cast<double>(frame.cols) / input.width));
  const int from = kEdge * pixel, to = frame.cols - pixel;
  if (to <= from) return 1;
  cv::Mat moved;
  cv::copyMakeBorder(frame.colRange(0, to), moved, 0, 0, pixel, 0, cv::BORDER_REPLICATE);
  const cv::Mat found = labelsOf(moved);
  return agreementOf(labels.colRange(from, to), found.colRange(from + pixel, frame.cols));
}

const TunedSchedule& fastestThatAgrees(const Tuning& tuning, double agreement) {
  const TunedSchedule* best = &tuning.full;
  for (const TunedSchedule& one : tuning.schedules) {
    if (counts(one) && one.agreement >= agreement && fasterOf(one, *best)) best = &one;
  }
  return *best;
}

const TunedSchedule* bestThatReaches(const Tuning& tuning, double framesPerSecond) {
  const double mostMs = 1000 / framesPerSecond;
  const TunedSchedule* best = tuning.full.ms <= mostMs ? &tuning.full : nullptr;
  for (const TunedSchedule& one : tuning.schedules) {
    if (!counts(one) || one.ms > mostMs) continue;
    if (best == nullptr || nearerOf(one, *best)) best = &one;
  }
  return best;
}

}  // namespace mpm
