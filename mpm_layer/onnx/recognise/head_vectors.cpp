// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/head_vectors.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// The numbers of a constant that is broadcast to a value and the same for all images and rows, head
// by head; nothing where it is no such. Where heads lie along the axis of images, [B H, N, d], they
// have the same ones.
std::optional<std::vector<float>> headNumbers(const Model& model, const std::string& constant,
                                              const Integers& dims, const HeadAxes& axes,
                                              std::int64_t foldedHeads) {
  const std::optional<Tensor> tensor = model.constant(constant);
  const std::size_t rank = dims.size();
  const std::int64_t headCount = rank == 4 ? dims[axes[1]] : foldedHeads;
  if (rank < 3 || rank > 4 || !tensor || !tensor->isFloating() || tensor->dims().size() > rank ||
      headCount > kMostHeadFeatures / std::max<std::int64_t>(dims.back(), 1))
    return std::nullopt;
  Integers own = tensor->dims();
  own.insert(own.begin(), rank - own.size(), 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const bool mayVary = i + 1 == rank || (rank == 4 && i == axes[1]);
    if (own[i] != 1 && !(mayVary && own[i] == dims[i])) return std::nullopt;
  }
  const auto features = static_cast<std::size_t>(own.back());
  const bool isByHead = rank == 4 && own[axes[1]] != 1;
  const std::size_t headStep = isByHead ? features : 0, step = features == 1 ? 0U : 1U;
  const auto heads = static_cast<std::size_t>(headCount), d = static_cast<std::size_t>(dims.back());
  const Floats values = tensor->floats();
  std::vector<float> numbers;
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < d; ++i) numbers.push_back(values[h * headStep + i * step]);
  }
  return numbers;
}

}  // namespace

std::optional<HeadAxes> headAxesOf(const View& view, const Integers& dims) {
  const std::optional<Heads> heads = byHeads(view);
  const std::optional<Run> byHead = heads ? joined(heads->heads) : std::nullopt;
  if (!byHead || heads->offset != 0) return std::nullopt;
  const Run runs[] = {heads->images, *byHead, heads->rows, heads->features};
  Integers sizes = dims;
  if (dims.size() == 3) {
    if (dims[0] % std::max<std::int64_t>(byHead->size, 1) != 0) return std::nullopt;
    sizes = {dims[0] / std::max<std::int64_t>(byHead->size, 1), byHead->size, dims[1], dims[2]};
  }
  if (sizes.size() != 4) return std::nullopt;
  const View dense = denseView({}, sizes);
  HeadAxes axes{};
  std::array<bool, 4> taken{};
  for (std::size_t i = 4; i-- > 0;) {
    std::size_t axis = 4;
    for (std::size_t j = 4; j-- > 0;) {
      const Run run = *joined(dense.axes[j]);
      const bool fits = run.size == runs[i].size && (run.size == 1 || run.stride == runs[i].stride);
      if (fits && !taken[j] && axis == 4) axis = j;
    }
    if (axis == 4) return std::nullopt;
    taken[axis] = true;
    axes[i] = axis;
  }
  if (axes[3] != 3 || (dims.size() == 3 && axes != HeadAxes{0, 1, 2, 3})) return std::nullopt;
  return axes;
}

std::optional<std::string> behindHeadVector(const Facts& facts, const std::string& value,
                                            const Integers& dims, const HeadAxes& axes,
                                            FoundAttention& attention,
                                            FoundProjection& projection) {
  if (projection.norm) return std::nullopt;
  const std::optional<Operands> product = constantOperand(facts.model, value, "Mul");
  const std::optional<Operands> operands =
      product ? product : constantOperand(facts.model, value, "Add");
  if (!operands) return std::nullopt;
  const auto numbers = headNumbers(facts.model, operands->constant, dims, axes, attention.heads);
  if (!numbers) return std::nullopt;
  std::vector<float>&scale = projection.scale, &shift = projection.shift;
  if (scale.empty()) scale.assign(numbers->size(), 1);
  if (!product && shift.empty()) shift.assign(numbers->size(), 0);
  if (scale.size() != numbers->size()) return std::nullopt;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if (product) {
      scale[i] *= (*numbers)[i];
    } else {
      shift[i] += scale[i] * (*numbers)[i];
    }
  }
  attention.nodes.push_back(facts.model.producer(value));
  return operands->value;
}

}  // namespace mpm::onnx
