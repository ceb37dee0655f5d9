// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "vit/linear.h"
#include "vit/patch_embed.h"

namespace mpm::vit {

/// Which places of the source a place of the result is a sum over, along an axis: place i of the
/// result is over places i * stride + t * dilation - padding of the source, t in [0, taps). Places
/// past either end of the source are zeros.
struct Reach {
  std::size_t taps = 1, stride = 1, dilation = 1;
  std::size_t padding = 0;  ///< in front of the first place
};

/// A convolution of planes, ONNX's Conv of one group: filters [outputs x channels * rows.taps *
/// columns.taps], whose floats are in the order (channel, y, x).
struct ConvolveWeights {
  LinearWeights filters;
  Reach rows, columns;
};

/// The same, packed for products in float32.
struct PackedConvolve {
  Reach rows, columns;
  std::size_t inputs = 0, outputs = 0;
  bool isTiled = false;        ///< filters are tileFilters()
  std::size_t stride = 0;      ///< from one filter to the next
  std::vector<float> filters;  ///< [outputs x stride]
  std::vector<float> bias;     ///< [outputs]

  PackedConvolve() = default;
  explicit PackedConvolve(const ConvolveWeights& weights);
};

/// What becomes of a convolution's sums.
enum class Activation { none, relu };

/// out: `outputs` planes [height x width] of the result. Sums are in float32; their order depends
/// neither on the number of threads nor on the size of the source.
void convolveCpu(const Image& source, const PackedConvolve& convolve, Activation activation,
                 std::size_t height, std::size_t width, float* out);

}  // namespace mpm::vit
