// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/layers/for_opencv.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/known.h"
#include "onnx/operators/values.h"
#include "onnx/proto_model.h"

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
  onnx::spellForOpenCv(model, [&](const std::string& value) { return values.dims(value); });
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

// What a model gives first for inputs of these sizes, which hold numbers that differ.
inline std::vector<float> resultOf(const onnx::Model& model, const std::vector<Integers>& sizes) {
  onnx::Interpreter interpreter(onnx::Model(::onnx::ModelProto(model.proto())));
  interpreter.fit(sizes);
  std::vector<onnx::Known> inputs;
  float phase = 0;
  for (const Integers& dims : sizes) {
    onnx::Known input;
    input.type = ::onnx::TensorProto::FLOAT;
    input.dims = dims;
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count *= dim;
    std::vector<float> elements;
    for (std::int64_t i = 0; i < count; ++i)
      elements.push_back(std::sin(1.7F * static_cast<float>(i) + phase));
    input.floats = std::move(elements);
    inputs.push_back(std::move(input));
    phase += 1;
  }
  return interpreter.run(std::move(inputs))[0].floats.copy();
}

// The two give the same for inputs of these sizes.
inline void expectSameResult(const onnx::Model& before, const onnx::Model& after,
                             const std::vector<Integers>& sizes, float tolerance = 1e-5F) {
  const std::vector<float> expected = resultOf(before, sizes), found = resultOf(after, sizes);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], found[i], tolerance) << i;
  }
}

}  // namespace mpm::test
