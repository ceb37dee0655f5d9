// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower.h"
#include "onnx/proto_model.h"
#include "onnx/values.h"

namespace mpm::test {

using onnx::Model;
using ::onnx::ModelProto;
using onnx::setAttribute;
using Integers = std::vector<std::int64_t>;

// Types of the model's nodes, producers first.
inline Strings typesOf(const Model& model) {
  Strings types;
  for (const auto* node : model.nodes()) types.push_back(node->op_type());
  return types;
}

inline onnx::Node& addFused(ModelProto& model, const std::string& type, const Strings& inputs,
                            const Strings& outputs) {
  auto& node = addNode(model, type, inputs, outputs);
  node.set_domain("com.microsoft");
  return node;
}

inline void addIntegerConstant(ModelProto& model, const std::string& name, const Integers& values) {
  *model.mutable_graph()->add_initializer() =
      onnx::integerTensor(name, {static_cast<std::int64_t>(values.size())}, values);
}

inline void addScalar(ModelProto& model, const std::string& name, float value) {
  addConstant(model, name, {}, {value});
}

inline Model lowered(ModelProto proto) {
  Model model(std::move(proto));
  onnx::lower(model);
  return model;
}

inline Model forOpenCv(ModelProto proto) {
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::lowerForOpenCv(model, [&](const std::string& value) { return values.dims(value); });
  return model;
}

// The constant that a node of this type reads as its input i.
inline std::vector<float> floatsRead(const Model& model, const std::string& type, int i) {
  for (const auto* node : model.nodes()) {
    if (node->op_type() != type || node->input_size() <= i) continue;
    if (const auto constant = model.constant(node->input(i))) {
      const auto floats = constant->floats();
      return {floats.begin(), floats.end()};
    }
  }
  return {};
}

}  // namespace mpm::test
