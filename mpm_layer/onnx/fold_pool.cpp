// SPDX-License-Identifier: Apache-2.0
// Pooling as ONNX Runtime does it, over rows or planes.
#include <algorithm>
#include <limits>
#include <string>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"

namespace mpm::onnx {
namespace {

// A window's way along one axis.
struct PoolAxis {
  std::int64_t size = 1, places = 1, kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;

  std::int64_t at(std::int64_t place, std::int64_t k) const {
    return place * stride - before + k * dilation;
  }
  // How many elements of the window at a place lie in the axis, or in that and its padding too.
  std::int64_t counted(std::int64_t place, bool withPadding) const {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t y = at(place, k);
      count += withPadding ? y < size + behind : y >= 0 && y < size;
    }
    return count;
  }
};

struct Pool {
  PoolAxis down, across;  // of rows: one place down
};

// What an attribute has for an axis; nothing where that is below `least`, or larger than images
// are.
std::optional<std::int64_t> entryOf(const Node& node, const char* name, std::size_t i,
                                    std::int64_t otherwise, std::int64_t least) {
  const Integers list = intsAttribute(node, name).value_or(Integers{});
  const std::int64_t entry = i < list.size() ? list[i] : otherwise;
  constexpr std::int64_t kMost = std::int64_t{1} << 13;
  return entry >= least && entry <= kMost ? std::optional(entry) : std::nullopt;
}

std::optional<PoolAxis> axisOf(const Node& node, std::size_t i, std::size_t axes, std::int64_t size,
                               std::int64_t places) {
  const auto kernel = entryOf(node, "kernel_shape", i, 0, 1);
  const auto stride = entryOf(node, "strides", i, 1, 1);
  const auto dilation = entryOf(node, "dilations", i, 1, 1);
  const auto before = entryOf(node, "pads", i, 0, 0);
  const auto behind = entryOf(node, "pads", axes + i, 0, 0);
  if (!kernel || !stride || !dilation || !before || !behind) return std::nullopt;
  PoolAxis axis{size, places, *kernel, *stride, *dilation, *before, *behind};
  const std::string automatic = stringAttribute(node, "auto_pad").value_or("NOTSET");
  if (automatic == "NOTSET") return axis;
  axis.before = axis.behind = 0;
  if (automatic == "VALID") return axis;
  const std::int64_t span = (*kernel - 1) * *dilation + 1;
  const std::int64_t all = std::max<std::int64_t>(0, (places - 1) * *stride + span - size);
  axis.before = automatic == "SAME_LOWER" ? all - all / 2 : all / 2;
  axis.behind = all - axis.before;
  return axis;
}

std::optional<Pool> poolOf(const Node& node, const Integers& dims, const Integers& made) {
  const std::size_t axes = dims.size() - 2;
  if (dims.size() != made.size() || axes < 1 || axes > 2) return std::nullopt;
  const auto last = axisOf(node, axes - 1, axes, dims.back(), made.back());
  const auto first = axes == 2 ? axisOf(node, 0, axes, dims[2], made[2]) : PoolAxis{};
  return first && last ? std::optional(Pool{*first, *last}) : std::nullopt;
}

// visit(element) for those of the window at a place that lie in the plane.
template <class Visit>
void forEachInside(const Pool& pool, const float* plane, std::int64_t row, std::int64_t column,
                   const Visit& visit) {
  for (std::int64_t k = 0; k < pool.down.kernel; ++k) {
    const std::int64_t y = pool.down.at(row, k);
    if (y < 0 || y >= pool.down.size) continue;
    for (std::int64_t l = 0; l < pool.across.kernel; ++l) {
      const std::int64_t x = pool.across.at(column, l);
      if (x >= 0 && x < pool.across.size) visit(plane[y * pool.across.size + x]);
    }
  }
}

// reduce(pool, plane, row, column) is what stands at a place.
template <class Reduce>
Result pooled(const Call& call, const Reduce& reduce) {
  const Known* data = sureFloats(call.input(0));
  const bool hasOne = call.node.output_size() == 1;  // without the places of maxima
  const Dims made = data && hasOne && data->dims.size() >= 3 ? resultDims(call) : std::nullopt;
  const auto pool = made ? poolOf(call.node, data->dims, *made) : std::nullopt;
  Result result = pool ? emptyKnown(data->type, *made) : std::nullopt;
  if (!result) return std::nullopt;
  result->sure.assign(result->count(), 1);
  const auto area = static_cast<std::size_t>(pool->down.size * pool->across.size);
  const auto places = static_cast<std::size_t>(pool->down.places * pool->across.places);
  processor::forEachTask(product(*made, 0, 2), [&](std::size_t plane) {
    float* to = result->floats.data() + plane * places;
    for (std::int64_t i = 0; i < pool->down.places; ++i) {
      for (std::int64_t j = 0; j < pool->across.places; ++j)
        *to++ = reduce(*pool, data->floats.data() + plane * area, i, j);
    }
  });
  return result;
}

}  // namespace

Result foldMaxPool(const Call& call) {
  return pooled(call, [](const Pool& pool, const float* plane, std::int64_t i, std::int64_t j) {
    float largest = std::numeric_limits<float>::lowest();
    forEachInside(pool, plane, i, j, [&](float each) { largest = std::max(largest, each); });
    return largest;
  });
}

Result foldAveragePool(const Call& call) {
  const bool countsAll = intAttribute(call.node, "count_include_pad").value_or(0) != 0;
  return pooled(call, [&](const Pool& pool, const float* plane, std::int64_t i, std::int64_t j) {
    float sum = 0;
    forEachInside(pool, plane, i, j, [&](float each) { sum += each; });
    const auto count = pool.down.counted(i, countsAll) * pool.across.counted(j, countsAll);
    return count == 0 ? 0.0F : sum / static_cast<float>(count);
  });
}

}  // namespace mpm::onnx
