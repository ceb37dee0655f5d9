// SPDX-License-Identifier: Apache-2.0
#include "onnx/known.h"

#include <algorithm>
#include <limits>

namespace mpm::onnx {

using ::onnx::TensorProto;

bool Known::isSure() const {
  return std::all_of(sure.begin(), sure.end(), [](char each) { return each != 0; });
}

std::optional<std::size_t> smallCount(const Integers& dims) {
  constexpr std::int64_t kMost = 1000000;
  constexpr std::size_t kMostDims = 64;
  if (dims.size() > kMostDims) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || dim > kMost) return std::nullopt;
    count *= dim;
    if (count > kMost) return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

std::optional<Known> emptyKnown(int type, const Integers& dims) {
  const auto count = smallCount(dims);
  if (!count) return std::nullopt;
  Known known;
  known.type = type;
  known.dims = dims;
  if (known.isFloat()) {
    known.floats.resize(*count);
  } else {
    known.integers.resize(*count);
  }
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

Known pick(const Known& source, Integers dims, const std::vector<std::size_t>& places) {
  Known result;
  result.type = source.type;
  result.dims = std::move(dims);
  result.sure.reserve(places.size());
  for (const std::size_t place : places) {
    if (source.isFloat()) {
      result.floats.push_back(source.floats[place]);
    } else {
      result.integers.push_back(source.integers[place]);
    }
    result.sure.push_back(source.sure[place]);
  }
  return result;
}

bool fits(std::int64_t value, int type) {
  if (type != TensorProto::INT32) return true;
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

}  // namespace mpm::onnx
