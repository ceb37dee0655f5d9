// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "segment/labels.h"

/// Cuts a frame into windows of the model's input. Segmenter's own inference (rstrudel) and
/// mmsegmentation's slide mode use the same places: multiples of the stride, with the last one of
/// each direction shifted back to the border. Where they differ:
///   resizing  mmsegmentation's: the long side is rounded to the nearest pixel, both sides may
///             shrink or grow; its limit on the long side is left out
///   padding   Segmenter's: what a window lacks is the mean colour, right and below, and its scores
///             are dropped; mmsegmentation gives the model a smaller picture, which a model of one
///             input size does not take
/// Both average scores, not probabilities. Here the mean is interpolated from the grids to the
/// frame in one step, not to the resized picture and then to the frame. A window's border is
/// therefore sharp in the frame.
namespace mpm::segment {

/// Size of a frame with the short side given and its ratio kept.
struct Resized {
  int width = 0, height = 0;
};
inline Resized resizedTo(int shortSide, int frameWidth, int frameHeight) {
  const double ratio = static_cast<double>(shortSide) / std::min(frameWidth, frameHeight);
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::lround(length * ratio)));
  };
  return {side(frameWidth), side(frameHeight)};
}

/// Returns where windows of `size` begin along a side of `length`, in pixels of the resized frame.
/// Returns one at 0 if the window is longer. 0 < stride <= size.
inline std::vector<int> windowStarts(int length, int size, int stride) {
  std::vector<int> starts;
  for (int start = 0; start < length - size; start += stride) starts.push_back(start);
  starts.push_back(std::max(length - size, 0));
  return starts;
}

/// Returns where such windows lie in the frame, whose side of `length` had `frameLength` pixels.
inline std::vector<Span> windowSpans(const std::vector<int>& starts, int size, int length,
                                     int frameLength) {
  // All places use the same product and quotient, so no pixel falls between two windows that meet.
  const auto inFrame = [&](int place) { return static_cast<double>(place) * frameLength / length; };
  std::vector<Span> spans;
  for (const int start : starts) spans.push_back({inFrame(start), inFrame(start + size)});
  return spans;
}

}  // namespace mpm::segment
