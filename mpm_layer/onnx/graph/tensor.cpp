// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/tensor.h"

#include <bit>
#include <cstring>

#include "onnx/graph/error.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

// `count` values of type Raw from raw_data, each through `convert`.
template <typename Raw, typename Out, typename Convert>
std::vector<Out> fromRaw(const TensorProto& proto, Convert convert) {
  const std::string& raw = proto.raw_data();
  std::vector<Out> values(raw.size() / sizeof(Raw));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Raw value;
    std::memcpy(&value, raw.data() + i * sizeof(Raw), sizeof(Raw));
    values[i] = convert(value);
  }
  return values;
}

template <typename Out, typename Field, typename Convert>
std::vector<Out> fromField(const Field& field, Convert convert) {
  std::vector<Out> values;
  values.reserve(static_cast<std::size_t>(field.size()));
  for (const auto value : field) values.push_back(convert(value));
  return values;
}

Floats float32(const TensorProto& proto) {
  if (!proto.has_raw_data()) {
    return {proto.float_data().data(), static_cast<std::size_t>(proto.float_data_size())};
  }
  const std::string& raw = proto.raw_data();
  if (reinterpret_cast<std::uintptr_t>(raw.data()) % alignof(float) == 0) {
    return {reinterpret_cast<const float*>(raw.data()), raw.size() / sizeof(float)};
  }
  return Floats(fromRaw<float, float>(proto, [](float value) { return value; }));
}

template <typename Convert>
Floats sixteenBits(const TensorProto& proto, Convert convert) {
  if (proto.has_raw_data()) return Floats(fromRaw<std::uint16_t, float>(proto, convert));
  return Floats(fromField<float>(proto.int32_data(), [convert](std::int32_t bits) {
    return convert(static_cast<std::uint16_t>(bits));
  }));
}

template <typename Raw, typename Field>
std::vector<std::int64_t> integersOf(const TensorProto& proto, const Field& field) {
  // Through Raw, so that a field that is too wide reads like raw data of the same bits.
  const auto convert = [](auto value) {
    return static_cast<std::int64_t>(static_cast<Raw>(value));
  };
  if (proto.has_raw_data()) return fromRaw<Raw, std::int64_t>(proto, convert);
  return fromField<std::int64_t>(field, convert);
}

TensorProto emptyTensor(const std::string& name, const std::vector<std::int64_t>& dims, int type) {
  TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(type);
  for (const std::int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

}  // namespace

Tensor::Tensor(const TensorProto& proto)
    : proto_(&proto), dims_(proto.dims().begin(), proto.dims().end()), count_(checkedCount(proto)) {
  checkData(proto, count_);
}

bool isFloatingType(std::int64_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE ||
         type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
}

bool Tensor::isFloating() const { return isFloatingType(type()); }

bool Tensor::isInteger() const {
  switch (type()) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::INT16:
    case TensorProto::INT32:
    case TensorProto::INT64:
    case TensorProto::UINT8:
    case TensorProto::UINT16:
    case TensorProto::UINT32:
      return true;
    default:
      return false;
  }
}

Floats Tensor::floats() const {
  const auto narrow = [](double value) { return static_cast<float>(value); };
  switch (type()) {
    case TensorProto::FLOAT:
      return float32(*proto_);
    case TensorProto::FLOAT16:
      return sixteenBits(*proto_, fromHalf);
    case TensorProto::BFLOAT16:
      return sixteenBits(*proto_, fromBfloat16);
    case TensorProto::DOUBLE:
      return proto_->has_raw_data() ? Floats(fromRaw<double, float>(*proto_, narrow))
                                    : Floats(fromField<float>(proto_->double_data(), narrow));
    default:
      throw ModelError("constant " + inQuotes(name()) + " is " + typeName(type()) +
                       "; floating point was expected");
  }
}

std::vector<std::int64_t> Tensor::integers() const {
  switch (type()) {
    case TensorProto::BOOL:
      return integersOf<std::uint8_t>(*proto_, proto_->int32_data());
    case TensorProto::UINT8:
      return integersOf<std::uint8_t>(*proto_, proto_->int32_data());
    case TensorProto::INT8:
      return integersOf<std::int8_t>(*proto_, proto_->int32_data());
    case TensorProto::UINT16:
      return integersOf<std::uint16_t>(*proto_, proto_->int32_data());
    case TensorProto::INT16:
      return integersOf<std::int16_t>(*proto_, proto_->int32_data());
    case TensorProto::INT32:
      return integersOf<std::int32_t>(*proto_, proto_->int32_data());
    case TensorProto::UINT32:
      return integersOf<std::uint32_t>(*proto_, proto_->uint64_data());
    case TensorProto::INT64:
      return integersOf<std::int64_t>(*proto_, proto_->int64_data());
    default:
      throw ModelError("constant " + inQuotes(name()) + " is " + typeName(type()) +
                       "; whole numbers were expected");
  }
}

TensorProto floatTensor(const std::string& name, const std::vector<std::int64_t>& dims,
                        const float* values) {
  TensorProto proto = emptyTensor(name, dims, TensorProto::FLOAT);
  const auto bytes = static_cast<std::size_t>(checkedCount(proto)) * sizeof(float);
  proto.set_raw_data(reinterpret_cast<const char*>(values), bytes);
  return proto;
}

TensorProto integerTensor(const std::string& name, const std::vector<std::int64_t>& dims,
                          const std::vector<std::int64_t>& values) {
  TensorProto proto = emptyTensor(name, dims, TensorProto::INT64);
  proto.set_raw_data(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(std::int64_t));
  return proto;
}

float fromBfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float fromHalf(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero and subnormal: fraction * 2^-24, exact in float32
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

}  // namespace mpm::onnx
