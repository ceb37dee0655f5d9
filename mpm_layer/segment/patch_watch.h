// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "segment/prepare.h"

namespace mpm::segment {

/// Tells which patches of a camera's picture look different from when they were last computed.
/// Pictures are compared as means of cells of about 4 x 4 pixels, in grey values from 0 to 1. The
/// tolerance follows the camera's noise, estimated from frame to frame by brightness. Light is
/// estimated alike, from the median change of the cells of a brightness. docs/memory.md has the
/// reasons. Results do not depend on the number of threads.
class PatchWatch {
 public:
  /// `patch` is its side in pixels. The grid's sides are in patches.
  PatchWatch(int patch, int gridWidth, int gridHeight, const Colours& colours);

  /// Looks at the next frame, as planes [3, height, width].
  void look(const float* planes);
  /// Tells whether a patch of that frame looks different from the one that was kept.
  bool isChanged(std::size_t patch) const;
  /// Keeps a patch as it is in that frame.
  void keep(std::size_t patch);
  /// Forgets noise and light.
  void forget();

  /// Multiplies tolerances by it: 1, or less if they turned out too wide.
  void setStrictness(float strictness) { strictness_ = strictness; }
  /// Returns how much a cell of this brightness may differ, before the strictness.
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
