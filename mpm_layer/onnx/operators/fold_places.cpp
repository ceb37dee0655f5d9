// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/fold_places.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "onnx/operators/shape_call.h"

namespace mpm::onnx {

Strides stridesOf(const Integers& dims) {
  Strides strides(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    strides[i] = static_cast<std::ptrdiff_t>(product(dims, i + 1, dims.size()));
  }
  return strides;
}

std::optional<Strides> broadcastStrides(const Integers& from, const Integers& to) {
  if (!smallCount(to) || from.size() > to.size()) return std::nullopt;
  const std::size_t added = to.size() - from.size();
  const Strides own = stridesOf(from);
  Strides strides(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[added + i]) return std::nullopt;
    if (from[i] != 1) strides[added + i] = own[i];
  }
  return strides;
}

std::optional<Places> broadcastPlaces(const Integers& from, const Integers& to) {
  const auto strides = broadcastStrides(from, to);
  if (!strides) return std::nullopt;
  Places places(product(to, 0, to.size()));
  forEachPlace(to, *strides, 0, [&](std::size_t i, std::size_t place) { places[i] = place; });
  return places;
}

std::optional<std::pair<Known, Known>> broadcast(const Known* a, const Known* b) {
  if (!a || !b || a->type != b->type) return std::nullopt;
  const auto dims = broadcastSizes(a->dims, b->dims);
  if (!dims) return std::nullopt;
  auto wholeA = broadcastTo(*a, *dims);
  auto wholeB = broadcastTo(*b, *dims);
  if (!wholeA || !wholeB) return std::nullopt;
  return std::pair(std::move(*wholeA), std::move(*wholeB));
}

std::optional<Known> broadcastTo(const Known& source, const Integers& dims) {
  if (source.dims == dims) return source;
  const auto strides = broadcastStrides(source.dims, dims);
  if (!strides) return std::nullopt;
  return pickStrided(source, dims, *strides);
}

Known pick(const Known& source, Integers dims, const Places& places) {
  Known result;
  result.type = source.type;
  result.dims = std::move(dims);
  const auto copy = [&](const auto& from, auto& to) {
    to.reserve(places.size());
    for (const std::size_t place : places) to.push_back(from[place]);
  };
  copy(source.sure, result.sure);
  withElements(copy, source, result);
  return result;
}

namespace {

template <class Element>
void copyRun(const Element* from, std::ptrdiff_t step, std::size_t run, Element* to) {
  if (step == 1) {
    std::copy_n(from, run, to);
  } else if (step == 0) {
    std::fill_n(to, run, *from);
  } else {
    for (std::size_t i = 0; i < run; ++i, from += step) to[i] = *from;
  }
}

}  // namespace

Known pickStrided(const Known& source, const Integers& dims, const Strides& strides,
                  std::size_t first) {
  Known result;
  result.type = source.type;
  result.dims = dims;
  const std::size_t count = product(dims, 0, dims.size());
  // Large ones are shared out along their first axis that is more than one element, unless its
  // parts are too small to be worth it.
  constexpr std::size_t kWorthThreads = std::size_t{1} << 16, kWorthATask = 1024;
  std::size_t axis = 0;
  while (axis < dims.size() && dims[axis] == 1) ++axis;
  const bool isShared = count >= kWorthThreads && axis < dims.size() &&
                        count / static_cast<std::size_t>(dims[axis]) >= kWorthATask;
  const std::size_t tasks = isShared ? static_cast<std::size_t>(dims[axis]) : 1;
  const std::size_t each = count / tasks;
  Integers rest = dims;
  if (isShared) rest[axis] = 1;
  const auto copy = [&](const auto& from, auto& to) {
    to.resize(count);
    const auto part = [&](std::size_t task) {
      const std::ptrdiff_t stride = isShared ? strides[axis] : 0;
      const auto begin =
          static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(task) * stride;
      forEachRun(rest, strides, static_cast<std::size_t>(begin),
                 [&](std::size_t i, std::ptrdiff_t place, std::size_t run, std::ptrdiff_t step) {
                   copyRun(from.data() + place, step, run, to.data() + task * each + i);
                 });
    };
    if (isShared) return processor::forEachTask(tasks, part);
    part(0);
  };
  copy(source.sure, result.sure);
  withElements(copy, source, result);
  return result;
}

Known transposed(const Known& source, const Integers& seen, const std::vector<std::size_t>& order) {
  const Strides own = stridesOf(seen);
  Integers dims;
  Strides strides;
  for (const std::size_t axis : order) {
    dims.push_back(seen[axis]);
    strides.push_back(own[axis]);
  }
  return pickStrided(source, dims, strides);
}

Known reshaped(const Known& source, Integers dims) {
  Known result = source;
  result.dims = std::move(dims);
  return result;
}

std::size_t product(const Integers& dims, std::size_t begin, std::size_t end) {
  std::size_t count = 1;
  for (std::size_t i = begin; i < end; ++i) count *= static_cast<std::size_t>(dims[i]);
  return count;
}

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

std::optional<std::vector<std::size_t>> orderOf(const Node& transpose, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  const auto given = intsAttribute(transpose, "perm");
  if (!given) return order;
  if (given->size() != rank || !markAxes(*given, rank)) return std::nullopt;
  std::transform(given->begin(), given->end(), order.begin(),
                 [&](std::int64_t axis) { return *axisOf(axis, rank); });
  return order;
}

std::optional<std::vector<bool>> markAxes(const Integers& axes, std::size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const std::int64_t value : axes) {
    const auto axis = axisOf(value, rank);
    if (!axis || marked[*axis]) return std::nullopt;
    marked[*axis] = true;
  }
  return marked;
}

}  // namespace mpm::onnx
