// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <random>
#include <vector>

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

/// The live row of each original: every live row at least once, some of them often.
inline std::vector<std::int32_t> randomMap(std::size_t originals, std::size_t live,
                                           std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> map(originals);
  for (std::size_t i = 0; i < originals; ++i) {
    map[i] = static_cast<std::int32_t>(i < live ? i : random() % (1 + random() % live));
  }
  std::shuffle(map.begin(), map.end(), random);
  return map;
}

/// Live rows, features, heads of every operation's test.
struct VitShape {
  std::size_t rows, dim, heads;
};

inline std::ostream& operator<<(std::ostream& out, const VitShape& shape) {
  return out << shape.rows << " rows, dim " << shape.dim << ", heads " << shape.heads;
}

/// Around the width of vectors and tiles; the largest with few features, for the time it takes.
inline std::vector<VitShape> vitShapes() {
  std::vector<VitShape> shapes;
  for (const std::size_t rows : {1, 2, 3, 15, 16, 17, 196, 197}) {
    for (const std::size_t dim : {16, 24, 64, 192}) {
      shapes.push_back({rows, dim, 1});
      if (dim % 3 == 0) shapes.push_back({rows, dim, 3});
    }
  }
  shapes.push_back({1025, 16, 1});
  shapes.push_back({1025, 24, 3});
  return shapes;
}

}  // namespace mpm::test
