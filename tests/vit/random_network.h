// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "random_rows.h"
#include "vit/mask_head.h"
#include "vit/patch_embed.h"
#include "vit/transformer_block.h"

namespace mpm::test {

/// Owns random weights, of a size that keeps activations near 1.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint32_t seed) : seed_(seed) {}

  /// Normal, with this mean and standard deviation. Stays where it is.
  ConstRows matrix(std::size_t count, std::size_t dim, double mean, double deviation);
  const float* vector(std::size_t dim, double mean, double deviation);

  vit::NormWeights norm(std::size_t dim);
  vit::LinearWeights linear(std::size_t in, std::size_t out);
  /// Without biases, layer scales and the norms' weights where `bare`.
  vit::BlockWeights block(std::size_t dim, std::size_t heads, vit::Gelu gelu, bool bare = false);
  vit::MaskHeadWeights maskHead(std::size_t dim, std::size_t classes);

 private:
  std::uint32_t seed_;
  std::deque<OwnedRows> owned_;
};

}  // namespace mpm::test
