// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "segment/prepare.h"

namespace mpm::segment {

/// Which patches of a camera's picture look different from when they were last computed. Pictures
/// are compared as means of cells of about 4 x 4 pixels, in grey values from 0 to 1. What counts as
/// different follows the camera: its noise is estimated from frame to frame, for dark and bright
/// cells apart, as is the light, by how much cells of a brightness changed in the middle.
/// docs/memory.md has the reasons. What it says does not depend on the number of threads.
class PatchWatch {
 public:
  /// `patch`: its side in pixels. The grid's sides are in patches.
  PatchWatch(int patch, int gridWidth, int gridHeight, const Colours& colours);

  /// The next frame, as planes [3, height, width].
  void look(const float* planes);
  /// Whether a patch of that frame looks different from the one that was kept.
  bool isChanged(std::size_t patch) const;
  /// A patch is kept as that frame has it.
  void keep(std::size_t patch);
  /// Neither noise nor light is known any more.
  void forget();

  /// Tolerances are multiplied with it: 1, or less where they were found too wide.
  void setStrictness(float strictness) { strictness_ = strictness; }
  /// What a cell of this brightness may differ by, but for the strictness.
  float tolerance(float brightness) const { return tolerance_[binOf(brightness)]; }
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kBins = 16;
  static std::size_t binOf(float brightness);

  void meanCells(const float* planes);
  void estimate();
  void setTolerances();
  void followLight(const std::array<float, kBins>& shift);

  int patch_, cells_;  // a side of a patch in pixels, in cells
  int gridWidth_, gridHeight_;
  float scale_[3], offset_[3];  // from a plane's values to grey ones
  std::size_t values_;          // of a patch
  float strictness_ = 1;

  bool hasLast_ = false, hasNoise_ = false;
  std::vector<float> now_, last_, kept_;  // [patches x values]
  std::vector<float> light_;              // by how much each patch's kept cells followed the light
  float contrast_ = 0;
  std::array<float, kBins> noise_{}, tolerance_{};
};

}  // namespace mpm::segment
