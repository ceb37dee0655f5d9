// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "onnx/lower_case.h"
#include "onnx/model.h"

namespace mpm::test {
namespace {

ModelProto listModel() {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {2, 7, 3});
  *proto.mutable_graph()->add_initializer() = onnx::integerTensor("last", {}, {-1});
  *proto.mutable_graph()->add_initializer() = onnx::integerTensor("three", {}, {3});
  addIntegerConstant(proto, "uneven", {4, 3});
  return proto;
}

std::vector<Integers> boundsOf(const Model& model) {
  std::vector<Integers> bounds;
  for (const auto* node : model.nodes()) {
    if (node->op_type() != "Slice") continue;
    bounds.push_back({model.constant(node->input(1))->integers()[0],
                      model.constant(node->input(2))->integers()[0],
                      model.constant(node->input(3))->integers()[0]});
  }
  return bounds;
}

Model loweredAlone(ModelProto proto) {
  Model model = lowered(std::move(proto));
  model.removeDead();
  return model;
}

TEST(OnnxLowerSequence, APartOfASplitIsASlice) {
  for (const std::string parts : {"three", "uneven"}) {
    auto proto = listModel();
    setAttribute(addNode(proto, "SplitToSequence", {"x", parts}, {"list"}), "axis",
                 std::int64_t{1});
    addNode(proto, "SequenceAt", {"list", "last"}, {"y"});
    addOutput(proto, "y");
    const Model model = loweredAlone(std::move(proto));
    EXPECT_EQ(typesOf(model), Strings{"Slice"});
    EXPECT_EQ(boundsOf(model), (std::vector<Integers>{{parts == "three" ? 6 : 4, 7, 1}}));
  }
}

TEST(OnnxLowerSequence, WithoutLengthsEachPartIsOneAndMayLoseItsAxis) {
  auto proto = listModel();
  auto& split = addNode(proto, "SplitToSequence", {"x"}, {"list"});
  setAttribute(split, "axis", std::int64_t{-1});
  setAttribute(split, "keepdims", std::int64_t{0});
  addNode(proto, "SequenceAt", {"list", "last"}, {"y"});
  addOutput(proto, "y");
  const Model model = loweredAlone(std::move(proto));
  EXPECT_EQ(typesOf(model), (Strings{"Slice", "Squeeze"}));
  EXPECT_EQ(boundsOf(model), (std::vector<Integers>{{2, 3, 2}}));
}

TEST(OnnxLowerSequence, AListIsJoinedInItsOrder) {
  auto proto = listModel();
  addNode(proto, "Neg", {"x"}, {"n"});
  addNode(proto, "SequenceConstruct", {"x", "n"}, {"list"});
  addNode(proto, "SequenceInsert", {"list", "x"}, {"more"});
  auto& joined = addNode(proto, "ConcatFromSequence", {"more"}, {"y"});
  setAttribute(joined, "axis", std::int64_t{1});
  addOutput(proto, "y");
  const Model model = loweredAlone(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Neg", "Concat"}));
  const auto& inputs = model.producer("y")->input();
  EXPECT_EQ(Strings(inputs.begin(), inputs.end()), (Strings{"x", "n", "x"}));
}

TEST(OnnxLowerSequence, WhatIsNotKnownStays) {
  auto proto = listModel();
  addInput(proto, "open", {-1, 3});
  addNode(proto, "SplitToSequence", {"open", "three"}, {"list"});
  addNode(proto, "SequenceAt", {"list", "last"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(typesOf(loweredAlone(std::move(proto))), (Strings{"SplitToSequence", "SequenceAt"}));

  auto outside = listModel();
  addNode(outside, "SequenceConstruct", {"x"}, {"list"});
  addNode(outside, "SequenceAt", {"list", "three"}, {"y"});
  addOutput(outside, "y");
  EXPECT_EQ(typesOf(loweredAlone(std::move(outside))),
            (Strings{"SequenceConstruct", "SequenceAt"}));
}

}  // namespace
}  // namespace mpm::test
