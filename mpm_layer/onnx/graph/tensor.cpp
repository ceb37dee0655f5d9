// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/tensor.h"

#include <bit>
#include <cstring>

#include "onnx/graph/error.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

// Reads all values of type Raw from raw_data, each through `convert`.
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
  // Converts through Raw, so that a wider field reads like raw data of the same bits.
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

namespace {

struct Type {
  const char* name;
  int bytes;
};

// Uses ONNX's numbers, since older headers lack the last names.
constexpr Type kTypes[] = {{"undefined", 0},      {"float32", 4},    {"uint8", 1},
                           {"int8", 1},           {"uint16", 2},     {"int16", 2},
                           {"int32", 4},          {"int64", 8},      {"string", 0},
                           {"bool", 1},           {"float16", 2},    {"float64", 8},
                           {"uint32", 4},         {"uint64", 8},     {"complex64", 8},
                           {"complex128", 16},    {"bfloat16", 2},   {"float8e4m3fn", 1},
                           {"float8e4m3fnuz", 1}, {"float8e5m2", 1}, {"float8e5m2fnuz", 1}};
constexpr int kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);

std::string dimsOf(const TensorProto& proto) {
  constexpr int kMost = 8;
  std::string text = "[";
  for (int i = 0; i < proto.dims_size() && i < kMost; ++i) {
    text += (i ? ", " : "") + std::to_string(proto.dims(i));
  }
  return text + (proto.dims_size() > kMost ? ", ...]" : "]");
}

[[noreturn]] void refuse(const TensorProto& proto, const std::string& fault) {
  throw ModelError("constant " + inQuotes(proto.name()) + " " + fault);
}

}  // namespace

int elementBytes(int type) { return type >= 0 && type < kTypeCount ? kTypes[type].bytes : 0; }

std::string typeName(int type) {
  return type >= 0 && type < kTypeCount ? kTypes[type].name : "type " + std::to_string(type);
}

TypedField typedField(const TensorProto& proto) {
  switch (proto.data_type()) {
    case TensorProto::FLOAT:
      return {proto.float_data_size(), 1};
    case TensorProto::COMPLEX64:
      return {proto.float_data_size(), 2};
    case TensorProto::DOUBLE:
      return {proto.double_data_size(), 1};
    case TensorProto::COMPLEX128:
      return {proto.double_data_size(), 2};
    case TensorProto::INT64:
      return {proto.int64_data_size(), 1};
    case TensorProto::UINT32:
    case TensorProto::UINT64:
      return {proto.uint64_data_size(), 1};
    default:
      return {proto.int32_data_size(), 1};
  }
}

std::int64_t checkedCount(const TensorProto& proto) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t dim : proto.dims()) {
    if (dim < 0) refuse(proto, "has a negative dimension: " + dimsOf(proto));
    if (dim == 0) {
      empty = true;
    } else if (count > kMost / dim) {
      refuse(proto, "has dims whose product is too large to be a number: " + dimsOf(proto));
    } else {
      count *= dim;
    }
  }
  return empty ? 0 : count;
}

void checkData(const TensorProto& proto, std::int64_t count) {
  if (proto.has_segment()) refuse(proto, "is split into segments, which are not supported");
  if (proto.data_location() == TensorProto::EXTERNAL) {
    refuse(proto, "has its data in another file, which was not read");
  }
  const int bytes = elementBytes(proto.data_type());
  if (proto.data_type() == TensorProto::STRING && proto.string_data_size() != count) {
    refuse(proto, "holds " + std::to_string(proto.string_data_size()) + " strings, but its dims " +
                      dimsOf(proto) + " need " + std::to_string(count));
  }
  if (bytes == 0) return;
  const TypedField field = typedField(proto);
  const std::int64_t whole = field.entries / field.entriesPerElement;
  const std::int64_t held =
      proto.has_raw_data() ? static_cast<std::int64_t>(proto.raw_data().size()) : whole * bytes;
  const bool odd = !proto.has_raw_data() && whole * field.entriesPerElement != field.entries;
  // Divides, since count * bytes may overflow.
  if (!odd && held % bytes == 0 && held / bytes == count) return;
  const std::string need = count > (std::int64_t{1} << 58) ? std::string("more than 2^58")
                                                           : std::to_string(count * bytes);
  refuse(proto, "holds " + std::to_string(held) + " bytes, but its dims " + dimsOf(proto) + " of " +
                    typeName(proto.data_type()) + " need " + need);
}

}  // namespace mpm::onnx
