// SPDX-License-Identifier: Apache-2.0
// Types of elements.
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_call.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

const std::unordered_map<std::string, int>& fixedTypes() {
  static const std::unordered_map<std::string, int> types = {
      {"And", TensorProto::BOOL},     {"Equal", TensorProto::BOOL},
      {"Greater", TensorProto::BOOL}, {"GreaterOrEqual", TensorProto::BOOL},
      {"Less", TensorProto::BOOL},    {"LessOrEqual", TensorProto::BOOL},
      {"Or", TensorProto::BOOL},      {"Xor", TensorProto::BOOL},
      {"ArgMax", TensorProto::INT64}, {"ArgMin", TensorProto::INT64},
      {"IsInf", TensorProto::BOOL},   {"IsNaN", TensorProto::BOOL},
      {"Not", TensorProto::BOOL},     {"NonMaxSuppression", TensorProto::INT64},
      {"Shape", TensorProto::INT64},  {"NonZero", TensorProto::INT64},
      {"Size", TensorProto::INT64}};
  return types;
}

// Operators whose result has the type of another input than the first.
const std::unordered_map<std::string, int>& typeGivers() {
  static const std::unordered_map<std::string, int> inputs = {
      {"CastLike", 1}, {"DequantizeLinear", 1}, {"OneHot", 2}, {"QuantizeLinear", 2}, {"Where", 1}};
  return inputs;
}

int inputType(const Call& call, int input) {
  const bool isGiven = call.has(static_cast<std::size_t>(input));
  return isGiven ? call.values->type(call.node.input(input)) : 0;
}

int attributeType(const Node& node, const char* name, int otherwise) {
  const std::int64_t type = intAttribute(node, name).value_or(otherwise);
  constexpr std::int64_t kMost = 255;
  return type > 0 && type <= kMost ? static_cast<int>(type) : 0;
}

}  // namespace

int inferType(const Call& call, std::size_t output) {
  const Node& node = call.node;
  const std::string& type = node.op_type();
  if (!isOp(node, type.c_str())) return hasShapeRule(node) ? inputType(call, 0) : 0;
  if ((type == "MaxPool" || type == "TopK") && output == 1) return TensorProto::INT64;
  if (type == "Dropout" && output == 1) return TensorProto::BOOL;
  if (const auto found = fixedTypes().find(type); found != fixedTypes().end()) return found->second;
  if (type == "Cast") return attributeType(node, "to", 0);
  if (type == "ConstantOfShape") {
    const auto* value = findAttribute(node, "value");
    return value && value->has_t() ? value->t().data_type() : TensorProto::FLOAT;
  }
  if (const auto found = typeGivers().find(type); found != typeGivers().end()) {
    return inputType(call, found->second);
  }
  if (type == "EyeLike" || type == "RandomNormalLike" || type == "RandomUniformLike") {
    return attributeType(node, "dtype", inputType(call, 0));
  }
  return hasShapeRule(node) ? inputType(call, 0) : 0;
}

}  // namespace mpm::onnx
