// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpm::vit {

/// Position of a result's place in the source; ONNX's names for its Resize.
enum class Places { halfPixel, pytorchHalfPixel, alignCorners, asymmetric };

/// Interpolates linearly along an axis. Place i of the result is
///   source[first[i]] + weight[i] (source[second[i]] - source[first[i]]),
/// `second` is `first` or the one after it, weights are in [0, 1). Before the first place of the
/// source and after the last one it is that place.
struct Taps {
  std::size_t in = 0;  ///< places of the source
  std::vector<std::int32_t> first, second;
  std::vector<float> weight;

  std::size_t out() const { return weight.size(); }
  /// Both sizes are 1 or more. `scale` is result / source, if the result was rounded down from it;
  /// 0 means out / in. Computes in float32, in ONNX Runtime's order: rounding of places far from
  /// the first one moves weights by more than float32 resolves.
  void assign(Places places, std::size_t inCount, std::size_t outCount, float scale = 0);
};

/// A source to upsample: `channels` planes [height x width] one after the other, or rows of
/// `channels` floats, one for each place of a grid [height x width]. Without gaps; not owned.
struct UpsampleSource {
  const float* data = nullptr;
  std::size_t channels = 0;
  bool isRows = false;
};

/// Writes planes [channels x rows.out() x columns.out()] to `out`. Interpolates planes [rows.in x
/// columns.in] bilinearly with the taps of each axis, larger or smaller. Shrinking does not smooth:
/// places that no tap names are not read.
void upsampleCpu(const UpsampleSource& source, const Taps& rows, const Taps& columns, float* out);

}  // namespace mpm::vit
