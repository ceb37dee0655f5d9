// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "vit/linear.h"
#include "vit/patch_embed.h"

namespace mpm::vit {

/// Places of the source that a place of the result sums, along an axis. Place i sums places i *
/// stride + t * dilation - padding, t in [0, taps). Places past either end of the source are zeros.
struct Reach {
  std::size_t taps = 1, stride = 1, dilation = 1;
  std::size_t padding = 0;  ///< in front of the first place
};

/// A convolution of planes, ONNX's Conv of one group. Filters are [outputs x channels * rows.taps *
/// columns.taps], with floats in the order (channel, y, x).
struct ConvolveWeights {
  LinearWeights filters;
  Reach rows, columns;
};

/// A convolution packed for products in float32.
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

/// Function applied to a convolution's sums.
enum class Activation { none, relu };

/// Writes `outputs` planes [height x width]. Sums are float32; their order depends neither on the
/// number of threads nor on the size of the source.
void convolveCpu(const Image& source, const PackedConvolve& convolve, Activation activation,
                 std::size_t height, std::size_t width, float* out);

}  // namespace mpm::vit
