// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/known.h"

#include <algorithm>
#include <limits>

namespace mpm::onnx {

using ::onnx::TensorProto;

namespace {

thread_local bool areLarge = false;

}  // namespace

std::int64_t mostElements() { return std::int64_t{1} << (areLarge ? 31 : 25); }

LargeResults::LargeResults() : outer_(areLarge) { areLarge = true; }
LargeResults::~LargeResults() { areLarge = outer_; }

bool Known::isSure() const {
  return std::all_of(sure.begin(), sure.end(), [](char each) { return each != 0; });
}

void Known::forget(std::size_t i) {
  sure[i] = 0;
  if (!isFloat()) integers[i] = -1;
}

std::optional<std::size_t> smallCount(const Integers& dims) {
  if (dims.size() > kMostRank) return std::nullopt;
  std::int64_t count = 1;
  const std::int64_t most = mostElements();
  for (const std::int64_t dim : dims) {
    if (dim < 0 || dim > most) return std::nullopt;
    count *= dim;
    if (count > most) return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

bool isNarrow(std::int64_t type) {
  return type == TensorProto::UINT8 || type == TensorProto::INT8 || type == TensorProto::UINT16 ||
         type == TensorProto::INT16;
}

bool isFolded(std::int64_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::INT64 || type == TensorProto::INT32 ||
         type == TensorProto::BOOL || isNarrow(type);
}

std::optional<Known> emptyKnown(int type, const Integers& dims) {
  const auto count = smallCount(dims);
  if (!count) return std::nullopt;
  Known known;
  known.type = type;
  known.dims = dims;
  withElements([&](auto& elements) { elements.resize(*count); }, known);
  known.sure.resize(*count, 0);
  return known;
}

std::optional<Known> toKnown(const Tensor& tensor) {
  const auto count = smallCount(tensor.dims());
  if (!count) return std::nullopt;
  Known known;
  known.type = tensor.type();
  known.dims = tensor.dims();
  known.sure.assign(*count, 1);
  switch (tensor.type()) {
    case TensorProto::FLOAT: {
      const Floats floats = tensor.floats();
      known.floats.assign(floats.begin(), floats.end());
      return known;
    }
    case TensorProto::BOOL:
    case TensorProto::UINT8:
    case TensorProto::INT8:
    case TensorProto::UINT16:
    case TensorProto::INT16:
    case TensorProto::INT32:
    case TensorProto::INT64:
      known.integers = tensor.integers();
      return known;
    default:
      return std::nullopt;
  }
}

TensorProto toTensor(const Known& known, const std::string& name) {
  if (known.isFloat()) return floatTensor(name, known.dims, known.floats.data());
  TensorProto tensor = integerTensor(name, known.dims, known.integers);
  if (known.type == TensorProto::INT64) return tensor;
  tensor.clear_raw_data();
  tensor.set_data_type(known.type);
  for (const std::int64_t value : known.integers) {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return tensor;
}

bool fits(std::int64_t value, int type) {
  const auto holds = [value](auto narrow) {
    using Limits = std::numeric_limits<decltype(narrow)>;
    return value >= Limits::min() && value <= Limits::max();
  };
  switch (type) {
    case TensorProto::UINT8:
      return holds(std::uint8_t{});
    case TensorProto::INT8:
      return holds(std::int8_t{});
    case TensorProto::UINT16:
      return holds(std::uint16_t{});
    case TensorProto::INT16:
      return holds(std::int16_t{});
    case TensorProto::INT32:
      return holds(std::int32_t{});
    default:
      return true;
  }
}

std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

}  // namespace mpm::onnx
