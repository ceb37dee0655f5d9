// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/graph/proto.h"
#include "onnx/graph/tensor.h"

namespace mpm::onnx {

// Tells whether a node is this operator of ONNX itself (domain "" or "ai.onnx").
bool isOp(const Node& node, const char* type);
bool isAny(const Node& node, std::initializer_list<const char*> types);

// Tells whether the node has an input at this index.
bool hasInput(const Node& node, int i);

// Returns the attribute of a node by name, or null.
const ::onnx::AttributeProto* findAttribute(const Node& node, const char* name);

// Return the attribute's value, or std::nullopt if the node has none. Throw a ModelError that names
// node and attribute if it has another kind.
std::optional<std::int64_t> intAttribute(const Node& node, const char* name);
std::optional<float> floatAttribute(const Node& node, const char* name);
std::optional<std::string> stringAttribute(const Node& node, const char* name);
std::optional<std::vector<std::int64_t>> intsAttribute(const Node& node, const char* name);
std::optional<std::vector<float>> floatsAttribute(const Node& node, const char* name);
std::optional<std::vector<std::string>> stringsAttribute(const Node& node, const char* name);
std::optional<Tensor> tensorAttribute(const Node& node, const char* name);

void setAttribute(Node& node, const char* name, std::int64_t value);
void setAttribute(Node& node, const char* name, float value);
void setAttribute(Node& node, const char* name, const std::string& value);
void setAttribute(Node& node, const char* name, const std::vector<std::int64_t>& values);
void setAttribute(Node& node, const char* name, const std::vector<float>& values);

// Operators, by their names in a text with blanks between.
using Names = std::unordered_set<std::string>;
Names namesIn(const char* text);

}  // namespace mpm::onnx
