// SPDX-License-Identifier: Apache-2.0
// Attention in one node, as the nodes that exporters write.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

const Strings kChain = {"Transpose", "MatMul", "Mul", "Softmax", "MatMul"};

Strings operator+(Strings first, const Strings& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

ModelProto attentionModel(int rank) {
  auto proto = emptyModel();
  for (const char* name : {"q", "k", "v"}) {
    addInput(proto, name, rank == 3 ? Integers{-1, 5, 8} : Integers{-1, 2, 5, 4});
  }
  addOutput(proto, "y");
  return proto;
}

TEST(OnnxLowerAttention, PackedWeights) {
  auto proto = attentionModel(3);
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
  setAttribute(*proto.mutable_graph()->mutable_node(0), "do_rotary", std::int64_t{1});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"});
}

constexpr float kClosed = std::numeric_limits<float>::lowest();

// What is added to scores, by the node in front of Softmax.
std::vector<float> addedTo(const Model& model) { return floatsRead(model, "Add", 1); }

TEST(OnnxLowerAttention, CausalOnesSeeNoLaterKeys) {
  auto proto = attentionModel(3);
  addConstant(proto, "w", {8, 24}, std::vector<float>(192, 1));
  auto& node = addFused(proto, "Attention", {"q", "w"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  setAttribute(node, "unidirectional", std::int64_t{1});
  const std::vector<float> bias = addedTo(lowered(proto));
  ASSERT_EQ(bias.size(), 25U) << "5 rows";
  for (std::size_t i = 0; i < bias.size(); ++i)
    EXPECT_EQ(bias[i], i % 5 > i / 5 ? kClosed : 0) << i;
  auto open = emptyModel();
  addInput(open, "q", {1, -1, 8});
  addOutput(open, "y");
  *open.mutable_graph()->mutable_initializer() = proto.graph().initializer();
  *open.mutable_graph()->add_node() = proto.graph().node(0);
  EXPECT_EQ(typesOf(lowered(open)), Strings{"Attention"}) << "how many rows is not known";
}

TEST(OnnxLowerAttention, KeysCanBePadding) {
  auto proto = attentionModel(3);
  addConstant(proto, "w", {8, 24}, std::vector<float>(192, 1));
  addInput(proto, "kept", {-1, 5});
  auto& node = addFused(proto, "Attention", {"q", "w", "", "kept"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  const Model model = lowered(proto);
  const auto* sum = model.producer(model.producer(model.producer("y")->input(0))->input(0));
  ASSERT_EQ(sum->op_type(), "MatMul");
  const auto* where = model.producer(
      model.producer(model.producer(model.producer(sum->input(0))->input(0))->input(1))->input(0));
  ASSERT_EQ(where->op_type(), "Where");
  EXPECT_EQ(model.constant(where->input(1))->floats()[0], 0);
  EXPECT_EQ(model.constant(where->input(2))->floats()[0], -10000);
  // As many numbers as there are images say how many keys are kept, which is not written yet.
  auto& dims = *proto.mutable_graph()->mutable_input(3)->mutable_type()->mutable_tensor_type();
  dims.mutable_shape()->mutable_dim()->RemoveLast();
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"});
}

TEST(OnnxLowerAttention, ThreeInputs) {
  auto proto = attentionModel(3);
  auto& node = addFused(proto, "MultiHeadAttention", {"q", "k", "v"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  setAttribute(node, "scale", 0.25F);
  const Strings heads = {"Reshape", "Transpose"};
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), (heads + heads + heads + kChain + Strings{"Transpose", "Reshape"}));
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.25F});

  proto.mutable_graph()->mutable_node(0)->add_input("");
  proto.mutable_graph()->mutable_node(0)->add_input("q");
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"MultiHeadAttention"})
      << "a mask of keys has two axes";
}

TEST(OnnxLowerAttention, AllThreeInOneInput) {
  auto proto = emptyModel();
  addInput(proto, "qkv", {-1, 5, 2, 3, 4});
  addOutput(proto, "y");
  auto& node = addFused(proto, "MultiHeadAttention", {"qkv"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), (Strings{"Transpose", "Gather", "Gather", "Gather"} + kChain +
                             Strings{"Transpose", "Reshape"}));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[0], "perm"), (Integers{3, 0, 2, 1, 4}));
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.5F});
}

TEST(OnnxLowerAttention, KeysAndValuesMayComeByHead) {
  auto proto = emptyModel();
  addInput(proto, "q", {-1, 5, 8});
  for (const char* name : {"k", "v"}) addInput(proto, name, {-1, 2, 7, 4});
  addOutput(proto, "y");
  auto& node = addFused(proto, "MultiHeadAttention", {"q", "k", "v"}, {"y"});
  setAttribute(node, "num_heads", std::int64_t{2});
  EXPECT_EQ(typesOf(lowered(proto)),
            (Strings{"Reshape", "Transpose"} + kChain + Strings{"Transpose", "Reshape"}));
  setAttribute(*proto.mutable_graph()->mutable_node(0), "unidirectional", std::int64_t{1});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"MultiHeadAttention"}) << "other rows than its keys'";
}

TEST(OnnxLowerAttention, ThreeInputsWithOneBias) {
  auto proto = attentionModel(3);
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
  auto proto = attentionModel(4);
  addNode(proto, "Attention", {"q", "k", "v"}, {"y"});
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), kChain);
  EXPECT_EQ(model.producer("y")->input(1), "v");
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.5F});
  setAttribute(*proto.mutable_graph()->mutable_node(0), "is_causal", std::int64_t{1});
  const std::vector<float> bias = addedTo(lowered(proto));
  ASSERT_EQ(bias.size(), 25U);
  EXPECT_EQ(bias[1], kClosed) << "the first query, the second key";
  EXPECT_EQ(bias[5], 0) << "the second query, the first key";
}

TEST(OnnxLowerAttention, ACapBendsScores) {
  auto proto = attentionModel(4);
  auto& node = addNode(proto, "Attention", {"q", "k", "v"}, {"y"});
  setAttribute(node, "softcap", 5.0F);
  EXPECT_EQ(typesOf(lowered(proto)),
            (Strings{"Transpose", "MatMul", "Mul", "Div", "Tanh", "Mul", "Softmax", "MatMul"}));
  setAttribute(*proto.mutable_graph()->mutable_node(0), "is_causal", std::int64_t{1});
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"})
      << "it is not the same everywhere what a cap makes of keys that are not seen";
}

// A file that was simplified says nothing of the values inside.
TEST(OnnxLowerAttention, ATypeThatTheFileDoesNotSayIsThatOfItsProducer) {
  auto proto = attentionModel(4);
  addScalar(proto, "zero", 0);
  addInput(proto, "x", {5, 5});
  addNode(proto, "Greater", {"x", "zero"}, {"seen"});
  addNode(proto, "Attention", {"q", "k", "v", "seen"}, {"y"});
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), (Strings{"Greater", "Where", "Transpose", "MatMul", "Mul", "Add",
                                     "Softmax", "MatMul"}));
}

TEST(OnnxLowerAttention, OnnxOfRankThree) {
  auto proto = attentionModel(3);
  auto& node = addNode(proto, "Attention", {"q", "k", "v"}, {"y"});
  setAttribute(node, "q_num_heads", std::int64_t{2});
  setAttribute(node, "kv_num_heads", std::int64_t{2});
  const Strings heads = {"Reshape", "Transpose"};
  EXPECT_EQ(typesOf(lowered(proto)),
            (heads + heads + heads + kChain + Strings{"Transpose", "Reshape"}));
}

TEST(OnnxLowerAttention, HeadsOfKeysServeSeveralQueries) {
  auto proto = emptyModel();
  addInput(proto, "q", {-1, 6, 5, 4});
  for (const char* name : {"k", "v"}) addInput(proto, name, {-1, 2, 5, 4});
  addOutput(proto, "y");
  addNode(proto, "Attention", {"q", "k", "v"}, {"y"});
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), (Strings{"Gather", "Gather"} + kChain));
  EXPECT_EQ(model.constant(model.nodes()[0]->input(1))->integers(), (Integers{0, 0, 0, 1, 1, 1}));
  auto& shape = *proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  shape.mutable_shape()->mutable_dim(1)->set_dim_value(5);
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"Attention"}) << "five heads are no multiple of two";
}

}  // namespace
}  // namespace mpm::test
