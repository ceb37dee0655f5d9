// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpm::vit {

/// At which place of the source a place of the result lies; ONNX's names for its Resize.
enum class Places { halfPixel, pytorchHalfPixel, alignCorners, asymmetric };

/// Linear interpolation along an axis: place i of the result is
///   source[first[i]] + weight[i] (source[second[i]] - source[first[i]]),
/// second being first or the one behind it, weights in [0, 1). Before the first place of the source
/// and behind the last one it is that place.
struct Taps {
  std::size_t in = 0;  ///< places of the source
  std::vector<std::int32_t> first, second;
  std::vector<float> weight;

  std::size_t out() const { return weight.size(); }
  /// Both sizes are 1 or more. `scale` is result / source, where out is less than it says: rounded
  /// down; 0: out / in. In float32, in the order in which ONNX Runtime computes it: rounding of
  /// places far from the first one moves weights by more than float32 resolves.
  void assign(Places places, std::size_t inCount, std::size_t outCount, float scale = 0);
};

/// What is upsampled: `channels` planes [height x width] one behind the other; or rows, one for
/// each place of a grid [height x width], of `channels` floats. Without gaps; not owned.
struct UpsampleSource {
  const float* data = nullptr;
  std::size_t channels = 0;
  bool isRows = false;
};

/// out, planes [channels x rows.out() x columns.out()]: bilinear interpolation of planes
/// [rows.in x columns.in], along each axis as its taps say; larger or smaller. Smaller is not
/// smoothed: places that no tap names are not read.
void upsampleCpu(const UpsampleSource& source, const Taps& rows, const Taps& columns, float* out);

}  // namespace mpm::vit
