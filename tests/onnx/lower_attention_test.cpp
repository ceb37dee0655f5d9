// SPDX-License-Identifier: Apache-2.0
// Attention in one node, as the nodes that exporters write.
#include <gtest/gtest.h>

#include <map>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

const Strings kChain = {"Transpose", "MatMul", "Mul", "Softmax", "MatMul"};

Strings operator+(Strings first, const Strings& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

ModelProto start(int rank) {
  auto proto = emptyModel();
  for (const char* name : {"q", "k", "v"}) {
    addInput(proto, name, rank == 3 ? Integers{-1, 5, 8} : Integers{-1, 2, 5, 4});
  }
  addOutput(proto, "y");
  return proto;
}

TEST(OnnxLowerAttention, PackedWeights) {
  auto proto = start(3);
  addConstant(proto, "w", {8, 24}, std::vector<float>(192, 1));
  addConstant(proto, "b", {24}, std::vector<float>(24, 1));
  auto& node = addFused(proto, "Attention", {"q", "w", "b"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model),
            (Strings{"MatMul", "Add", "Reshape", "Transpose", "Gather", "Gather", "Gather"} +
             kChain + Strings{"Transpose", "Reshape"}));
  const auto* split = model.nodes()[2];
  EXPECT_EQ(model.constant(split->input(1))->integers(), (Integers{0, 0, 3, 2, 4}));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[3], "perm"), (Integers{2, 0, 3, 1, 4}));
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.5F});

  setAttribute(*proto.mutable_graph()->mutable_node(0), "num_heads", std::int64_t{5});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"}) << "24 columns are not 3 x 5 heads";
  setAttribute(*proto.mutable_graph()->mutable_node(0), "num_heads", std::int64_t{2});
  setAttribute(*proto.mutable_graph()->mutable_node(0), "unidirectional", std::int64_t{1});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"});
}

TEST(OnnxLowerAttention, ThreeInputs) {
  auto proto = start(3);
  auto& node = addFused(proto, "MultiHeadAttention", {"q", "k", "v"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  setAttribute(node, "scale", 0.25F);
  const Strings heads = {"Reshape", "Transpose"};
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), (heads + heads + heads + kChain + Strings{"Transpose", "Reshape"}));
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.25F});

  proto.mutable_graph()->mutable_node(0)->add_input("");
  proto.mutable_graph()->mutable_node(0)->add_input("q");
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"MultiHeadAttention"}) << "it has a mask";
}

TEST(OnnxLowerAttention, ThreeInputsWithOneBias) {
  auto proto = start(3);
  std::vector<float> bias;
  for (int i = 0; i < 24; ++i) bias.push_back(static_cast<float>(i));
  addConstant(proto, "b", {24}, bias);
  auto& node = addFused(proto, "MultiHeadAttention", {"q", "k", "v", "b"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  const Model model = lowered(std::move(proto));
  for (const auto& [value, first] : std::map<std::string, float>{{"q", 0}, {"k", 8}, {"v", 16}}) {
    ASSERT_EQ(model.consumers(value).size(), 1u);
    const auto* add = model.consumers(value)[0];
    EXPECT_EQ(add->op_type(), "Add");
    const auto part = model.constant(add->input(1));
    ASSERT_EQ(part->count(), 8);
    EXPECT_EQ(part->floats()[0], first);
    EXPECT_EQ(part->floats()[7], first + 7);
  }
}

TEST(OnnxLowerAttention, OnnxOfRankFour) {
  auto proto = start(4);
  addNode(proto, "Attention", {"q", "k", "v"}, {"y"});
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), kChain);
  EXPECT_EQ(model.producer("y")->input(1), "v");
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.5F});
  setAttribute(*proto.mutable_graph()->mutable_node(0), "is_causal", std::int64_t{1});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"});
}

TEST(OnnxLowerAttention, OnnxOfRankThree) {
  auto proto = start(3);
  auto& node = addNode(proto, "Attention", {"q", "k", "v"}, {"y"});
  setAttribute(node, "q_num_heads", std::int64_t{2});
  setAttribute(node, "kv_num_heads", std::int64_t{2});
  const Strings heads = {"Reshape", "Transpose"};
  EXPECT_EQ(typesOf(lowered(proto)),
            (heads + heads + heads + kChain + Strings{"Transpose", "Reshape"}));
  setAttribute(*proto.mutable_graph()->mutable_node(0), "kv_num_heads", std::int64_t{1});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"}) << "heads of k and v are shared";
}

}  // namespace
}  // namespace mpm::test
