// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <utility>

#include "onnx/find.h"
#include "onnx/view.h"

namespace mpm::onnx {
namespace {

// [heads x heads], out by in.
std::vector<float> matrixOf(const Model& model, const FoundLinear& linear, std::size_t heads) {
  const Tensor tensor = *model.constant(linear.weight);
  const Floats values = tensor.floats();
  std::vector<float> matrix(heads * heads);
  for (std::size_t out = 0; out < heads; ++out) {
    for (std::size_t in = 0; in < heads; ++in)
      matrix[out * heads + in] = values[linear.outByIn ? out * heads + in : in * heads + out];
  }
  return matrix;
}

}  // namespace

std::optional<FoundHeadMix> findHeadMix(const Facts& facts, const std::string& value) {
  const Integers* dims = facts.values.dims(value);
  const std::optional<View> out = viewOf(facts, value);
  if (dims == nullptr || dims->size() != 4 || !out || out->factor != 1) return std::nullopt;
  const auto linear = findLinear(facts.model, out->base);
  const std::optional<View> in = linear ? viewOf(facts, linear->input) : std::nullopt;
  if (!in || inFeatures(facts.model, *linear) != (*dims)[1] ||
      outFeatures(facts.model, *linear) != (*dims)[1])
    return std::nullopt;
  // What went in and what came out have to have each place in the same order, heads aside.
  const std::optional<View> seen = seenThrough(*out, *in);
  const Integers* base = facts.values.dims(in->base);
  if (!seen || seen->offset != 0 || base == nullptr || *base != *dims ||
      seen->axes != denseView(in->base, *dims).axes)
    return std::nullopt;
  FoundHeadMix found;
  found.input = in->base;
  found.factor = in->factor;
  const auto heads = static_cast<std::size_t>((*dims)[1]);
  found.matrix = matrixOf(facts.model, *linear, heads);
  if (!linear->bias.empty()) {
    const Tensor tensor = *facts.model.constant(linear->bias);
    const Floats bias = tensor.floats();
    if (static_cast<std::size_t>(tensor.count()) != heads) return std::nullopt;
    found.bias.assign(bias.begin(), bias.end());
  }
  for (const auto* nodes : {&out->nodes, &linear->nodes, &in->nodes})
    found.nodes.insert(found.nodes.end(), nodes->begin(), nodes->end());
  return found;
}

}  // namespace mpm::onnx
