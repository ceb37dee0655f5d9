// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/tensor.h"

#include "onnx/graph/error.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

struct Type {
  const char* name;
  int bytes;
};

// By ONNX's numbers, since older headers lack the last ones.
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
  // Division, since count * bytes may not be a number.
  if (!odd && held % bytes == 0 && held / bytes == count) return;
  const std::string need = count > (std::int64_t{1} << 58) ? std::string("more than 2^58")
                                                           : std::to_string(count * bytes);
  refuse(proto, "holds " + std::to_string(held) + " bytes, but its dims " + dimsOf(proto) + " of " +
                    typeName(proto.data_type()) + " need " + need);
}

}  // namespace mpm::onnx
