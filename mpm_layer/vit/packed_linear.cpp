// SPDX-License-Identifier: Apache-2.0
#include "vit/packed_linear.h"

#include <algorithm>

#include "processor/threads.h"

namespace mpm::vit {
namespace {

// out [inputs x width]: columns [first, first + width) of the matrix, zeros past its last.
void copyColumns(ConstRows weight, Layout layout, std::size_t first, std::size_t width,
                 float* out) {
  const bool turned = layout == Layout::outByIn;
  const std::size_t inputs = turned ? weight.dim : weight.count;
  const std::size_t outputs = turned ? weight.count : weight.dim;
  const std::size_t real = std::min(width, outputs - std::min(first, outputs));
  for (std::size_t k = 0; k < inputs && real < width; ++k) {
    std::fill(out + k * width + real, out + (k + 1) * width, 0.0F);
  }
  if (!turned) {
    for (std::size_t k = 0; k < inputs; ++k) {
      std::copy_n(weight.row(k) + first, real, out + k * width);
    }
    return;
  }
  constexpr std::size_t kBlock = 16;  // a cache line of the weight at a time
  for (std::size_t begin = 0; begin < inputs; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, inputs);
    for (std::size_t j = 0; j < real; ++j) {
      const float* const row = weight.row(first + j);
      for (std::size_t k = begin; k < end; ++k) out[k * width + j] = row[k];
    }
  }
}

}  // namespace

void PackedMatrix::pack(ConstRows weight, Layout layout, Precision precision) {
  const Kernels& kernel = kernels(precision);
  const bool turned = layout == Layout::outByIn;
  view_.inputs = turned ? weight.dim : weight.count;
  view_.outputs = turned ? weight.count : weight.dim;
  precision_ = precision;
  const std::size_t columns = padded(view_.outputs), units = kernel.units(view_.inputs);
  const std::size_t panel = kernel.panelColumns;
  float* const memory = memory_.reserve(columns * units);
  view_.data = memory;
  const bool converts = kernel.unitValues > 1;
  processor::forEachTask((columns + panel - 1) / panel, [&](std::size_t task) {
    const std::size_t first = task * panel, width = std::min(panel, columns - first);
    float* const out = converts ? processor::threadScratch().reserve(view_.inputs * width)
                                : memory + first * view_.inputs;
    copyColumns(weight, layout, first, width, out);
    if (converts) {
      kernel.toUnitColumns({out, view_.inputs, width}, memory + first * units, width);
    }
  });
}

std::vector<float> paddedBias(const float* bias, std::size_t count) {
  if (bias == nullptr) return {};
  std::vector<float> result(padded(count), 0.0F);
  std::copy_n(bias, count, result.begin());
  return result;
}

PackedLinear::PackedLinear(const LinearWeights& weights, Precision precision)
    : matrix(weights.weight, Layout::outByIn, precision),
      bias(paddedBias(weights.bias, weights.weight.count)) {}

}  // namespace mpm::vit
