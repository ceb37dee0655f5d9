// SPDX-License-Identifier: Apache-2.0
#include "segment/patch_watch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "processor/pool.h"

namespace mpm::segment {
namespace {

constexpr int kCellSide = 4;
// Ignores changes that are small against the picture's contrast, however quiet the camera is. The
// limits are a share of the standard deviation of its cells, and a grey value from 0 to 1.
constexpr float kLeastContrast = 0.3F, kLeastTolerance = 0.02F;
// Standard deviations of a cell's noise that make a change.
constexpr float kDeviations = 3.2F;
// More than this is a camera being turned: a pixel's own noise would be a tenth of white.
constexpr float kMostNoise = 0.04F;
// This much light changes a patch, even if all patches of its brightness changed alike.
constexpr float kMostLight = 0.06F;
// A smaller shift of the median may be noise instead of light.
constexpr float kLeastLight = 0.002F;
// Weight of a new estimate of the noise.
constexpr float kNewShare = 0.125F;

// Counts differences from frame to frame in steps.
constexpr int kSteps = 1024, kZero = kSteps / 2;
constexpr float kStepsOfOne = 4096;
constexpr int kEnough = 256;  // differences to know the middle of

using Histogram = std::array<std::int32_t, kSteps>;

// Statistics of differences in grey values: count, median, and the standard deviation of a normal
// distribution with the same median absolute deviation. They ignore a minority of cells where
// something passes by.
struct Middle {
  std::int32_t count = 0;
  float median = 0, deviation = 0;
};

Middle middleOf(const Histogram& histogram) {
  Middle middle;
  for (const std::int32_t count : histogram) middle.count += count;
  const auto at = [&](int step) {
    return step < 0 || step >= kSteps ? 0 : histogram[static_cast<std::size_t>(step)];
  };
  int median = 0, reach = 0;
  for (std::int32_t below = at(0); 2 * below < middle.count && median < kSteps - 1;)
    below += at(++median);
  for (std::int32_t within = at(median); 2 * within < middle.count && reach < kSteps;) {
    ++reach;
    within += at(median + reach) + at(median - reach);
  }
  middle.median = static_cast<float>(median - kZero) / kStepsOfOne;
  middle.deviation = 1.4826F * (static_cast<float>(reach) + 0.5F) / kStepsOfOne;
  return middle;
}

// Adds up `lines` lines of `width` floats each, one below the other.
void addLines(const float* first, std::size_t lines, std::size_t width, float* sums) {
  constexpr std::size_t kBlock = 16;  // in registers
  std::size_t x = 0;
  for (; x + kBlock <= width; x += kBlock) {
    float block[kBlock] = {};
    for (std::size_t y = 0; y < lines; ++y) {
      const float* const line = first + y * width + x;
      for (std::size_t i = 0; i < kBlock; ++i) block[i] += line[i];
    }
    std::copy_n(block, kBlock, sums + x);
  }
  for (; x < width; ++x) {
    sums[x] = 0;
    for (std::size_t y = 0; y < lines; ++y) sums[x] += first[y * width + x];
  }
}

}  // namespace

PatchWatch::PatchWatch(int patch, int gridWidth, int gridHeight, const Colours& colours)
    : patch_(patch),
      cells_(std::max(1, patch / kCellSide)),
      gridWidth_(gridWidth),
      gridHeight_(gridHeight) {
  values_ = static_cast<std::size_t>(3 * cells_ * cells_);
  for (int c = 0; c < 3; ++c) scale_[c] = colours.std[c], offset_[c] = colours.mean[c];
  const auto patches = static_cast<std::size_t>(gridWidth) * static_cast<std::size_t>(gridHeight);
  now_.resize(patches * values_);
  last_.resize(now_.size());
  kept_.resize(now_.size());
  light_.resize(patches);
}

std::size_t PatchWatch::binOf(float brightness) {
  return static_cast<std::size_t>(std::clamp(brightness, 0.0F, 0.999F) * kBins);
}

void PatchWatch::forget() {
  hasLast_ = hasNoise_ = false;
  noise_.fill(0);
}

std::size_t PatchWatch::bytes() const {
  return (now_.size() + last_.size() + kept_.size() + light_.size()) * sizeof(float);
}

// Makes a row of patches a task.
void PatchWatch::meanCells(const float* planes) {
  const auto width = static_cast<std::size_t>(gridWidth_ * patch_);
  const std::size_t plane = width * static_cast<std::size_t>(gridHeight_ * patch_);
  const auto cells = static_cast<std::size_t>(cells_);
  const auto columns = static_cast<std::size_t>(gridWidth_);
  std::vector<std::size_t> edges;  // of the cells of a patch
  for (int cell = 0; cell <= cells_; ++cell)
    edges.push_back(static_cast<std::size_t>(cell * patch_ / cells_));
  processor::forEachTask(static_cast<std::size_t>(gridHeight_), [&](std::size_t row) {
    float* const sums = processor::threadScratch().reserve(width);
    float* const patches = now_.data() + row * columns * values_;
    for (std::size_t c = 0; c < 3; ++c) {
      const float* const top = planes + c * plane + row * edges.back() * width;
      for (std::size_t v = 0; v < cells; ++v) {
        const std::size_t height = edges[v + 1] - edges[v];
        addLines(top + edges[v] * width, height, width, sums);
        for (std::size_t column = 0; column < columns; ++column) {
          const float* const patch = sums + column * edges.back();
          float* const out = patches + column * values_ + (c * cells + v) * cells;
          for (std::size_t u = 0; u < cells; ++u) {
            const float sum = std::accumulate(patch + edges[u], patch + edges[u + 1], 0.0F);
            const auto pixels = static_cast<float>(height * (edges[u + 1] - edges[u]));
            out[u] = sum / pixels * scale_[c] + offset_[c];
          }
        }
      }
    }
  });
}

void PatchWatch::look(const float* planes) {
  std::swap(now_, last_);
  meanCells(planes);
  if (hasLast_) estimate();
  setTolerances();
  hasLast_ = true;
}

// Estimates noise and light per brightness. If a brightness has few cells, or something passes by
// in them, all cells decide.
void PatchWatch::estimate() {
  std::array<Histogram, kBins + 1> differences{};
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const float steps = (now_[i] - last_[i]) * kStepsOfOne + (kZero + 0.5F);
    const float step = std::clamp(steps, 0.0F, kSteps - 1.0F);
    ++differences[binOf(last_[i])][static_cast<std::size_t>(step)];
  }
  for (std::size_t b = 0; b < kBins; ++b) {
    for (std::size_t s = 0; s < kSteps; ++s) differences[kBins][s] += differences[b][s];
  }
  const Middle all = middleOf(differences[kBins]);
  std::array<float, kBins> shift{};
  for (std::size_t b = 0; b < kBins; ++b) {
    const Middle own = middleOf(differences[b]);
    const Middle& middle = own.count < kEnough || own.deviation > kMostNoise ? all : own;
    const float noise = std::min(kMostNoise, middle.deviation);
    shift[b] = middle.median;
    noise_[b] = hasNoise_ ? noise_[b] + kNewShare * (noise - noise_[b]) : noise;
  }
  hasNoise_ = true;
  followLight(shift);
}

void PatchWatch::setTolerances() {
  double sum = 0, squares = 0;
  for (const float value : now_) sum += value, squares += static_cast<double>(value) * value;
  const auto count = static_cast<double>(now_.size());
  const double variance = std::max(0.0, squares / count - sum / count * (sum / count));
  const auto contrast = static_cast<float>(std::sqrt(variance));
  contrast_ = hasLast_ ? contrast_ + kNewShare * (contrast - contrast_) : contrast;
  const float least = std::max(kLeastTolerance, kLeastContrast * contrast_);
  for (std::size_t b = 0; b < kBins; ++b) tolerance_[b] = std::max(least, kDeviations * noise_[b]);
}

// Adapts what was kept to the present light before the next comparison.
void PatchWatch::followLight(const std::array<float, kBins>& shift) {
  const auto isNothing = [](float by) { return std::abs(by) < kLeastLight; };
  if (std::all_of(shift.begin(), shift.end(), isNothing)) return;
  for (std::size_t patch = 0; patch < light_.size(); ++patch) {
    float sum = 0;
    for (std::size_t i = patch * values_; i < (patch + 1) * values_; ++i) {
      const float by = shift[binOf(kept_[i])];
      kept_[i] += by;
      sum += by;
    }
    light_[patch] += sum / static_cast<float>(values_);
  }
}

bool PatchWatch::isChanged(std::size_t patch) const {
  if (std::abs(light_[patch]) > strictness_ * kMostLight) return true;
  for (std::size_t i = patch * values_; i < (patch + 1) * values_; ++i) {
    const float difference = std::abs(now_[i] - kept_[i]);
    if (!(difference <= strictness_ * tolerance_[binOf(kept_[i])])) return true;
  }
  return false;
}

void PatchWatch::keep(std::size_t patch) {
  const auto begin = static_cast<std::ptrdiff_t>(patch * values_);
  const auto end = begin + static_cast<std::ptrdiff_t>(values_);
  std::copy(now_.begin() + begin, now_.begin() + end, kept_.begin() + begin);
  light_[patch] = 0;
}

}  // namespace mpm::segment
