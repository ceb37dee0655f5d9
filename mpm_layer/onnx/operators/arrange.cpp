// SPDX-License-Identifier: Apache-2.0
// Operators that rearrange elements, repeat them, or choose some along axes.

#include <algorithm>
#include <limits>
#include <numeric>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

// Keeps the elements in order, for Reshape, Flatten, Squeeze and Unsqueeze.
Result foldReshape(const Call& call) {
  const KnownTensor* data = call.input(0);
  const auto dims = resultDims(call);
  if (!data || !dims || smallCount(*dims) != data->count()) return std::nullopt;
  return reshaped(*data, *dims);
}

Result foldConcat(const Call& call) {
  const KnownTensor* first = call.input(0);
  const auto dims = resultDims(call);
  const auto wanted = intAttribute(call.node, "axis");
  const auto axis = dims && wanted ? axisOf(*wanted, dims->size()) : std::nullopt;
  if (!first || !axis) return std::nullopt;
  for (const KnownTensor* input : call.inputs) {
    if (!input || input->type != first->type) return std::nullopt;
  }
  Result result = unwritten(first->type, *dims);
  if (!result || result->count() == 0) return result;
  // Inputs without elements have no part, however many there are.
  std::vector<const KnownTensor*> parts;
  bool isSure = true;
  for (const KnownTensor* input : call.inputs) {
    if (input->count() > 0) parts.push_back(input);
    isSure = isSure && input->sure.empty();
  }
  const std::size_t outer = product(first->dims, 0, *axis);
  if (!isSure) result->sure.resize(result->count());
  std::size_t at = 0;
  for (std::size_t o = 0; o < outer; ++o) {
    for (const KnownTensor* part : parts) {
      const std::size_t block = part->count() / outer;
      withElements(
          [&](auto* to, const auto* from) { std::copy_n(from + o * block, block, to + at); },
          *result, *part);
      for (std::size_t i = 0; !isSure && i < block; ++i)
        result->sure[at + i] = static_cast<char>(part->isSure(o * block + i));
      at += block;
    }
  }
  return result;
}

Result foldTranspose(const Call& call) {
  const KnownTensor* data = call.input(0);
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
  const KnownTensor* data = call.input(0);
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

// Returns an element of a list of sizes: a number, or the name of a size if it is not sure.
std::int64_t sizeAt(const KnownTensor& list, std::size_t i) {
  if (list.isSure(i)) return list.integers[i];
  return std::min(list.integers[i], kUnknown);
}

// Marks the axes of a list; std::nullopt if they are unknown or wrong.
std::optional<std::vector<bool>> axesOf(const Call& call, std::size_t rank, bool isAdded) {
  const auto axes = call.list("axes", 1);
  if (!axes || axes->size() > 64) return std::nullopt;
  return markAxes(*axes, isAdded ? rank + axes->size() : rank);
}

// Returns the known part of a target, with kUnknown for -1 and for unknown sizes. Returns
// std::nullopt if it cannot be right.
Dims targetOf(const Call& call, const Integers* data) {
  const bool keepsZeros = intAttribute(call.node, "allowzero").value_or(0) != 0;
  const auto attribute = intsAttribute(call.node, "shape");
  const KnownTensor* list = attribute ? nullptr : call.list(1);
  if (!attribute && (!list || list->isFloat() || list->dims.size() != 1)) {
    const Integers* size = call.dims(1);
    if (!size || size->size() != 1 || !isNumber((*size)[0]) || (*size)[0] > 64) return std::nullopt;
    return Integers(static_cast<std::size_t>((*size)[0]), kUnknown);
  }
  Integers target = attribute ? *attribute : list->integers;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool isSure = attribute || list->isSure(i);
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
  const KnownTensor* list = call.list(1);
  const Integers* size = call.dims(1);
  if (!data || !size || size->size() != 1) return std::nullopt;
  if (!isNumber((*size)[0]) || (*size)[0] > 64) return std::nullopt;
  Integers target(static_cast<std::size_t>((*size)[0]), kUnknown);
  if (list && list->isFloat()) return std::nullopt;
  for (std::size_t i = 0; list && i < target.size(); ++i) {
    target[i] = sizeAt(*list, i);
    if (list->isSure(i) && target[i] < 0) return std::nullopt;
  }
  return broadcastSizes(*data, target);
}

Dims shapeTile(const Call& call) {
  Dims dims = call.copyOf(0);
  const KnownTensor* repeats = call.list(1);
  if (!dims || !repeats) return dims ? Dims(Integers(dims->size(), kUnknown)) : std::nullopt;
  if (repeats->isFloat() || repeats->count() != dims->size()) return std::nullopt;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const std::int64_t count = repeats->isSure(i) ? repeats->integers[i] : kUnknown;
    if (count != 1) (*dims)[i] = times((*dims)[i], count);
  }
  return dims;
}

// Returns the source's indices for a selection along one axis.
Places placesAlong(const KnownTensor& source, std::size_t axis, const Integers& chosen) {
  const std::size_t outer = product(source.dims, 0, axis);
  const std::size_t inner = product(source.dims, axis + 1, source.dims.size());
  const auto size = static_cast<std::size_t>(source.dims[axis]);
  Places places;
  if (inner == 0) return places;
  for (std::size_t o = 0; o < outer; ++o) {
    for (const std::int64_t c : chosen) {
      const std::size_t first = (o * size + static_cast<std::size_t>(c)) * inner;
      for (std::size_t i = 0; i < inner; ++i) places.push_back(first + i);
    }
  }
  return places;
}

// Cuts one stretch along each axis.
Result cutOut(const KnownTensor& data, const std::vector<Stretch>& stretches) {
  const Strides own = stridesOf(data.dims);
  Strides strides;
  Integers dims;
  std::ptrdiff_t first = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    dims.push_back(stretches[i].count);
    strides.push_back(own[i] * stretches[i].step);
    first += own[i] * stretches[i].start;
  }
  const auto count = smallCount(dims);
  if (!count) return std::nullopt;
  if (*count == 0) return pick(data, dims, {});
  return pickStrided(data, dims, strides, static_cast<std::size_t>(first));
}

std::vector<Stretch> wholeOf(const KnownTensor& data) {
  std::vector<Stretch> stretches;
  for (const std::int64_t dim : data.dims) stretches.push_back({0, 1, dim});
  return stretches;
}

Result foldGather(const Call& call) {
  const KnownTensor* data = call.input(0);
  const Integers* indices = call.parameters(1);
  const auto dims = resultDims(call);
  if (!data || !indices || !dims) return std::nullopt;
  const std::size_t axis = *axisOf(intAttribute(call.node, "axis").value_or(0), data->dims.size());
  Integers chosen;
  for (const std::int64_t index : *indices) {
    const auto place = axisOf(index, static_cast<std::size_t>(data->dims[axis]));
    if (!place) return std::nullopt;
    chosen.push_back(static_cast<std::int64_t>(*place));
  }
  return pick(*data, *dims, placesAlong(*data, axis, chosen));
}

Result foldSlice(const Call& call) {
  const KnownTensor* data = call.input(0);
  const auto cut = cutOf(call);
  if (!data || !cut || !markAxes(cut->axes, data->dims.size())) return std::nullopt;
  std::vector<Stretch> stretches = wholeOf(*data);
  for (std::size_t i = 0; i < cut->axes.size(); ++i) {
    const std::size_t axis = *axisOf(cut->axes[i], data->dims.size());
    if (cut->steps[i] == 0) return std::nullopt;
    stretches[axis] = stretchOf(cut->starts[i], cut->ends[i], cut->steps[i], data->dims[axis]);
  }
  return cutOut(*data, stretches);
}

Results foldSplit(const Call& call) {
  const KnownTensor* data = call.input(0);
  if (!data) return {};
  Results results;
  std::vector<Stretch> stretches = wholeOf(*data);
  std::int64_t start = 0, whole = 0;
  for (const Dims& part : inferShapes(call)) {
    const std::size_t axis = *axisOf(intAttribute(call.node, "axis").value_or(0), part->size());
    const std::int64_t size = (*part)[axis];
    whole = data->dims[axis];
    if (size < 0 || size > whole - start) return {};
    stretches[axis] = {start, 1, size};
    results.push_back(cutOut(*data, stretches));
    start += size;
  }
  return start == whole ? results : Results{};
}

// An integer that may be unknown, or the name of a size.
struct Bound {
  std::int64_t value = 0;
  bool isSure = false;
};

// Returns the i-th entry of a Slice's starts, ends or steps.
Bound boundAt(const std::optional<Integers>& attribute, const KnownTensor* list, std::size_t i) {
  if (attribute) return i < attribute->size() ? Bound{(*attribute)[i], true} : Bound{};
  if (!list || list->isFloat() || i >= list->count()) return {};
  return {list->integers[i], list->isSure(i)};
}

// Returns how many elements there are from start to end, clamped as in ONNX.
std::int64_t sliceSize(Bound start, Bound end, Bound step, std::int64_t size) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
  if (!start.isSure || !step.isSure || step.value == 0) return kUnknown;
  const bool isWhole = start.value == 0 && step.value == 1;
  if (isWhole && !end.isSure && end.value < kUnknown && end.value == size) return size;
  if (!end.isSure) return kUnknown;
  if (!isNumber(size)) return isWhole && end.value >= kFar ? size : kUnknown;
  return stretchOf(start.value, end.value, step.value, size).count;
}

Dims shapeSlice(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  const auto starts = intsAttribute(call.node, "starts"), ends = intsAttribute(call.node, "ends");
  const KnownTensor *startList = call.list(1), *endList = call.list(2), *stepList = call.list(4);
  auto axes = call.list("axes", 3);
  if (!axes && call.leavesOut("axes", 3)) {
    const Integers* count = call.dims(1);
    axes.emplace();
    const std::size_t all = starts ? starts->size()
                            : count && count->size() == 1
                                ? static_cast<std::size_t>(std::max<std::int64_t>((*count)[0], 0))
                                : dims->size();
    for (std::size_t i = 0; i < std::min(all, dims->size()); ++i) {
      axes->push_back(static_cast<std::int64_t>(i));
    }
  }
  if (!axes || axes->size() > 64) return Integers(dims->size(), kUnknown);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = axisOf((*axes)[i], dims->size());
    if (!axis) return std::nullopt;
    const Bound step = call.has(4) ? boundAt(std::nullopt, stepList, i) : Bound{1, true};
    (*dims)[*axis] =
        sliceSize(boundAt(starts, startList, i), boundAt(ends, endList, i), step, (*dims)[*axis]);
  }
  return dims;
}

Shapes shapeSplit(const Call& call) {
  const Dims dims = call.copyOf(0);
  if (!dims) return {};
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(0), dims->size());
  if (!axis) return {};
  const auto outputs = static_cast<std::size_t>(call.node.output_size());
  if (outputs == 0) return {};
  const auto parts = static_cast<std::int64_t>(outputs);
  const std::int64_t whole = (*dims)[*axis];
  Shapes shapes(outputs, dims);
  const auto sizes = call.list("split", 1);
  const bool isEven = call.leavesOut("split", 1);
  // From opset 18 on the last part may be smaller.
  const std::int64_t chunk = isNumber(whole) && isEven ? (whole + parts - 1) / parts : 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    std::int64_t& part = (*shapes[i])[*axis];
    if (isEven) {
      const std::int64_t left = whole - static_cast<std::int64_t>(i) * chunk;
      part = isNumber(whole) ? std::clamp<std::int64_t>(left, 0, chunk) : kUnknown;
    } else {
      part = sizes && sizes->size() == outputs ? std::max((*sizes)[i], kUnknown) : kUnknown;
    }
  }
  return shapes;
}

Dims shapeGather(const Call& call) {
  const Integers *data = call.dims(0), *places = call.dims(1);
  if (!data || !places) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(0), data->size());
  if (!axis) return std::nullopt;
  const auto cut = data->begin() + static_cast<std::ptrdiff_t>(*axis);
  Integers dims(data->begin(), cut);
  dims.insert(dims.end(), places->begin(), places->end());
  dims.insert(dims.end(), cut + 1, data->end());
  return dims;
}

}  // namespace

std::optional<Cut> cutOf(const Call& call) {
  const auto starts = call.list("starts", 1);
  const auto ends = call.list("ends", 2);
  auto axes = call.list("axes", 3);
  auto steps = call.list("steps", 4);
  if (!starts || !ends || (!axes && call.has(3)) || (!steps && call.has(4))) return std::nullopt;
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), std::int64_t{0});
  }
  if (!steps) steps.emplace(starts->size(), 1);
  const std::size_t count = starts->size();
  if (ends->size() != count || axes->size() != count || steps->size() != count) return std::nullopt;
  return Cut{*starts, *ends, *axes, *steps};
}

const Operators& arrangementOperators() {
  static const Operators rows = {
      {"Concat", first<shapeConcat>, one<foldConcat>},
      {"Expand", first<shapeExpand>, one<foldExpand>},
      {"Flatten", first<shapeFlatten>, one<foldReshape>},
      {"Gather", first<shapeGather>, one<foldGather>},
      {"Reshape", first<shapeReshape>, one<foldReshape>},
      {"Slice", first<shapeSlice>, one<foldSlice>},
      {"Split", shapeSplit, foldSplit},
      {"Squeeze", first<shapeSqueeze>, one<foldReshape>},
      {"Tile", first<shapeTile>, one<foldTile>},
      {"Transpose", first<shapeTranspose>, one<foldTranspose>},
      {"Unsqueeze", first<shapeUnsqueeze>, one<foldReshape>},
  };
  return rows;
}

}  // namespace mpm::onnx
