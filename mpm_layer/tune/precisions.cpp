// SPDX-License-Identifier: Apache-2.0
#include "tune/precisions.h"

#include <algorithm>

namespace mpm {

bool isOfOneColour(const cv::Mat& frame) {
  constexpr double kNoise = 8;  // of 255
  if (frame.empty()) return true;
  const cv::Mat pixels =
      (frame.isContinuous() ? frame : frame.clone()).reshape(1, static_cast<int>(frame.total()));
  for (int channel = 0; channel < pixels.cols; ++channel) {
    double low = 0, high = 0;
    cv::minMaxLoc(pixels.col(channel), &low, &high);
    if (high - low > kNoise) return false;
  }
  return true;
}

const TunedPrecision& fastestPrecision(const std::vector<TunedPrecision>& precisions,
                                       double agreement) {
  constexpr double kSurelyFaster = 0.97;
  std::vector<const TunedPrecision*> exactFirst;
  for (const TunedPrecision& one : precisions) exactFirst.push_back(&one);
  std::stable_sort(exactFirst.begin(), exactFirst.end(),
                   [](const auto* a, const auto* b) { return a->agreement > b->agreement; });
  const TunedPrecision* fastest = &precisions.at(0);
  for (const TunedPrecision* one : exactFirst) {
    if (one->agreement >= agreement && one->ratio < kSurelyFaster * fastest->ratio) fastest = one;
  }
  return *fastest;
}

namespace tune {

TunedPrecision comparePrecision(const std::string& precision, const RunFrame& fp32,
                                const RunFrame& other, std::size_t frames) {
  constexpr std::size_t kRounds = 5;
  fp32(0);  // both warm up: the first frame packs weights
  other(0);
  Sightings sightings;
  std::vector<double> exactMs;
  for (std::size_t round = 0; round < std::max(frames, kRounds); ++round) {
    const std::size_t frame = round % frames;
    const Trial exact = fp32(frame);
    exactMs.push_back(exact.ms);
    sightings.add(other(frame), frame, exact.ms, exact.labels);
  }
  const TunedSchedule seen = sightings.summary({}, true, median(exactMs));
  return {precision, seen.ratio, seen.ms, seen.agreement};
}

}  // namespace tune
}  // namespace mpm
