// SPDX-License-Identifier: Apache-2.0
// Operators that keep all elements and arrange them otherwise, or repeat them.

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"

namespace mpm::onnx {
namespace {

void append(Known& to, const Known& from, std::size_t begin, std::size_t end) {
  const auto copy = [&](auto& target, const auto& source) {
    using Step = std::ptrdiff_t;
    target.insert(target.end(), source.begin() + static_cast<Step>(begin),
                  source.begin() + static_cast<Step>(end));
  };
  withElements(copy, to, from);
  copy(to.sure, from.sure);
}

}  // namespace

// The elements as they lie: what Reshape, Flatten, Squeeze and Unsqueeze make.
Result foldReshape(const Call& call) {
  const Known* data = call.input(0);
  const auto dims = resultDims(call);
  if (!data || !dims || smallCount(*dims) != data->count()) return std::nullopt;
  return reshaped(*data, *dims);
}

Result foldConcat(const Call& call) {
  const Known* first = call.input(0);
  const auto dims = resultDims(call);
  const auto wanted = intAttribute(call.node, "axis");
  const auto axis = dims && wanted ? axisOf(*wanted, dims->size()) : std::nullopt;
  if (!first || !axis) return std::nullopt;
  for (const Known* input : call.inputs) {
    if (!input || input->type != first->type) return std::nullopt;
  }
  Known result;
  result.type = first->type;
  result.dims = *dims;
  if (*smallCount(result.dims) == 0) return result;
  // Those without elements have no part, however many there are.
  std::vector<const Known*> parts;
  for (const Known* input : call.inputs) {
    if (input->count() > 0) parts.push_back(input);
  }
  const std::size_t outer = product(first->dims, 0, *axis);
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Known* part : parts) {
      const std::size_t block = part->count() / outer;
      append(result, *part, o * block, (o + 1) * block);
    }
  }
  return result;
}

Result foldTranspose(const Call& call) {
  const Known* data = call.input(0);
  const auto order = data ? orderOf(call.node, data->dims.size()) : std::nullopt;
  if (!order) return std::nullopt;
  return transposed(*data, data->dims, *order);
}

Result foldExpand(const Call& call) {
  const auto dims = resultDims(call);
  if (!call.input(0) || !dims) return std::nullopt;
  return broadcastTo(*call.input(0), *dims);
}

Result foldTile(const Call& call) {
  const Known* data = call.input(0);
  const Integers* repeats = call.parameters(1);
  const auto dims = resultDims(call);
  if (!data || !repeats || !dims) return std::nullopt;
  if (*smallCount(*dims) == 0) return pick(*data, *dims, {});
  const Strides own = stridesOf(data->dims);
  Integers pairs;  // each axis as [repeats, size]
  Strides strides;
  for (std::size_t i = 0; i < own.size(); ++i) {
    pairs.insert(pairs.end(), {(*repeats)[i], data->dims[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  return reshaped(pickStrided(*data, pairs, strides), *dims);
}

}  // namespace mpm::onnx
