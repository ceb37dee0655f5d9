// SPDX-License-Identifier: Apache-2.0
// Operators that keep all elements and arrange them otherwise.
#include <algorithm>
#include <numeric>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"

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

std::optional<Known> foldUnsqueeze(const Call& call) {
  const Known* data = call.input(0);
  const auto axes = call.list("axes", 1);
  if (!data || !axes || axes->size() > 64) return std::nullopt;
  const auto marked = markAxes(*axes, data->dims.size() + axes->size());
  if (!marked) return std::nullopt;
  Integers dims;
  auto next = data->dims.begin();
  for (const bool isNew : *marked) dims.push_back(isNew ? 1 : *next++);
  if (!smallCount(dims)) return std::nullopt;
  return pick(*data, dims, samePlaces(*data));
}

std::optional<Known> foldSqueeze(const Call& call) {
  const Known* data = call.input(0);
  if (!data) return std::nullopt;
  const auto axes = call.list("axes", 1);
  const bool all = !axes && call.inputs.size() < 2;
  if (!axes && !all) return std::nullopt;
  const auto marked = markAxes(axes.value_or(Integers{}), data->dims.size());
  if (!marked) return std::nullopt;
  Integers dims;
  for (std::size_t i = 0; i < data->dims.size(); ++i) {
    const bool goes = all ? data->dims[i] == 1 : (*marked)[i];
    if (goes && data->dims[i] != 1) return std::nullopt;
    if (!goes) dims.push_back(data->dims[i]);
  }
  return pick(*data, dims, samePlaces(*data));
}

std::optional<Known> foldConcat(const Call& call) {
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
  const std::size_t outer = product(first->dims, 0, *axis);
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Known* input : call.inputs) {
      const std::size_t block = input->count() / outer;
      append(result, *input, o * block, (o + 1) * block);
    }
  }
  return result;
}

std::optional<Known> foldReshape(const Call& call) {
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
  return pick(*data, dims, samePlaces(*data));
}

std::optional<Known> foldTranspose(const Call& call) {
  const Known* data = call.input(0);
  if (!data) return std::nullopt;
  const std::size_t rank = data->dims.size();
  Integers order(rank);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  order = intsAttribute(call.node, "perm").value_or(order);
  if (order.size() != rank || !markAxes(order, rank)) return std::nullopt;
  Integers dims(rank);
  Places strides(rank), at(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t from = *axisOf(order[i], rank);
    dims[i] = data->dims[from];
    strides[i] = product(data->dims, from + 1, rank);
  }
  Places places(data->count());
  std::size_t place = 0;
  for (auto& each : places) {
    each = place;
    for (std::size_t i = rank; i-- > 0;) {  // the next element: an odometer
      place += strides[i];
      if (++at[i] < static_cast<std::size_t>(dims[i])) break;
      place -= strides[i] * at[i];
      at[i] = 0;
    }
  }
  return pick(*data, dims, places);
}

}  // namespace mpm::onnx
