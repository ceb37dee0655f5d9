// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/fold.h"

#include <gtest/gtest.h>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// x -> If(condition): Relu(x) + its own constant `bias`, else x itself.
ModelProto choosing(bool condition) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {1, 4});
  auto& constant = *proto.mutable_graph()->add_initializer();
  constant = onnx::integerTensor("condition", {}, {condition ? 1 : 0});
  constant.clear_raw_data();
  constant.set_data_type(::onnx::TensorProto::BOOL);
  constant.add_int32_data(condition ? 1 : 0);
  auto& node = addNode(proto, "If", {"condition"}, {"chosen"});
  ModelProto then = emptyModel();
  addConstant(then, "bias", {4}, {1, 2, 3, 4});
  addNode(then, "Relu", {"x"}, {"inner"});
  addNode(then, "Add", {"inner", "bias"}, {"result"});
  addOutput(then, "result");
  ModelProto other = emptyModel();
  addOutput(other, "x");
  for (auto [name, branch] : {std::pair{"then_branch", &then}, std::pair{"else_branch", &other}}) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = branch->graph();
  }
  addNode(proto, "Neg", {"chosen"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

TEST(OnnxBranches, TheOneThatIsTakenStandsInPlace) {
  for (const bool condition : {true, false}) {
    SCOPED_TRACE(condition);
    Model model(choosing(condition));
    EXPECT_EQ(onnx::takeBranches(model, onnx::Values(model)), 1);
    EXPECT_EQ(typesOf(model), condition ? (Strings{"Relu", "Add", "Identity", "Neg"})
                                        : (Strings{"Identity", "Neg"}));
    EXPECT_EQ(onnx::takeBranches(model, onnx::Values(model)), 0);
  }
}

TEST(OnnxBranches, WhatAFrameDecidesStays) {
  auto proto = choosing(true);
  proto.mutable_graph()->mutable_initializer()->DeleteSubrange(0, 1);
  auto& input = *proto.mutable_graph()->add_input();
  input.set_name("condition");
  input.mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::BOOL);
  input.mutable_type()->mutable_tensor_type()->mutable_shape();
  Model model(std::move(proto));
  EXPECT_EQ(onnx::takeBranches(model, onnx::Values(model)), 0);
}

}  // namespace
}  // namespace mpm::test
