// SPDX-License-Identifier: Apache-2.0
// Operators that keep all elements and arrange them otherwise.
#include <algorithm>
#include <numeric>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"
#include "onnx/shape_call.h"

namespace mpm::onnx {
namespace {

void append(Known& to, const Known& from, std::size_t begin, std::size_t end) {
  const auto copy = [&](auto& target, const auto& source) {
    using Step = std::ptrdiff_t;
    target.insert(target.end(), source.begin() + static_cast<Step>(begin),
                  source.begin() + static_cast<Step>(end));
  };
  if (to.isFloat()) {
    copy(to.floats, from.floats);
  } else {
    copy(to.integers, from.integers);
  }
  copy(to.sure, from.sure);
}

}  // namespace

Result foldUnsqueeze(const Call& call) {
  const Known* data = call.input(0);
  const auto axes = call.list("axes", 1);
  if (!data || !axes || axes->size() > 64) return std::nullopt;
  const auto marked = markAxes(*axes, data->dims.size() + axes->size());
  if (!marked) return std::nullopt;
  Integers dims;
  auto next = data->dims.begin();
  for (const bool isNew : *marked) dims.push_back(isNew ? 1 : *next++);
  if (!smallCount(dims)) return std::nullopt;
  return reshaped(*data, dims);
}

Result foldSqueeze(const Call& call) {
  const Known* data = call.input(0);
  if (!data) return std::nullopt;
  const auto axes = call.list("axes", 1);
  const bool all = call.leavesOut("axes", 1);
  if (!axes && !all) return std::nullopt;
  const auto marked = markAxes(axes.value_or(Integers{}), data->dims.size());
  if (!marked) return std::nullopt;
  Integers dims;
  for (std::size_t i = 0; i < data->dims.size(); ++i) {
    const bool goes = all ? data->dims[i] == 1 : (*marked)[i];
    if (goes && data->dims[i] != 1) return std::nullopt;
    if (!goes) dims.push_back(data->dims[i]);
  }
  return reshaped(*data, dims);
}

Result foldConcat(const Call& call) {
  const Known* first = call.input(0);
  const auto wanted = intAttribute(call.node, "axis");
  if (!first || !wanted) return std::nullopt;
  const auto axis = axisOf(*wanted, first->dims.size());
  if (!axis) return std::nullopt;
  Known result;
  result.type = first->type;
  result.dims = first->dims;
  result.dims[*axis] = 0;
  for (const Known* input : call.inputs) {
    if (!input || input->type != first->type || input->dims.size() != first->dims.size()) {
      return std::nullopt;
    }
    Integers expected = first->dims;
    expected[*axis] = input->dims[*axis];
    if (input->dims != expected) return std::nullopt;
    result.dims[*axis] += input->dims[*axis];
    if (!smallCount(result.dims)) return std::nullopt;
  }
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

Result foldReshape(const Call& call) {
  const Known* data = call.input(0);
  const auto target = call.list("shape", 1);
  if (!data || !target || target->size() > 64) return std::nullopt;
  const bool keepsZeros = intAttribute(call.node, "allowzero").value_or(0) != 0;
  Integers dims = *target;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !keepsZeros) {
      if (i >= data->dims.size()) return std::nullopt;
      dims[i] = data->dims[i];
    } else if (dims[i] == -1) {
      if (open) return std::nullopt;
      open = i;
      dims[i] = 1;
    }
  }
  const auto others = smallCount(dims);
  if (!others) return std::nullopt;
  if (open) {
    if (*others == 0 || data->count() % *others != 0) return std::nullopt;
    dims[*open] = static_cast<std::int64_t>(data->count() / *others);
  }
  if (smallCount(dims) != data->count()) return std::nullopt;
  return reshaped(*data, dims);
}

Result foldTranspose(const Call& call) {
  const Known* data = call.input(0);
  if (!data) return std::nullopt;
  const std::size_t rank = data->dims.size();
  Integers order(rank);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  order = intsAttribute(call.node, "perm").value_or(order);
  if (order.size() != rank || !markAxes(order, rank)) return std::nullopt;
  const Strides own = stridesOf(data->dims);
  Integers dims;
  Strides strides;
  for (const std::int64_t axis : order) {
    const std::size_t from = *axisOf(axis, rank);
    dims.push_back(data->dims[from]);
    strides.push_back(own[from]);
  }
  if (!smallCount(dims)) return std::nullopt;
  return pickStrided(*data, dims, strides);
}

Result foldFlatten(const Call& call) {
  const Known* data = call.input(0);
  if (!data) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(data->dims.size());
  std::int64_t axis = intAttribute(call.node, "axis").value_or(1);
  if (axis < -rank || axis > rank) return std::nullopt;
  if (axis < 0) axis += rank;
  const auto cut = static_cast<std::size_t>(axis);
  const Integers dims = {collapse(data->dims, 0, cut),
                         collapse(data->dims, cut, data->dims.size())};
  if (smallCount(dims) != data->count()) return std::nullopt;
  return reshaped(*data, dims);
}

Result foldExpand(const Call& call) {
  const Known* data = call.input(0);
  const Integers* target = call.parameters(1);
  if (!data || !target || !smallCount(*target)) return std::nullopt;
  const auto dims = broadcastSizes(data->dims, *target);
  if (!dims) return std::nullopt;
  return broadcastTo(*data, *dims);
}

Result foldTile(const Call& call) {
  const Known* data = call.input(0);
  const Integers* repeats = call.parameters(1);
  if (!data || !repeats || repeats->size() != data->dims.size()) return std::nullopt;
  const Strides own = stridesOf(data->dims);
  Integers dims, pairs;  // each axis as [repeats, size]
  Strides strides;
  for (std::size_t i = 0; i < own.size(); ++i) {
    dims.push_back(times(data->dims[i], (*repeats)[i]));
    pairs.insert(pairs.end(), {(*repeats)[i], data->dims[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  const auto count = smallCount(dims);
  if (!count) return std::nullopt;
  if (*count == 0) return pick(*data, dims, {});
  return reshaped(pickStrided(*data, pairs, strides), dims);
}

}  // namespace mpm::onnx
