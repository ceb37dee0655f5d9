// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/view.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace mpm::monitor {
namespace {

constexpr int kCells = 8, kCellRows = 6;
constexpr double kFineDeviation = 1.2, kCoarseDeviation = 4, kCoarseSmooth = 0.8;
constexpr double kLeastStructure = 3;  // grey levels (root mean square): less is noise
constexpr double kLeastFine = 1;       // the same of what is finest
constexpr double kIsKept = 0.4;        // correlation of a part's details
constexpr double kIsGone = 0.25;       // what is left of its contrast
constexpr int kLeastCells = 8;         // with structure: with fewer nothing can be said
constexpr int kLeastSharpCells = 5;
constexpr double kLeastUsual = 0.5;  // of parts that are kept from one minute to the next: less,
                                     // and this is no fixed camera
constexpr double kKnownSeconds = 60, kLatelySeconds = 120, kLongSeconds = 7200;

cv::Rect cellOf(const cv::Size& size, int cell) {
  const int x = cell % kCells, y = cell / kCells;
  const cv::Point from(size.width * x / kCells, size.height * y / kCellRows);
  const cv::Point to(size.width * (x + 1) / kCells, size.height * (y + 1) / kCellRows);
  return {from, to};
}

double rms(const cv::Mat& part) {
  return std::sqrt(part.dot(part) / static_cast<double>(std::max<std::size_t>(1, part.total())));
}

// The mean of all until there is as much as is looked back to; from then on the newer the heavier.
void addTo(cv::Mat& mean, const cv::Mat& value, double before, double seconds, double back) {
  if (mean.empty() || mean.size() != value.size()) {
    mean = value.clone();
    return;
  }
  const double share = seconds / std::min(before + seconds, back);
  cv::addWeighted(mean, 1 - share, value, share, 0, mean);
}

void addTo(double& mean, double value, double before, double seconds, double back) {
  mean += (value - mean) * seconds / std::min(before + seconds, back);
}

// How much of the structure of `usual` is in `now`; noise is in none of it.
double gain(const cv::Mat& now, const cv::Mat& usual) { return now.dot(usual) / usual.dot(usual); }

struct Raw {
  double kept = 1, gone = 0, sharp = 1;
  int cells = 0, sharpCells = 0;
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Sight sightOf(const cv::Mat& grey) {
  Sight sight;
  sight.grey = grey;
  cv::Mat smooth;
  cv::GaussianBlur(grey, smooth, {}, kFineDeviation, kFineDeviation, cv::BORDER_REPLICATE);
  sight.fine = grey - smooth;
  cv::Mat half, near, around;
  cv::resize(grey, half, {std::max(1, grey.cols / 2), std::max(1, grey.rows / 2)}, 0, 0,
             cv::INTER_AREA);
  cv::GaussianBlur(half, near, {}, kCoarseSmooth, kCoarseSmooth, cv::BORDER_REPLICATE);
  cv::GaussianBlur(near, around, {}, kCoarseDeviation, kCoarseDeviation, cv::BORDER_REPLICATE);
  sight.coarse = near - around;
  sight.details = detailsOf(half);
  return sight;
}

Sight broughtBack(const Sight& sight, const Placement& placement) {
  cv::Mat grey;
  cv::warpAffine(sight.grey, grey, transformOf(placement, sight.grey.size()), sight.grey.size(),
                 cv::INTER_CUBIC | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
  return sightOf(grey);
}

namespace {

template <typename Learnt>
Raw rawComparison(const Sight& sight, const Learnt& learnt) {
  Raw raw;
  if (learnt.coarse.size() != sight.coarse.size()) return raw;
  double kept = 0, gone = 0;
  std::vector<double> sharp;
  for (int cell = 0; cell < kCells * kCellRows; ++cell) {
    const cv::Rect half = cellOf(sight.coarse.size(), cell);
    const cv::Mat usual = learnt.coarse(half);
    const double contrast = rms(usual);
    if (contrast >= kLeastStructure) {
      ++raw.cells;
      const double fit = correlation(learnt.details(half), sight.details(half));
      kept += fit >= kIsKept;
      gone += rms(sight.coarse(half)) < kIsGone * contrast;
    }
    const cv::Mat longUsual = learnt.longCoarse(half);
    const cv::Rect whole = cellOf(sight.fine.size(), cell);
    const cv::Mat fine = learnt.fine(whole);
    if (rms(longUsual) < kLeastStructure || rms(fine) < kLeastFine) continue;
    if (correlation(longUsual, sight.coarse(half)) < kIsKept) continue;
    sharp.push_back(gain(sight.fine(whole), fine) / gain(sight.coarse(half), longUsual));
  }
  raw.sharpCells = static_cast<int>(sharp.size());
  if (raw.cells > 0) raw.kept = kept / raw.cells, raw.gone = gone / raw.cells;
  if (!sharp.empty()) raw.sharp = median(sharp);
  return raw;
}

}  // namespace

bool View::knows(LightState light) const {
  const Learnt& learnt = of(light);
  if (learnt.seconds < kKnownSeconds || learnt.kept < kLeastUsual) return false;
  int cells = 0;
  for (int cell = 0; cell < kCells * kCellRows; ++cell) {
    cells += rms(learnt.coarse(cellOf(learnt.coarse.size(), cell))) >= kLeastStructure;
  }
  return cells >= kLeastCells;
}

Comparison View::compare(const Sight& sight, LightState light) const {
  const Learnt& learnt = of(light);
  const Raw raw = rawComparison(sight, learnt);
  Comparison comparison;
  if (raw.cells < kLeastCells) return comparison;
  comparison.kept = std::min(1.0, raw.kept / std::max(learnt.kept, kLeastUsual));
  comparison.gone = raw.gone;
  comparison.canTellSharp =
      raw.sharpCells >= kLeastSharpCells && learnt.sharpSeconds >= kKnownSeconds;
  if (comparison.canTellSharp) comparison.sharp = std::max(0.0, raw.sharp / learnt.sharp);
  return comparison;
}

void View::learn(const Sight& sight, LightState light, double seconds, bool isSharp) {
  Learnt& learnt = learnt_[static_cast<std::size_t>(light)];
  if (learnt.coarse.size() != sight.coarse.size()) learnt = {};
  if (learnt.seconds > 0) {
    const Raw raw = rawComparison(sight, learnt);
    addTo(learnt.kept, raw.kept, learnt.seconds, seconds, kLongSeconds);
    if (isSharp && raw.sharpCells >= kLeastSharpCells) {
      addTo(learnt.sharp, raw.sharp, learnt.sharpSeconds, seconds, kLongSeconds);
      learnt.sharpSeconds += seconds;
    }
  }
  addTo(learnt.details, sight.details, learnt.seconds, seconds, kLatelySeconds);
  addTo(learnt.coarse, sight.coarse, learnt.seconds, seconds, kLatelySeconds);
  if (isSharp) {
    addTo(learnt.longDetails, sight.details, learnt.seconds, seconds, kLongSeconds);
    addTo(learnt.longCoarse, sight.coarse, learnt.seconds, seconds, kLongSeconds);
    addTo(learnt.fine, sight.fine, learnt.seconds, seconds, kLongSeconds);
  }
  learnt.seconds += seconds;
}

Placement View::againstLately(const Sight& sight, LightState light) const {
  const cv::Mat& usual = of(light).details;
  return usual.size() == sight.details.size() ? placementOfDetails(usual, sight.details)
                                              : Placement{};
}

Placement View::againstLong(const Sight& sight, LightState light) const {
  const cv::Mat& usual = of(light).longDetails;
  return usual.size() == sight.details.size() ? placementOfDetails(usual, sight.details)
                                              : Placement{};
}

Placement View::besideLong(const Sight& sight, LightState light) const {
  const cv::Mat& usual = of(light).longDetails;
  return usual.size() == sight.details.size() ? nearPlacementOfDetails(usual, sight.details)
                                              : Placement{};
}

}  // namespace mpm::monitor
