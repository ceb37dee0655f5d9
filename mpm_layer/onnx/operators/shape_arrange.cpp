// SPDX-License-Identifier: Apache-2.0
// Operators that keep all elements and arrange them otherwise, or repeat them.
#include <algorithm>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

// An element of a list of sizes: a number or the name of a size where it is not sure.
std::int64_t sizeAt(const Known& list, std::size_t i) {
  if (list.sure[i]) return list.integers[i];
  return std::min(list.integers[i], kUnknown);
}

// The axes of a list, marked; nothing where they are not known or wrong.
std::optional<std::vector<bool>> axesOf(const Call& call, std::size_t rank, bool isAdded) {
  const auto axes = call.list("axes", 1);
  if (!axes || axes->size() > 64) return std::nullopt;
  return markAxes(*axes, isAdded ? rank + axes->size() : rank);
}

// A target as far as it is known, in which kUnknown stands for -1 and for what is not known.
// Nothing where it cannot be right.
Dims targetOf(const Call& call, const Integers* data) {
  const bool keepsZeros = intAttribute(call.node, "allowzero").value_or(0) != 0;
  const auto attribute = intsAttribute(call.node, "shape");
  const Known* list = attribute ? nullptr : call.list(1);
  if (!attribute && (!list || list->isFloat() || list->dims.size() != 1)) {
    const Integers* size = call.dims(1);
    if (!size || size->size() != 1 || !isNumber((*size)[0]) || (*size)[0] > 64) return std::nullopt;
    return Integers(static_cast<std::size_t>((*size)[0]), kUnknown);
  }
  Integers target = attribute ? *attribute : list->integers;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool isSure = attribute || list->sure[i];
    if (!isSure) {
      target[i] = sizeAt(*list, i);
    } else if (target[i] < kUnknown) {
      return std::nullopt;
    } else if (target[i] == 0 && !keepsZeros) {
      if (data && i >= data->size()) return std::nullopt;
      target[i] = data ? (*data)[i] : kUnknown;
    }
  }
  return target;
}

}  // namespace

Dims shapeReshape(const Call& call) {
  const Integers* data = call.dims(0);
  Dims dims = targetOf(call, data);
  if (!dims || !data) return dims;
  const auto open = std::find(dims->begin(), dims->end(), kUnknown);
  if (open == dims->end() || std::find(open + 1, dims->end(), kUnknown) != dims->end()) return dims;
  *open = missingSize(*data, *dims);
  return dims;
}

Dims shapeTranspose(const Call& call) {
  const Integers* data = call.dims(0);
  const auto order = data ? orderOf(call.node, data->size()) : std::nullopt;
  if (!order) return std::nullopt;
  Integers dims;
  for (const std::size_t axis : *order) dims.push_back((*data)[axis]);
  return dims;
}

Dims shapeFlatten(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return Integers{kUnknown, kUnknown};
  const auto rank = static_cast<std::int64_t>(data->size());
  std::int64_t axis = intAttribute(call.node, "axis").value_or(1);
  if (axis < -rank || axis > rank) return std::nullopt;
  if (axis < 0) axis += rank;
  const auto cut = static_cast<std::size_t>(axis);
  return Integers{collapse(*data, 0, cut), collapse(*data, cut, data->size())};
}

Dims shapeSqueeze(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return std::nullopt;
  const bool all = call.leavesOut("axes", 1);
  const auto marked = all ? std::vector<bool>(data->size()) : axesOf(call, data->size(), false);
  if (!marked) return std::nullopt;
  Integers dims;
  for (std::size_t i = 0; i < data->size(); ++i) {
    const std::int64_t dim = (*data)[i];
    if (all && !isNumber(dim)) return std::nullopt;
    const bool goes = all ? dim == 1 : (*marked)[i];
    if (goes && isNumber(dim) && dim != 1) return std::nullopt;
    if (!goes) dims.push_back(dim);
  }
  return dims;
}

Dims shapeUnsqueeze(const Call& call) {
  const Integers* data = call.dims(0);
  const auto marked = data ? axesOf(call, data->size(), true) : std::nullopt;
  if (!marked) return std::nullopt;
  Integers dims;
  auto next = data->begin();
  for (const bool isNew : *marked) dims.push_back(isNew ? 1 : *next++);
  return dims;
}

Dims shapeConcat(const Call& call) {
  const auto wanted = intAttribute(call.node, "axis");
  Dims dims;
  std::optional<std::size_t> axis;
  std::int64_t total = 0;
  for (int input = 0; input < call.node.input_size(); ++input) {
    const Integers* next = call.dims(static_cast<std::size_t>(input));
    if (!next) {
      total = kUnknown;
      continue;
    }
    if (!dims) {
      dims = *next;
      axis = wanted ? axisOf(*wanted, next->size()) : std::nullopt;
    }
    if (!axis || next->size() != dims->size()) return std::nullopt;
    for (std::size_t i = 0; i < next->size(); ++i) {
      std::int64_t& dim = (*dims)[i];
      if (i == *axis || dim == (*next)[i] || !isNumber((*next)[i])) continue;
      if (isNumber(dim)) return std::nullopt;
      dim = (*next)[i];
    }
    total = call.node.input_size() == 1 ? (*next)[*axis] : plus(total, (*next)[*axis]);
  }
  if (dims && axis) (*dims)[*axis] = total;
  return dims;
}

Dims shapeExpand(const Call& call) {
  const Integers* data = call.dims(0);
  const Known* list = call.list(1);
  const Integers* size = call.dims(1);
  if (!data || !size || size->size() != 1) return std::nullopt;
  if (!isNumber((*size)[0]) || (*size)[0] > 64) return std::nullopt;
  Integers target(static_cast<std::size_t>((*size)[0]), kUnknown);
  if (list && list->isFloat()) return std::nullopt;
  for (std::size_t i = 0; list && i < target.size(); ++i) {
    target[i] = sizeAt(*list, i);
    if (list->sure[i] && target[i] < 0) return std::nullopt;
  }
  return broadcastSizes(*data, target);
}

Dims shapeTile(const Call& call) {
  Dims dims = call.copyOf(0);
  const Known* repeats = call.list(1);
  if (!dims || !repeats) return dims ? Dims(Integers(dims->size(), kUnknown)) : std::nullopt;
  if (repeats->isFloat() || repeats->count() != dims->size()) return std::nullopt;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const std::int64_t count = repeats->sure[i] ? repeats->integers[i] : kUnknown;
    if (count != 1) (*dims)[i] = times((*dims)[i], count);
  }
  return dims;
}

}  // namespace mpm::onnx
