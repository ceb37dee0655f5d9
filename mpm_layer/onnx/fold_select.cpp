// SPDX-License-Identifier: Apache-2.0
// Operators that choose elements along axes.
#include <algorithm>
#include <numeric>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"

namespace mpm::onnx {
namespace {

// Where the elements of a selection along one axis come from; nothing where it is too large.
std::optional<Places> placesAlong(const Known& source, std::size_t axis, const Integers& chosen) {
  Integers dims = source.dims;
  dims[axis] = static_cast<std::int64_t>(chosen.size());
  if (!smallCount(dims)) return std::nullopt;
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

// Positions along an axis: `count` of them, from start on.
struct Stretch {
  std::int64_t start = 0, step = 1, count = 0;
};

// From start to before end, by ONNX's rules of clamping.
Stretch stretchOf(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
  if (size == 0) return {};
  const bool forward = step > 0;
  if (start < 0) start += size;
  if (end < 0) end += size;
  start = std::clamp<std::int64_t>(start, 0, forward ? size : size - 1);
  end = std::clamp<std::int64_t>(end, forward ? 0 : -1, forward ? size : size - 1);
  step = std::clamp<std::int64_t>(step, -size - 1, size + 1);
  const std::int64_t room = forward ? end - start : start - end;
  const std::int64_t width = forward ? step : -step;
  return {start, step, room <= 0 ? 0 : (room + width - 1) / width};
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

// What a Slice cuts; one entry for each axis.
struct Cut {
  Integers starts, ends, axes, steps;
};

std::optional<Cut> cutOf(const Call& call) {
  const auto starts = call.list("starts", 1);
  const auto ends = call.list("ends", 2);
  auto axes = call.list("axes", 3);
  auto steps = call.list("steps", 4);
  // A left out input has an empty name; one that is there has to be known.
  const auto isGiven = [&](int i) {
    return call.node.input_size() > i && !call.node.input(i).empty();
  };
  if (!starts || !ends || (!axes && isGiven(3)) || (!steps && isGiven(4))) return std::nullopt;
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), std::int64_t{0});
  }
  if (!steps) steps.emplace(starts->size(), 1);
  const std::size_t count = starts->size();
  if (ends->size() != count || axes->size() != count || steps->size() != count) return std::nullopt;
  return Cut{*starts, *ends, *axes, *steps};
}

}  // namespace

Result foldGather(const Call& call) {
  const Known* data = call.input(0);
  const Integers* indices = call.parameters(1);
  if (!data || !indices) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(0), data->dims.size());
  if (!axis) return std::nullopt;
  Integers chosen;
  for (const std::int64_t index : *indices) {
    const auto place = axisOf(index, static_cast<std::size_t>(data->dims[*axis]));
    if (!place) return std::nullopt;
    chosen.push_back(static_cast<std::int64_t>(*place));
  }
  const auto cut = data->dims.begin() + static_cast<std::ptrdiff_t>(*axis);
  Integers dims(data->dims.begin(), cut);
  dims.insert(dims.end(), call.input(1)->dims.begin(), call.input(1)->dims.end());
  dims.insert(dims.end(), cut + 1, data->dims.end());
  const auto places = placesAlong(*data, *axis, chosen);
  if (!places || !smallCount(dims)) return std::nullopt;
  return pick(*data, dims, *places);
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
  const auto axis =
      data ? axisOf(intAttribute(call.node, "axis").value_or(0), data->dims.size()) : std::nullopt;
  const auto outputs = static_cast<std::int64_t>(call.node.output_size());
  auto sizes = call.list("split", 1);
  if (!axis || (!sizes && !call.leavesOut("split", 1))) return {};
  const std::int64_t whole = data->dims[*axis];
  if (!sizes) {
    // Since opset 18 the last part may be smaller.
    const std::int64_t chunk = (whole + outputs - 1) / outputs;
    sizes.emplace();
    for (std::int64_t i = 0; i < outputs; ++i) {
      sizes->push_back(std::clamp<std::int64_t>(whole - i * chunk, 0, chunk));
    }
  }
  Results results;
  std::vector<Stretch> stretches = wholeOf(*data);
  std::int64_t start = 0;
  for (const std::int64_t size : *sizes) {
    if (size < 0 || size > whole - start) return {};
    stretches[*axis] = {start, 1, size};
    results.push_back(cutOut(*data, stretches));
    start += size;
  }
  if (start != whole || results.size() != static_cast<std::size_t>(outputs)) return {};
  return results;
}

}  // namespace mpm::onnx
