// SPDX-License-Identifier: Apache-2.0
#include "vit/key_weights.h"

#include <algorithm>
#include <cmath>

namespace mpm::vit {

void keyWeights(const std::int32_t* map, std::size_t originals, float* weights, std::size_t live) {
  std::fill_n(weights, live, 0.0F);  // float32 counts exactly to 2^24
  for (std::size_t i = 0; i < originals; ++i) weights[map[i]] += 1;
  for (std::size_t r = 0; r < live; ++r) weights[r] = std::log(weights[r]);
}

}  // namespace mpm::vit
