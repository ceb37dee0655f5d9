// SPDX-License-Identifier: Apache-2.0
// Operators that make elements: of another type, of one value, of a progression.

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;

// Truncates an integer to a narrow type, as processors do.
std::int64_t cutOff(std::int64_t value, int type) {
  switch (type) {
    case TensorProto::UINT8:
      return static_cast<std::uint8_t>(value);
    case TensorProto::INT8:
      return static_cast<std::int8_t>(value);
    case TensorProto::UINT16:
      return static_cast<std::uint16_t>(value);
    case TensorProto::INT16:
      return static_cast<std::int16_t>(value);
    default:
      return value;
  }
}

// Converts a float to an integer of 32 or 64 bits. Out of range, and for NaN, it is the smallest
// integer, as in ONNX Runtime on x86. An example is the logarithm of a distance of 0, which a Where
// then discards.
std::int64_t wholeOf(float value, int type) {
  constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
  if (type == TensorProto::INT32)
    return std::fabs(value) < 0x1p31f ? static_cast<std::int64_t>(value)
                                      : std::numeric_limits<std::int32_t>::min();
  return std::fabs(value) < 0x1p63f ? static_cast<std::int64_t>(value) : kSmallest;
}

// Converts one element to an integer type, which may not hold it.
std::int64_t wholeAt(const KnownTensor& from, std::size_t i, int type) {
  if (type == TensorProto::BOOL)
    return static_cast<std::int64_t>(from.isFloat() ? from.floats[i] != 0 : from.integers[i] != 0);
  return cutOff(from.isFloat() ? wholeOf(from.floats[i], type) : from.integers[i], type);
}

// Returns the number of steps of delta from start to limit; std::nullopt if it is not small.
std::optional<std::int64_t> steps(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / (delta == 0 ? 1 : delta));
  if (delta == 0 || !(count <= static_cast<double>(mostElements()))) return std::nullopt;
  return static_cast<std::int64_t>(std::max(count, 0.0));
}

// Returns a scalar's value; std::nullopt if it is none, not sure, or not exact in float64.
std::optional<double> scalar(const KnownTensor* known, int type) {
  constexpr double kExact = 0x1p40;
  if (!known || known->count() != 1 || !known->isSure() || known->type != type) return std::nullopt;
  const double value = known->isFloat() ? static_cast<double>(known->floats[0])
                                        : static_cast<double>(known->integers[0]);
  if (!(std::fabs(value) <= kExact)) return std::nullopt;
  return value;
}

Result castTo(const Call& call, std::int64_t type) {
  const KnownTensor* from = call.input(0);
  if (!from || !isFolded(type)) return std::nullopt;
  if (from->isFloat() && type == TensorProto::FLOAT) return *from;
  Result result = zeros(static_cast<int>(type), from->dims);
  if (!result) return std::nullopt;
  result->sure = from->sure;
  if (result->isFloat()) {
    std::transform(from->integers.begin(), from->integers.end(), result->floats.write(),
                   [](std::int64_t value) { return static_cast<float>(value); });
    return result;
  }
  const bool keepsNames =
      !from->isFloat() && result->type != TensorProto::BOOL && !isNarrow(result->type);
  for (std::size_t i = 0; i < from->count(); ++i) {
    if (from->isSure(i)) {
      result->integers[i] = wholeAt(*from, i, result->type);
      if (!fits(result->integers[i], result->type)) return std::nullopt;
    } else if (keepsNames) {
      result->integers[i] = from->integers[i];
    }
  }
  return result;
}

Result foldCast(const Call& call) {
  return castTo(call, intAttribute(call.node, "to").value_or(0));
}

Result foldCastLike(const Call& call) {
  return call.input(1) ? castTo(call, call.input(1)->type) : std::nullopt;
}

// Puts ones on a diagonal; only the input's sizes count.
Result foldEyeLike(const Call& call) {
  const Dims dims = resultDims(call);
  const int otherwise = call.input(0) ? call.input(0)->type : TensorProto::FLOAT;
  const std::int64_t type = intAttribute(call.node, "dtype").value_or(otherwise);
  Result result = dims && dims->size() == 2 && isFolded(type) ? zeros(static_cast<int>(type), *dims)
                                                              : std::nullopt;
  if (!result) return std::nullopt;
  const std::int64_t shift = intAttribute(call.node, "k").value_or(0), columns = (*dims)[1];
  for (std::size_t i = 0; i < result->count(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    if (place % columns - place / columns == shift)
      withElements([&](auto* elements) { elements[i] = 1; }, *result);
  }
  return result;
}

Result foldConstantOfShape(const Call& call) {
  const auto dims = resultDims(call);
  if (!dims) return std::nullopt;
  const auto given = tensorAttribute(call.node, "value");
  Result value = given ? toKnownTensor(*given) : zeros(TensorProto::FLOAT, {});
  if (!value || value->count() != 1) return std::nullopt;
  return pick(*value, *dims, Places(*smallCount(*dims), 0));
}

Result foldRange(const Call& call) {
  const auto dims = resultDims(call);
  Result result = dims ? zeros(call.input(0)->type, *dims) : std::nullopt;
  if (!result) return std::nullopt;
  const double start = *scalar(call.input(0), result->type);
  const double delta = *scalar(call.input(2), result->type);
  for (std::size_t i = 0; i < result->count(); ++i) {
    const double value = start + static_cast<double>(i) * delta;
    if (result->isFloat()) {
      result->floats.write()[i] = static_cast<float>(value);
    } else {
      result->integers[i] = static_cast<std::int64_t>(value);
    }
  }
  return result;
}

// Operators that make a value out of shapes and numbers.

Dims shapeShape(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return Integers{kUnknown};
  const auto [start, end] = shapeSpan(call.node, data->size());
  return Integers{static_cast<std::int64_t>(end - start)};
}

Dims shapeScalar(const Call&) { return Integers{}; }

Dims shapeConstantOfShape(const Call& call) {
  const Integers* size = call.dims(0);
  if (!size || size->size() != 1 || !isNumber((*size)[0]) || (*size)[0] > 64) return std::nullopt;
  Integers dims(static_cast<std::size_t>((*size)[0]), kUnknown);
  const KnownTensor* list = call.list(0);
  for (std::size_t i = 0; list && !list->isFloat() && i < dims.size(); ++i) {
    if (list->isSure(i) && list->integers[i] < 0) return std::nullopt;
    dims[i] = list->isSure(i) ? list->integers[i] : std::min(list->integers[i], kUnknown);
  }
  return dims;
}

Dims shapeRange(const Call& call) {
  return Integers{rangeCount(call.list(0), call.list(1), call.list(2)).value_or(kUnknown)};
}

Dims shapeNonZero(const Call& call) {
  const Integers* data = call.dims(0);
  return Integers{data ? static_cast<std::int64_t>(data->size()) : kUnknown, kUnknown};
}

}  // namespace

std::optional<std::int64_t> rangeCount(const KnownTensor* start, const KnownTensor* limit,
                                       const KnownTensor* delta) {
  const int type = start ? start->type : 0;
  const auto from = scalar(start, type), to = scalar(limit, type), by = scalar(delta, type);
  if (!from || !to || !by || type == TensorProto::BOOL) return std::nullopt;
  return steps(*from, *to, *by);
}

std::pair<std::size_t, std::size_t> shapeSpan(const Node& node, std::size_t rank) {
  const auto place = [&](const char* name, std::int64_t otherwise) {
    const auto size = static_cast<std::int64_t>(rank);
    std::int64_t at = intAttribute(node, name).value_or(otherwise);
    if (at < 0) at += size;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, size));
  };
  const std::size_t start = place("start", 0);
  return {start, std::max(start, place("end", static_cast<std::int64_t>(rank)))};
}

Result foldShape(const Node& node, const Integers& dims) {
  const auto [start, end] = shapeSpan(node, dims.size());
  Result result = zeros(TensorProto::INT64, {static_cast<std::int64_t>(end - start)});
  if (!result) return std::nullopt;
  for (std::size_t i = 0; i < result->count(); ++i) {
    result->integers[i] = dims[start + i];
    result->setSure(i, dims[start + i] >= 0);
  }
  return result;
}

Result foldSize(const Integers& dims) {
  Result result = zeros(TensorProto::INT64, {});
  result->integers[0] = collapse(dims, 0, dims.size());
  result->setSure(0, result->integers[0] >= 0);
  return result;
}

const Operators& makingOperators() {
  static const Operators rows = {
      {"Cast", first<shapeSame>, one<foldCast>},
      {"CastLike", first<shapeSame>, one<foldCastLike>, likeInput(1)},
      {"ConstantOfShape", first<shapeConstantOfShape>, one<foldConstantOfShape>},
      {"EyeLike", first<shapeSame>, one<foldEyeLike>},
      {"NonZero", first<shapeNonZero>, nullptr, always(TensorProto::INT64)},
      {"Range", first<shapeRange>, one<foldRange>},
      {"Shape", first<shapeShape>, nullptr, always(TensorProto::INT64)},
      {"Size", first<shapeScalar>, nullptr, always(TensorProto::INT64)},
  };
  return rows;
}

}  // namespace mpm::onnx
