// SPDX-License-Identifier: Apache-2.0
// Pooling as ONNX Runtime does it, over rows or planes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

// Of planes, and of rows as planes of one row; nothing where it is none of a known size.
std::optional<Window> poolOf(const Call& call) {
  const Known* data = sureFloats(call.input(0));
  auto window = data ? windowOf(call.node, data->dims, {}) : std::nullopt;
  if (!window || window->size() > 2) return std::nullopt;
  constexpr std::int64_t kMost = std::int64_t{1} << 13;
  const auto isKnown = [](const WindowAxis& axis) {
    return isNumber(axis.places) && isNumber(axis.kernel) && axis.kernel <= kMost;
  };
  if (!std::all_of(window->begin(), window->end(), isKnown)) return std::nullopt;
  if (window->size() == 1) window->insert(window->begin(), WindowAxis{});
  return window;
}

// Each place has `start` first, then reduce(what it has, element) for what the window covers.
template <class Reduce>
Result pooled(const Call& call, const Window& window, float start, const Reduce& reduce) {
  const Known& data = *call.input(0);
  const Dims made = resultDims(call);
  Result result = made ? emptyKnown(data.type, *made) : std::nullopt;
  if (!result) return std::nullopt;
  result->sure.assign(result->count(), 1);
  result->floats.assign(result->count(), start);
  const WindowAxis &down = window[0], &across = window[1];
  const auto area = static_cast<std::size_t>(down.size * across.size);
  const auto places = static_cast<std::size_t>(down.places * across.places);
  processor::forEachTask(product(*made, 0, 2), [&](std::size_t plane) {
    const float* from = data.floats.data() + plane * area;
    float* to = result->floats.data() + plane * places;
    for (std::int64_t k = 0; k < down.kernel * across.kernel; ++k)
      forEachCovered(down, across, k / across.kernel, k % across.kernel,
                     [&](auto place, auto at) { to[place] = reduce(to[place], from[at]); });
  });
  return result;
}

// Where in all of the data the element stands that is a window's largest; of several the first.
Result placesOf(const Call& call, const Window& window, const Known& largest) {
  Result result = emptyKnown(::onnx::TensorProto::INT64, largest.dims);
  if (!result || intAttribute(call.node, "storage_order").value_or(0) != 0) return std::nullopt;
  result->sure.assign(result->count(), 1);
  result->integers.assign(result->count(), -1);
  const Known& data = *call.input(0);
  const WindowAxis &down = window[0], &across = window[1];
  const std::int64_t area = down.size * across.size, places = down.places * across.places;
  processor::forEachTask(product(largest.dims, 0, 2), [&](std::size_t plane) {
    const std::int64_t first = static_cast<std::int64_t>(plane) * area;
    const std::int64_t shown = static_cast<std::int64_t>(plane) * places;
    for (std::int64_t k = 0; k < down.kernel * across.kernel; ++k)
      forEachCovered(down, across, k / across.kernel, k % across.kernel, [&](auto place, auto at) {
        std::int64_t& found = result->integers[static_cast<std::size_t>(shown + place)];
        const float value = data.floats[static_cast<std::size_t>(first + at)];
        if (found < 0 && value == largest.floats[static_cast<std::size_t>(shown + place)])
          found = first + at;
      });
  });
  return result;
}

// How many elements of the window at a place lie in the axis, or in that and its padding too.
std::int64_t counted(const WindowAxis& axis, std::int64_t place, bool withPadding) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    const std::int64_t at = axis.at(place, k);
    count += withPadding ? at < axis.size + axis.behind : axis.holds(at);
  }
  return count;
}

}  // namespace

Results foldMaxPool(const Call& call) {
  const auto window = poolOf(call);
  if (!window) return {};
  const Result largest = pooled(call, *window, std::numeric_limits<float>::lowest(),
                                [](float most, float each) { return std::max(most, each); });
  if (!largest || call.node.output_size() < 2) return {largest};
  return {largest, placesOf(call, *window, *largest)};
}

Result foldAveragePool(const Call& call) {
  const auto window = poolOf(call);
  Result result = window ? pooled(call, *window, 0, std::plus<>()) : std::nullopt;
  if (!result) return std::nullopt;
  const WindowAxis &down = (*window)[0], &across = (*window)[1];
  const bool countsAll = intAttribute(call.node, "count_include_pad").value_or(0) != 0;
  std::vector<float> counts;
  for (std::int64_t i = 0; i < down.places; ++i) {
    for (std::int64_t j = 0; j < across.places; ++j)
      counts.push_back(
          static_cast<float>(counted(down, i, countsAll) * counted(across, j, countsAll)));
  }
  for (std::size_t i = 0; i < result->count(); ++i) {
    const float count = counts[i % counts.size()];
    result->floats[i] = count == 0 ? 0.0F : result->floats[i] / count;
  }
  return result;
}

}  // namespace mpm::onnx
