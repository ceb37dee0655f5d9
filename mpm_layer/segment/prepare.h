// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "processor/float_buffer.h"
#include "segment/taps.h"

namespace mpm::segment {

/// Bytes of a frame: 1 (grey), 3 (BGR) or 4 (BGRA, with A ignored) for each pixel.
struct Picture {
  const std::uint8_t* pixels = nullptr;
  std::size_t rowBytes = 0;  ///< from one row to the next
  int width = 0, height = 0, channels = 3;
};

/// A window of a resized picture. Anything right of the picture or below it is padding.
struct View {
  int resizedWidth = 0, resizedHeight = 0;
  int left = 0, top = 0;  ///< inside the resized picture
  int width = 0, height = 0;
};

/// Mean and std that a model expects, in its channel order, for values from 0 to 1.
struct Colours {
  float mean[3] = {0.5F, 0.5F, 0.5F}, std[3] = {0.5F, 0.5F, 0.5F};
  bool rgb = true;
};

/// Resizes the picture to planes [3, height, width] of a view, bilinearly as INTER_LINEAR. A value
/// v of 0 to 255 becomes (v / 255 - mean) / std. Padding is 0, which is the mean colour. Values
/// between two grey levels stay there. cv::resize rounds its 11-bit weights and its result, so it
/// differs by less than one grey level.
void prepareReference(const Picture& picture, const View& view, const Colours& colours,
                      float* planes);

/// Does the same in one pass over the pixels that are needed. Keeps its scratch memory.
class Preparer {
 public:
  void prepare(const Picture& picture, const View& view, const Colours& colours, float* planes);

 private:
  Taps across_, down_;
  std::vector<std::int32_t> offsets_[2];  // of the pixels left and right, in values of a row
  processor::FloatBuffer rows_;           // a blended row of the picture for each task
};

}  // namespace mpm::segment
