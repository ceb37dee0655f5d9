// SPDX-License-Identifier: Apache-2.0
// What the operators share: parameters, axes, broadcasting.
#include "onnx/fold_ops.h"

#include <numeric>

#include "onnx/attribute.h"

namespace mpm::onnx {

const Integers* Call::parameters(std::size_t i) const {
  const Known* known = input(i);
  return known && !known->isFloat() && known->isSure() ? &known->integers : nullptr;
}

std::optional<Integers> Call::list(const char* attribute, std::size_t input) const {
  if (auto values = intsAttribute(node, attribute)) return values;
  const Integers* values = parameters(input);
  if (!values) return std::nullopt;
  return *values;
}

Places samePlaces(const Known& source) {
  Places places(source.count());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

std::size_t product(const Integers& dims, std::size_t begin, std::size_t end) {
  std::size_t count = 1;
  for (std::size_t i = begin; i < end; ++i) count *= static_cast<std::size_t>(dims[i]);
  return count;
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

std::optional<Integers> broadcastDims(const Integers& a, const Integers& b) {
  const Integers& longer = a.size() >= b.size() ? a : b;
  const Integers& shorter = a.size() >= b.size() ? b : a;
  Integers dims = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = dims[longer.size() - shorter.size() + i];
    if (dim == 1) {
      dim = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != dim) {
      return std::nullopt;
    }
  }
  return dims;
}

std::optional<std::vector<std::size_t>> broadcastPlaces(const Integers& from, const Integers& to) {
  const auto count = smallCount(to);
  if (!count || from.size() > to.size()) return std::nullopt;
  std::vector<std::size_t> strides(to.size(), 0);
  std::size_t stride = 1;
  const std::size_t added = to.size() - from.size();
  for (std::size_t i = from.size(); i-- > 0;) {
    if (from[i] != 1 && from[i] != to[added + i]) return std::nullopt;
    if (from[i] != 1) strides[added + i] = stride;
    stride *= static_cast<std::size_t>(from[i]);
  }
  std::vector<std::size_t> places(*count), at(to.size(), 0);
  std::size_t place = 0;
  for (auto& each : places) {
    each = place;
    for (std::size_t i = to.size(); i-- > 0;) {
      place += strides[i];
      if (++at[i] < static_cast<std::size_t>(to[i])) break;
      place -= strides[i] * at[i];
      at[i] = 0;
    }
  }
  return places;
}

std::optional<std::pair<Known, Known>> broadcast(const Known* a, const Known* b) {
  if (!a || !b || a->type != b->type) return std::nullopt;
  const auto dims = broadcastDims(a->dims, b->dims);
  if (!dims) return std::nullopt;
  const auto fromA = broadcastPlaces(a->dims, *dims);
  const auto fromB = broadcastPlaces(b->dims, *dims);
  if (!fromA || !fromB) return std::nullopt;
  return std::pair(pick(*a, *dims, *fromA), pick(*b, *dims, *fromB));
}

std::optional<Known> foldExpand(const Call& call) {
  const Known* data = call.input(0);
  const Integers* target = call.parameters(1);
  if (!data || !target) return std::nullopt;
  const auto dims = broadcastDims(data->dims, *target);
  if (!dims) return std::nullopt;
  const auto places = broadcastPlaces(data->dims, *dims);
  if (!places) return std::nullopt;
  return pick(*data, *dims, *places);
}

}  // namespace mpm::onnx
