// SPDX-License-Identifier: Apache-2.0
// Operators that read elements from, or write them to, places that other values name.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

const KnownTensor* sure(const KnownTensor* data) { return data && data->isSure() ? data : nullptr; }

// Accepts integers only.
const KnownTensor* sureIndices(const KnownTensor* data) {
  return sure(data) && !data->isFloat() ? data : nullptr;
}

// Returns an index counted from either end; std::nullopt if it is outside the axis.
std::optional<std::size_t> indexIn(std::int64_t index, std::int64_t size) {
  if (index < -size || index >= size) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

// Returns the index in `data` that each element of `indices` names along the axis.
std::optional<Places> placesAlong(const KnownTensor& data, const KnownTensor& indices,
                                  std::int64_t along) {
  const auto axis = axisOf(along, data.dims.size());
  if (!axis || indices.dims.size() != data.dims.size()) return std::nullopt;
  for (std::size_t i = 0; i < data.dims.size(); ++i) {
    if (i != *axis && indices.dims[i] > data.dims[i]) return std::nullopt;
  }
  Strides strides = stridesOf(data.dims);
  const auto step = static_cast<std::size_t>(strides[*axis]);
  strides[*axis] = 0;
  Places places(indices.count());
  bool isSound = true;
  forEachPlace(indices.dims, strides, 0, [&](std::size_t i, std::size_t place) {
    const auto index = indexIn(indices.integers[i], data.dims[*axis]);
    isSound = isSound && index;
    places[i] = place + index.value_or(0) * step;
  });
  return isSound ? std::optional(places) : std::nullopt;
}

// Returns the first index in `data` that each row of `indices` names, from axis `batch` on.
std::optional<Places> placesOfRows(const KnownTensor& data, const KnownTensor& indices,
                                   std::size_t batch) {
  if (indices.dims.size() <= batch) return std::nullopt;
  const auto named = static_cast<std::size_t>(indices.dims.back());
  if (indices.dims.back() < 1 || batch + named > data.dims.size()) return std::nullopt;
  for (std::size_t i = 0; i < batch; ++i) {
    if (indices.dims[i] != data.dims[i]) return std::nullopt;
  }
  const Strides strides = stridesOf(data.dims);
  const std::size_t inBatch = product(indices.dims, batch, indices.dims.size() - 1);
  const std::size_t each = product(data.dims, batch, data.dims.size());
  Places places;
  for (std::size_t row = 0; row * named < indices.count(); ++row) {
    std::size_t place = inBatch == 0 ? 0 : row / inBatch * each;
    for (std::size_t i = 0; i < named; ++i) {
      const auto index = indexIn(indices.integers[row * named + i], data.dims[batch + i]);
      if (!index) return std::nullopt;
      place += *index * static_cast<std::size_t>(strides[batch + i]);
    }
    places.push_back(place);
  }
  return places;
}

// Adds two numbers; std::nullopt if their integer type does not hold the sum.
std::optional<float> sumOf(float a, float b, int) { return a + b; }

std::optional<std::int64_t> sumOf(std::int64_t a, std::int64_t b, int type) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || !fits(sum, type)) return std::nullopt;
  return sum;
}

// Writes `length` elements of `updates` to each place in `data`.
Result scattered(const Call& call, const Places& places, std::size_t length) {
  const KnownTensor &data = *call.input(0), &updates = *call.input(2);
  const auto kind = stringAttribute(call.node, "reduction").value_or("none");
  if (updates.type != data.type || updates.count() != places.size() * length) return std::nullopt;
  if (kind != "none" && kind != "add") return std::nullopt;
  KnownTensor result = data;
  bool isSound = true;
  const auto put = [&](auto* to, const auto* from) {
    for (std::size_t i = 0; i < updates.count() && isSound; ++i) {
      auto& target = to[places[i / length] + i % length];
      const std::optional value = kind == "add" ? sumOf(target, from[i], data.type) : from[i];
      isSound = value.has_value();
      target = value.value_or(target);
    }
  };
  withElements(put, result, updates);
  return isSound ? Result(result) : std::nullopt;
}

// Returns the order of a line's elements by value, largest or smallest first. In ties the lower
// index comes first.
std::vector<std::size_t> ordered(const KnownTensor& data, std::size_t first, std::size_t step,
                                 std::size_t size, bool isLargest) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sort = [&](const auto* values) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto x = values[first + a * step], y = values[first + b * step];
      return isLargest ? x > y : x < y;
    });
  };
  withElements(sort, data);
  return order;
}

Result foldGatherElements(const Call& call) {
  const KnownTensor *data = sure(call.input(0)), *indices = sureIndices(call.input(1));
  if (!data || !indices) return std::nullopt;
  const auto places = placesAlong(*data, *indices, intAttribute(call.node, "axis").value_or(0));
  if (!places) return std::nullopt;
  return pick(*data, indices->dims, *places);
}

Result foldGatherNd(const Call& call) {
  const KnownTensor *data = sure(call.input(0)), *indices = sureIndices(call.input(1));
  const std::int64_t batch = intAttribute(call.node, "batch_dims").value_or(0);
  const auto dims = resultDims(call);
  if (!data || !indices || !dims || batch > 8) return std::nullopt;
  const auto first = placesOfRows(*data, *indices, static_cast<std::size_t>(batch));
  if (!first) return std::nullopt;
  const auto named = static_cast<std::size_t>(batch + indices->dims.back());
  const std::size_t length = product(data->dims, named, data->dims.size());
  Places places;
  for (const std::size_t place : *first) {
    for (std::size_t i = 0; i < length; ++i) places.push_back(place + i);
  }
  return pick(*data, *dims, places);
}

Result foldScatterElements(const Call& call) {
  const KnownTensor *data = sure(call.input(0)), *indices = sureIndices(call.input(1));
  if (!data || !indices || !sure(call.input(2))) return std::nullopt;
  const auto places = placesAlong(*data, *indices, intAttribute(call.node, "axis").value_or(0));
  if (!places || call.input(2)->dims != indices->dims) return std::nullopt;
  return scattered(call, *places, 1);
}

Result foldScatterNd(const Call& call) {
  const KnownTensor *data = sure(call.input(0)), *indices = sureIndices(call.input(1));
  if (!data || !indices || !sure(call.input(2))) return std::nullopt;
  const auto places = placesOfRows(*data, *indices, 0);
  if (!places) return std::nullopt;
  const auto named = static_cast<std::size_t>(indices->dims.back());
  return scattered(call, *places, product(data->dims, named, data->dims.size()));
}

// Outputs the values and their indices along the axis.
Results foldTopK(const Call& call) {
  const KnownTensor* data = sure(call.input(0));
  const auto dims = resultDims(call);
  if (!data || !dims) return {};
  const std::size_t axis = *axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size());
  if ((*dims)[axis] > data->dims[axis]) return {};
  const bool isLargest = intAttribute(call.node, "largest").value_or(1) != 0;
  const auto size = static_cast<std::size_t>(data->dims[axis]);
  const auto kept = static_cast<std::size_t>((*dims)[axis]);
  const std::size_t outer = product(*dims, 0, axis);
  const std::size_t inner = product(*dims, axis + 1, dims->size());
  Result indices = zeros(::onnx::TensorProto::INT64, *dims);
  if (!indices) return {};
  Places places(indices->count());
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      const std::size_t first = o * size * inner + i;
      const auto order = ordered(*data, first, inner, size, isLargest);
      for (std::size_t k = 0; k < kept; ++k) {
        const std::size_t at = (o * kept + k) * inner + i;
        indices->integers[at] = static_cast<std::int64_t>(order[k]);
        places[at] = first + order[k] * inner;
      }
    }
  }
  return {pick(*data, *dims, places), indices};
}

Result foldOneHot(const Call& call) {
  const KnownTensor *indices = sureIndices(call.input(0)), *values = sure(call.input(2));
  const auto dims = resultDims(call);
  if (!indices || !values || !dims || values->count() != 2) return std::nullopt;
  const std::size_t axis = *axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size());
  const std::int64_t size = (*dims)[axis];
  if (size < 1) return std::nullopt;
  Places places(*smallCount(*dims), 0);
  const std::size_t inner = product(*dims, axis + 1, dims->size());
  for (std::size_t i = 0; i < indices->count(); ++i) {
    const auto index = indexIn(indices->integers[i], size);
    if (!index) continue;
    places[(i / inner * static_cast<std::size_t>(size) + *index) * inner + i % inner] = 1;
  }
  return pick(*values, *dims, places);
}

Result foldCumSum(const Call& call) {
  const KnownTensor* data = sure(call.input(0));
  const Integers* along = call.parameters(1);
  if (!data || !along || along->size() != 1) return std::nullopt;
  if (data->type == ::onnx::TensorProto::BOOL) return std::nullopt;
  const auto axis = axisOf((*along)[0], data->dims.size());
  if (!axis) return std::nullopt;
  const bool isExclusive = intAttribute(call.node, "exclusive").value_or(0) != 0;
  const bool isReverse = intAttribute(call.node, "reverse").value_or(0) != 0;
  const auto size = static_cast<std::size_t>(data->dims[*axis]);
  const std::size_t inner = product(data->dims, *axis + 1, data->dims.size());
  const std::size_t outer = product(data->dims, 0, *axis);
  KnownTensor result = *data;
  const auto sum = [&](const auto* from, auto* to, auto total) {
    const auto begin = total;
    for (std::size_t line = 0; line < outer * inner; ++line) {
      total = begin;
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t step = isReverse ? size - 1 - k : k;
        const std::size_t at = (line / inner * size + step) * inner + line % inner;
        const auto value = static_cast<decltype(total)>(from[at]);
        const auto before = total;
        total += value;
        to[at] = static_cast<std::decay_t<decltype(*to)>>(isExclusive ? before : total);
      }
    }
  };
  if (data->isFloat()) {
    sum(data->floats.data(), result.floats.write(), 0.0);
  } else {
    sum(data->integers.data(), result.integers.data(), std::uint64_t{0});  // wraps around
    for (const std::int64_t value : result.integers) {
      if (!fits(value, result.type)) return std::nullopt;
    }
  }
  return result;
}

Result foldTrilu(const Call& call) {
  const KnownTensor* data = sure(call.input(0));
  const bool hasShift = call.has(1);
  const Integers* given = hasShift ? call.parameters(1) : nullptr;
  if (!data || data->dims.size() < 2 || (hasShift && (!given || given->size() != 1))) {
    return std::nullopt;
  }
  const bool isUpper = intAttribute(call.node, "upper").value_or(1) != 0;
  const std::int64_t shift = given ? (*given)[0] : 0;
  const std::int64_t columns = data->dims.back(), rows = data->dims[data->dims.size() - 2];
  KnownTensor result = *data;
  const auto clear = [&](auto* elements) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(data->count()); ++i) {
      const std::int64_t past = i % columns - i / columns % rows;  // of the diagonal
      if (isUpper ? past < shift : past > shift) elements[i] = 0;
    }
  };
  withElements(clear, result);
  return result;
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

Dims shapeOneHot(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(-1), dims->size() + 1);
  if (!axis) return std::nullopt;
  const KnownTensor* depth = call.list(1);
  const bool isKnown = depth && !depth->isFloat() && depth->count() == 1 && depth->isSure();
  dims->insert(dims->begin() + static_cast<std::ptrdiff_t>(*axis),
               isKnown ? std::max(depth->integers[0], kUnknown) : kUnknown);
  return dims;
}

}  // namespace

const Operators& indexingOperators() {
  static const Operators rows = {
      {"CumSum", first<shapeSame>, one<foldCumSum>},
      {"GatherElements", first<shapeGatherElements>, one<foldGatherElements>},
      {"GatherND", first<shapeGatherND>, one<foldGatherNd>},
      {"OneHot", first<shapeOneHot>, one<foldOneHot>, likeInput(2)},
      {"Scatter", first<shapeSame>, one<foldScatterElements>},
      {"ScatterElements", first<shapeSame>, one<foldScatterElements>},
      {"ScatterND", first<shapeSame>, one<foldScatterNd>},
      {"TopK", shapeTopK, foldTopK},
      {"Trilu", first<shapeSame>, one<foldTrilu>},
  };
  return rows;
}

}  // namespace mpm::onnx
