// SPDX-License-Identifier: Apache-2.0
// Operators that choose elements along axes.
#include <numeric>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"

namespace mpm::onnx {
namespace {

// Where the elements of a selection along one axis come from.
Places placesAlong(const Known& source, std::size_t axis, const Integers& chosen) {
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

// One stretch for each axis.
Result cutOut(const Known& data, const std::vector<Stretch>& stretches) {
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

std::vector<Stretch> wholeOf(const Known& data) {
  std::vector<Stretch> stretches;
  for (const std::int64_t dim : data.dims) stretches.push_back({0, 1, dim});
  return stretches;
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

Result foldGather(const Call& call) {
  const Known* data = call.input(0);
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
  const Known* data = call.input(0);
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
  const Known* data = call.input(0);
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

}  // namespace mpm::onnx
