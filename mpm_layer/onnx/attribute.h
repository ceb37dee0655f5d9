// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/proto.h"
#include "onnx/tensor.h"

namespace mpm::onnx {

// True for an operator of ONNX itself (domain "" or "ai.onnx") with this type.
bool isOp(const Node& node, const char* type);

// The attribute of a node by name, or null.
const ::onnx::AttributeProto* findAttribute(const Node& node, const char* name);

// Its value, or nothing where the node has none. One of another kind is a ModelError that names
// node and attribute.
std::optional<std::int64_t> intAttribute(const Node& node, const char* name);
std::optional<float> floatAttribute(const Node& node, const char* name);
std::optional<std::string> stringAttribute(const Node& node, const char* name);
std::optional<std::vector<std::int64_t>> intsAttribute(const Node& node, const char* name);
std::optional<std::vector<float>> floatsAttribute(const Node& node, const char* name);
std::optional<Tensor> tensorAttribute(const Node& node, const char* name);

void setAttribute(Node& node, const char* name, std::int64_t value);
void setAttribute(Node& node, const char* name, float value);
void setAttribute(Node& node, const char* name, const std::string& value);
void setAttribute(Node& node, const char* name, const std::vector<std::int64_t>& values);
void setAttribute(Node& node, const char* name, const std::vector<float>& values);

}  // namespace mpm::onnx
