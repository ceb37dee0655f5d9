// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vit/references.h"

namespace mpm::vit {
namespace {

// The dot product of the patch whose first pixel is (top, left) with one row of weights.
double project(const Image& image, std::size_t patch, std::size_t top, std::size_t left,
               const float* weights) {
  double sum = 0;
  for (std::size_t c = 0; c < image.channels; ++c) {
    for (std::size_t y = 0; y < patch; ++y) {
      for (std::size_t x = 0; x < patch; ++x) {
        const float pixel = image.data[(c * image.height + top + y) * image.width + left + x];
        sum += static_cast<double>(pixel) * weights[(c * patch + y) * patch + x];
      }
    }
  }
  return sum;
}

}  // namespace

void patchEmbedReference(const Image& image, const PatchEmbedWeights& weights, Rows out) {
  const std::size_t patch = weights.patch, columns = image.width / patch;
  const ConstRows special = weights.special;
  for (std::size_t s = 0; s < special.count; ++s) {
    std::copy(special.row(s), special.row(s) + out.dim, out.row(s));
  }
  for (std::size_t i = 0; i < patchCount(image, patch); ++i) {
    for (std::size_t k = 0; k < out.dim; ++k) {
      double sum = project(image, patch, i / columns * patch, i % columns * patch,
                           weights.projection.weight.row(k));
      if (weights.projection.bias != nullptr) sum += weights.projection.bias[k];
      if (weights.position.count != 0) sum += weights.position.row(i)[k];
      out.row(special.count + i)[k] = static_cast<float>(sum);
    }
  }
}

}  // namespace mpm::vit
