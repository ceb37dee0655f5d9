// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/attribute.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "onnx/graph/error.h"

namespace mpm::onnx {
namespace {

using ::onnx::AttributeProto;

// Exporters before IR version 2 left the type out; then the field that is set decides.
const AttributeProto* findOfKind(const Node& node, const char* name,
                                 AttributeProto::AttributeType type, const char* kind) {
  const AttributeProto* attribute = findAttribute(node, name);
  if (attribute && attribute->type() != AttributeProto::UNDEFINED && attribute->type() != type) {
    throw ModelError(nameOf(node) + ": its attribute " + inQuotes(name) + " should be " + kind);
  }
  return attribute;
}

AttributeProto& newAttribute(Node& node, const char* name, AttributeProto::AttributeType type) {
  AttributeProto* attribute = nullptr;
  for (auto& known : *node.mutable_attribute()) {
    if (known.name() == name) attribute = &known;
  }
  if (!attribute) attribute = node.add_attribute();
  attribute->Clear();
  attribute->set_name(name);
  attribute->set_type(type);
  return *attribute;
}

}  // namespace

bool isOp(const Node& node, const char* type) {
  return node.op_type() == type && (node.domain().empty() || node.domain() == "ai.onnx");
}

bool isAny(const Node& node, std::initializer_list<const char*> types) {
  return std::any_of(types.begin(), types.end(),
                     [&](const char* type) { return isOp(node, type); });
}

bool hasInput(const Node& node, int i) { return i < node.input_size() && !node.input(i).empty(); }

const AttributeProto* findAttribute(const Node& node, const char* name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::optional<std::int64_t> intAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::INT, "one integer");
  if (!attribute) return std::nullopt;
  return attribute->i();
}

std::optional<float> floatAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::FLOAT, "one number");
  if (!attribute) return std::nullopt;
  return attribute->f();
}

std::optional<std::string> stringAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::STRING, "a string");
  if (!attribute) return std::nullopt;
  return attribute->s();
}

std::optional<std::vector<std::int64_t>> intsAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::INTS, "a list of integers");
  if (!attribute) return std::nullopt;
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> floatsAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::FLOATS, "a list of numbers");
  if (!attribute) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<std::vector<std::string>> stringsAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::STRINGS, "a list of strings");
  if (!attribute) return std::nullopt;
  return std::vector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

std::optional<Tensor> tensorAttribute(const Node& node, const char* name) {
  const auto* attribute = findOfKind(node, name, AttributeProto::TENSOR, "a tensor");
  if (!attribute) return std::nullopt;
  return Tensor(attribute->t());
}

void setAttribute(Node& node, const char* name, std::int64_t value) {
  newAttribute(node, name, AttributeProto::INT).set_i(value);
}

void setAttribute(Node& node, const char* name, float value) {
  newAttribute(node, name, AttributeProto::FLOAT).set_f(value);
}

void setAttribute(Node& node, const char* name, const std::string& value) {
  newAttribute(node, name, AttributeProto::STRING).set_s(value);
}

void setAttribute(Node& node, const char* name, const std::vector<std::int64_t>& values) {
  AttributeProto& attribute = newAttribute(node, name, AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void setAttribute(Node& node, const char* name, const std::vector<float>& values) {
  AttributeProto& attribute = newAttribute(node, name, AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

Names namesIn(const char* text) {
  std::istringstream names(text);
  return {std::istream_iterator<std::string>(names), {}};
}

}  // namespace mpm::onnx
