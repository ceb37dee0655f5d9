// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "onnx/graph/model.h"
#include "onnx/graph/proto.h"

namespace mpm::onnx {

// Every tensor of a model, wherever a file can put one: initialisers, sparse ones, attributes,
// subgraphs, functions and training graphs. Works through a list, so nesting costs no stack.
void forEachTensor(::onnx::ModelProto& model,
                   const std::function<void(::onnx::TensorProto&)>& visit);

// Every value that the subgraphs of a node (the branches of an If, the body of a Loop) read or give
// out, at any depth. Those that the outer graph knows are inputs of the node too, unwritten ones;
// the others are the subgraphs' own.
void forEachNestedUse(const Node& node, const std::function<void(const std::string&)>& visit);

// The same names, to be changed in place.
void forEachNestedUse(Node& node, const std::function<void(std::string&)>& visit);

// Whether something holds of a value, or of any that it is made from.
bool isAnyBehind(const Model& model, const std::string& value,
                 const std::function<bool(const std::string&)>& holds);

}  // namespace mpm::onnx
