// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/subgraphs.h"

#include <gtest/gtest.h>

#include "onnx/graph/file.h"
#include "onnx/lower_case.h"
#include "onnx/operators/values.h"

namespace mpm::test {
namespace {

ModelProto modelOfX(const Integers& dims) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", dims);
  return proto;
}

Model taken(ModelProto proto) {
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::takeSubgraphs(
      model, [&](const std::string& value) { return values.dims(value); },
      [&](const std::string& value) { return values.type(value); });
  return model;
}

// What stands in a node mpm.Subgraph.
Strings within(const onnx::Node& node) {
  const std::string bytes = onnx::stringAttribute(node, "graph").value_or("");
  return typesOf(onnx::readModel(bytes.data(), bytes.size(), "graph"));
}

void addNormOf(ModelProto& proto, const std::string& from, const std::string& to) {
  addNode(proto, "LayerNormalization", {from, "scale"}, {to});
}

TEST(OnnxSubgraphs, LeaveConvolutionsAndWhatTheyTakeInToOpenCv) {
  auto proto = modelOfX({-1, 3, 8, 8});
  addConstant(proto, "kernel", {4, 3, 1, 1}, std::vector<float>(12, 1));
  addNode(proto, "Conv", {"x", "kernel"}, {"a"});
  addNode(proto, "Relu", {"a"}, {"b"});
  addNode(proto, "Add", {"a", "b"}, {"c"});
  addNode(proto, "Relu", {"c"}, {"y"});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Conv", "Relu", "Subgraph"}));
  EXPECT_EQ(within(*model.nodes()[2]), (Strings{"Add", "Relu"}));
}

// A template that is looked for in a picture.
TEST(OnnxSubgraphs, TakeConvolutionsWithComputedWeights) {
  auto proto = modelOfX({1, 3, 8, 8});
  addInput(proto, "template", {4, 3, 2, 2});
  addNode(proto, "Conv", {"x", "template"}, {"y"});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), Strings{"Subgraph"});
  EXPECT_EQ(within(*model.nodes()[0]), Strings{"Conv"});
}

TEST(OnnxSubgraphs, TakeTogetherWhatHangsTogether) {
  auto proto = modelOfX({-1, 5, 8});
  addConstant(proto, "scale", {8}, std::vector<float>(8, 1));
  addIntegerConstant(proto, "axis", {1});
  addNormOf(proto, "x", "a");
  addNode(proto, "ReduceMean", {"a", "axis"}, {"b"});
  addNode(proto, "Dropout", {"b"}, {"y"});  // OpenCV's
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Subgraph", "Dropout"}));
  EXPECT_EQ(within(*model.nodes()[0]), (Strings{"LayerNormalization", "ReduceMean"}));
}

// A group with a way out of it and back would wait for itself.
TEST(OnnxSubgraphs, NoneWaitsForItself) {
  auto proto = modelOfX({-1, 5, 8});
  addConstant(proto, "scale", {8}, std::vector<float>(8, 1));
  addNormOf(proto, "x", "a");
  addNode(proto, "Dropout", {"a"}, {"b"});  // OpenCV's
  addNode(proto, "Max", {"a", "b"}, {"c"});
  addNormOf(proto, "c", "d");
  addNode(proto, "Dropout", {"d"}, {"y"});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Subgraph", "Dropout", "Subgraph", "Dropout"}));
  EXPECT_EQ(within(*model.nodes()[2]), (Strings{"Max", "LayerNormalization"}));
}

TEST(OnnxSubgraphs, SizesAreComputedWhereTheyAreRead) {
  auto proto = modelOfX({-1, 5, 8});
  addConstant(proto, "row", {1, 1, 8}, std::vector<float>(8, 1));
  addIntegerConstant(proto, "first", {0});
  addIntegerConstant(proto, "rest", {1, 8});
  addNode(proto, "Shape", {"x"}, {"sizes"});
  addNode(proto, "Gather", {"sizes", "first"}, {"batch"});
  setAttribute(addNode(proto, "Concat", {"batch", "rest"}, {"target"}), "axis", std::int64_t{0});
  addNode(proto, "Expand", {"row", "target"}, {"class"});
  setAttribute(addNode(proto, "Concat", {"class", "x"}, {"tokens"}), "axis", std::int64_t{1});
  addNode(proto, "Dropout", {"tokens"}, {"dropped"});  // OpenCV's
  addNode(proto, "Reshape", {"dropped", "target"}, {"y"});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Subgraph", "Dropout", "Subgraph"}));
  EXPECT_EQ(within(*model.nodes()[0]), (Strings{"Shape", "Gather", "Concat", "Expand", "Concat"}));
  EXPECT_EQ(within(*model.nodes()[2]), (Strings{"Shape", "Gather", "Concat", "Reshape"}));
}

TEST(OnnxSubgraphs, WholeNumbersNeverReachOpenCv) {
  auto proto = modelOfX({1, 5, 8});
  setAttribute(addNode(proto, "ArgMax", {"x"}, {"label"}), "axis", std::int64_t{2});
  addNode(proto, "Mul", {"label", "label"}, {"square"});
  setAttribute(addNode(proto, "Cast", {"square"}, {"y"}), "to",
               std::int64_t{::onnx::TensorProto::FLOAT});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), Strings{"Subgraph"});
  EXPECT_EQ(within(*model.nodes()[0]), (Strings{"ArgMax", "Mul", "Cast"}));
}

TEST(OnnxSubgraphs, AHostileChainCostsNoStack) {
  auto proto = modelOfX({-1, 4});
  addNode(proto, "Shape", {"x"}, {"s0"});
  constexpr int kLength = 100000;
  for (int i = 0; i < kLength; ++i) {
    addNode(proto, "Neg", {"s" + std::to_string(i)}, {"s" + std::to_string(i + 1)});
  }
  addNode(proto, "Reshape", {"x", "s" + std::to_string(kLength)}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(typesOf(taken(std::move(proto))), Strings{"Subgraph"});
}

}  // namespace
}  // namespace mpm::test
