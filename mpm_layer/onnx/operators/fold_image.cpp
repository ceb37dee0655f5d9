// SPDX-License-Identifier: Apache-2.0
// Operators on planes: borders, places that become channels or come of them, and blocks of columns.
#include <algorithm>
#include <string>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

// Which element of an axis stands at a place that may lie beside it; -1: none does.
std::int64_t sourceOf(const std::string& mode, std::int64_t place, std::int64_t size) {
  if (place >= 0 && place < size) return place;
  if (mode == "edge") return std::clamp<std::int64_t>(place, 0, size - 1);
  if (mode == "wrap") return (place % size + size) % size;
  if (mode == "reflect") {
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (size - 1));
    const std::int64_t at = (place % period + period) % period;
    return at < size ? at : period - at;
  }
  return -1;
}

// How many elements come in front of each axis and behind it.
std::optional<std::pair<Integers, Integers>> padsOf(const Call& call, std::size_t rank) {
  const auto pads = call.list("pads", 1);
  Integers axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (call.has(3)) {
    const Integers* given = call.parameters(3);
    if (!given) return std::nullopt;
    axes = *given;
  }
  if (!pads || !markAxes(axes, rank) || pads->size() != 2 * axes.size()) return std::nullopt;
  std::pair<Integers, Integers> result{Integers(rank, 0), Integers(rank, 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result.first[*axisOf(axes[i], rank)] = (*pads)[i];
    result.second[*axisOf(axes[i], rank)] = (*pads)[i + axes.size()];
  }
  return result;
}

// What stands where nothing does; nothing where it is not known.
std::optional<Known> fillingOf(const Call& call, const Known& data) {
  if (call.has(2)) {
    const Known* given = call.input(2);
    if (!given || given->count() != 1 || given->type != data.type) return std::nullopt;
    return *given;
  }
  Result zero = emptyKnown(data.type, {1});
  zero->sure.assign(1, 1);
  if (zero->isFloat()) zero->floats[0] = floatAttribute(call.node, "value").value_or(0);
  return zero;
}

// One axis padded; where `fill` is not null it stands beside the axis.
Result paddedAlong(const Known& data, std::size_t axis, std::int64_t before, std::int64_t behind,
                   const std::string& mode, const Known& fill) {
  Integers dims = data.dims;
  std::int64_t size = 0;
  if (__builtin_add_overflow(dims[axis], before, &size)) return std::nullopt;
  if (__builtin_add_overflow(size, behind, &size) || size < 0) return std::nullopt;
  std::int64_t farthest = 0;  // of the places in `data` that are looked at below
  if (__builtin_sub_overflow(size, before, &farthest)) return std::nullopt;
  dims[axis] = size;
  const std::int64_t old = data.dims[axis];
  if (!smallCount(dims) || (old == 0 && mode != "constant")) return std::nullopt;
  const std::size_t outer = product(dims, 0, axis);
  const std::size_t inner = product(dims, axis + 1, dims.size());
  Places places;
  Known source = data;  // and the filling behind it
  const std::size_t nothing = data.count();
  source.sure.push_back(fill.sure[0]);
  withElements([](auto& to, const auto& from) { to.push_back(from[0]); }, source, fill);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t from = sourceOf(mode, k - before, old);
      for (std::size_t i = 0; i < inner; ++i) {
        places.push_back(
            from < 0
                ? nothing
                : (o * static_cast<std::size_t>(old) + static_cast<std::size_t>(from)) * inner + i);
      }
    }
  }
  return pick(source, dims, places);
}

// A value seen with these dims, its axes put in this order, and seen as the node's result.
Result rearranged(const Call& call, const Integers& seen, const std::vector<std::size_t>& order) {
  const auto dims = resultDims(call);
  if (!dims || smallCount(seen) != call.input(0)->count()) return std::nullopt;
  return reshaped(transposed(*call.input(0), seen, order), *dims);
}

// The side of the squares that DepthToSpace and SpaceToDepth move; 0 where they cannot.
std::int64_t blockOf(const Call& call) {
  const std::int64_t block = intAttribute(call.node, "blocksize").value_or(0);
  const bool isImage = call.input(0) && call.input(0)->dims.size() == 4;
  return isImage && block >= 1 && block <= 1024 ? block : 0;
}

}  // namespace

Result foldPad(const Call& call) {
  const Known* data = call.input(0);
  const auto pads = data ? padsOf(call, data->dims.size()) : std::nullopt;
  const auto fill = pads ? fillingOf(call, *data) : std::nullopt;
  const auto mode = stringAttribute(call.node, "mode").value_or("constant");
  if (!fill || (mode != "constant" && mode != "edge" && mode != "wrap" && mode != "reflect")) {
    return std::nullopt;
  }
  Result result = *data;
  for (std::size_t axis = 0; axis < data->dims.size() && result; ++axis) {
    if (pads->first[axis] == 0 && pads->second[axis] == 0) continue;
    result = paddedAlong(*result, axis, pads->first[axis], pads->second[axis], mode, *fill);
  }
  return result;
}

Result foldDepthToSpace(const Call& call) {
  const std::int64_t block = blockOf(call);
  if (block == 0) return std::nullopt;
  const Integers& d = call.input(0)->dims;
  const std::int64_t channels = d[1] / (block * block);
  if (stringAttribute(call.node, "mode").value_or("DCR") == "CRD") {
    return rearranged(call, {d[0], channels, block, block, d[2], d[3]}, {0, 1, 4, 2, 5, 3});
  }
  return rearranged(call, {d[0], block, block, channels, d[2], d[3]}, {0, 3, 4, 1, 5, 2});
}

Result foldSpaceToDepth(const Call& call) {
  const std::int64_t block = blockOf(call);
  if (block == 0) return std::nullopt;
  const Integers& d = call.input(0)->dims;
  return rearranged(call, {d[0], d[1], d[2] / block, block, d[3] / block, block},
                    {0, 3, 5, 1, 2, 4});
}

// What overlaps is added up.
Result foldCol2Im(const Call& call) {
  const Known* data = sureFloats(call.input(0));
  const Integers* block = call.parameters(2);
  const Dims made = data && block ? resultDims(call) : std::nullopt;
  const auto window = made ? windowOf(call.node, *made, *block) : std::nullopt;
  if (!window) return std::nullopt;
  const WindowAxis down = (*window)[0], across = (*window)[1];
  if (Integers{down.kernel, across.kernel} != *block) return std::nullopt;  // a kernel_shape
  const std::int64_t places = data->dims[2], each = down.kernel * across.kernel;
  Result result = emptyKnown(data->type, *made);
  if (!result || across.places < 1 || places % across.places != 0 ||
      places / across.places != down.places)
    return std::nullopt;
  result->sure.assign(result->count(), 1);
  const auto area = static_cast<std::size_t>(down.size * across.size);
  processor::forEachTask(product(*made, 0, 2), [&](std::size_t plane) {
    const float* columns = data->floats.data() + plane * static_cast<std::size_t>(each * places);
    float* to = result->floats.data() + plane * area;
    for (std::int64_t k = 0; k < each; ++k, columns += places)
      forEachCovered(down, across, k / across.kernel, k % across.kernel,
                     [&](auto place, auto element) { to[element] += columns[place]; });
  });
  return result;
}

}  // namespace mpm::onnx
