// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "processor/float_buffer.h"
#include "segment/taps.h"

namespace mpm::segment {

/// A frame's bytes: 1 (grey), 3 (BGR) or 4 (BGRA, of which A is left out) for each pixel.
struct Picture {
  const std::uint8_t* pixels = nullptr;
  std::size_t rowBytes = 0;  ///< from one row to the next
  int width = 0, height = 0, channels = 3;
};

/// A window of a resized picture; what lies right of the picture or below it is padding.
struct View {
  int resizedWidth = 0, resizedHeight = 0;
  int left = 0, top = 0;  ///< inside the resized picture
  int width = 0, height = 0;
};

/// What a model expects, in its own channel order, of values from 0 to 1.
struct Colours {
  float mean[3] = {0.5F, 0.5F, 0.5F}, std[3] = {0.5F, 0.5F, 0.5F};
  bool rgb = true;
};

/// The picture as planes [3, height, width] of a view: resized bilinearly as cv::resize's
/// INTER_LINEAR, each value v of 0 to 255 to (v / 255 - mean) / std; padding is 0, which is the
/// mean colour. Values between two grey levels stay there, where cv::resize rounds its 11-bit
/// weights and the result: it differs by less than one grey level.
void prepareReference(const Picture& picture, const View& view, const Colours& colours,
                      float* planes);

/// The same in one pass over the pixels that are needed. Its scratch memory is kept.
class Preparer {
 public:
  void prepare(const Picture& picture, const View& view, const Colours& colours, float* planes);

 private:
  Taps across_, down_;
  std::vector<std::int32_t> offsets_[2];  // of the pixels left and right, in values of a row
  processor::FloatBuffer rows_;           // a blended row of the picture for each task
};

}  // namespace mpm::segment
