// SPDX-License-Identifier: Apache-2.0
// Operators that choose elements.
#include <algorithm>
#include <limits>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

// A whole number that may not be known, or be the name of a size.
struct Bound {
  std::int64_t value = 0;
  bool isSure = false;
};

// The i-th entry of a Slice's starts, ends or steps.
Bound boundAt(const std::optional<Integers>& attribute, const Known* list, std::size_t i) {
  if (attribute) return i < attribute->size() ? Bound{(*attribute)[i], true} : Bound{};
  if (!list || list->isFloat() || i >= list->count()) return {};
  return {list->integers[i], list->sure[i] != 0};
}

// How many elements from start to end, by ONNX's rules of clamping.
std::int64_t sliceSize(Bound start, Bound end, Bound step, std::int64_t size) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
  if (!start.isSure || !step.isSure || step.value == 0) return kUnknown;
  const bool isWhole = start.value == 0 && step.value == 1;
  if (isWhole && !end.isSure && end.value < kUnknown && end.value == size) return size;
  if (!end.isSure) return kUnknown;
  if (!isNumber(size)) return isWhole && end.value >= kFar ? size : kUnknown;
  return stretchOf(start.value, end.value, step.value, size).count;
}

}  // namespace

Dims shapeSlice(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  const auto starts = intsAttribute(call.node, "starts"), ends = intsAttribute(call.node, "ends");
  const Known *startList = call.list(1), *endList = call.list(2), *stepList = call.list(4);
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
  // Since opset 18 the last part may be smaller.
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

Dims shapeGatherElements(const Call& call) { return call.copyOf(1); }

Dims shapeGatherND(const Call& call) {
  const Integers *data = call.dims(0), *places = call.dims(1);
  if (!data || !places || places->empty() || !isNumber(places->back())) return std::nullopt;
  const std::int64_t batch = intAttribute(call.node, "batch_dims").value_or(0);
  const auto rank = static_cast<std::int64_t>(data->size());
  if (batch < 0 || batch > rank || places->back() > rank - batch) return std::nullopt;
  Integers dims(places->begin(), places->end() - 1);
  dims.insert(dims.end(), data->begin() + (batch + places->back()), data->end());
  return dims;
}

Shapes shapeTopK(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return {};
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size());
  if (!axis) return {};
  const auto count = call.list("k", 1);
  (*dims)[*axis] = count && count->size() == 1 ? std::max((*count)[0], kUnknown) : kUnknown;
  return {dims, dims};
}

}  // namespace mpm::onnx
