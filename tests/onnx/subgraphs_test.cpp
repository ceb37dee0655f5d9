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

TEST(OnnxSubgraphs, TakeInstanceNormsOfRowsAndOfOnePlace) {
  const auto typeFor = [](const Integers& dims) {
    auto proto = modelOfX(dims);
    for (const char* name : {"scale", "shift"}) addConstant(proto, name, {3}, {1, 2, 3});
    addNode(proto, "InstanceNormalization", {"x", "scale", "shift"}, {"y"});
    addOutput(proto, "y");
    return typesOf(taken(std::move(proto))).back();
  };
  EXPECT_EQ(typeFor({-1, 3, 5, 1}), "InstanceNormalization");
  EXPECT_EQ(typeFor({-1, 3, 1, 1}), "Subgraph");
  EXPECT_EQ(typeFor({-1, 3, 4}), "Subgraph");
}

TEST(OnnxSubgraphs, LeaveToOpenCvWhatItReadsRightly) {
  auto proto = modelOfX({-1, 3, 8, 8});
  addConstant(proto, "kernel", {4, 3, 1, 1}, std::vector<float>(12, 1));
  addConstant(proto, "planes", {1, 4, 1, 1}, {1, 2, 3, 4});
  addNode(proto, "Conv", {"x", "kernel"}, {"a"});
  addNode(proto, "Add", {"a", "planes"}, {"b"});
  addNode(proto, "Relu", {"b"}, {"c"});
  addNode(proto, "Add", {"a", "c"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(typesOf(taken(std::move(proto))), (Strings{"Conv", "Add", "Relu", "Add"}));
}

TEST(OnnxSubgraphs, TakeASoftplusUnlessItIsOneOfAMish) {
  const auto typesFor = [](const std::string& reader, bool isOutput) {
    auto proto = modelOfX({-1, 3});
    addNode(proto, "Softplus", {"x"}, {"soft"});
    addNode(proto, reader, {"soft"}, {"y"});
    addOutput(proto, "y");
    if (isOutput) addOutput(proto, "soft");
    return typesOf(taken(std::move(proto)));
  };
  EXPECT_EQ(typesFor("Neg", false), (Strings{"Subgraph", "Neg"}));
  EXPECT_EQ(typesFor("Tanh", false), (Strings{"Softplus", "Tanh"}));
  EXPECT_EQ(typesFor("Tanh", true), (Strings{"Subgraph", "Tanh"}));
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

Strings taken(const Integers& dims, const char* attribute, const auto& value) {
  auto proto = modelOfX(dims);
  addConstant(proto, "scales", {static_cast<std::int64_t>(dims.size())},
              std::vector<float>(dims.size(), 2));
  auto& node = addNode(proto, "Resize", {"x", "", "scales"}, {"y"});
  if (attribute != nullptr) onnx::setAttribute(node, attribute, value);
  addOutput(proto, "y");
  return typesOf(taken(std::move(proto)));
}

TEST(OnnxSubgraphs, TakeResizesThatNoImporterKnows) {
  const Strings own = {"Subgraph"}, others = {"Resize"};
  EXPECT_EQ(taken({1, 3, 8, 8}, nullptr, 0.0F), others);
  EXPECT_EQ(taken({1, 3, 8, 8}, "axes", Integers{0, 1, 2, 3}), own);
  EXPECT_EQ(taken({1, 3, 8, 8}, "axes", Integers{-1, 2}), others);
  EXPECT_EQ(taken({1, 3, 8, 8}, "keep_aspect_ratio_policy", std::string("not_larger")), own);
  EXPECT_EQ(
      taken({1, 3, 8, 8}, "coordinate_transformation_mode", std::string("tf_crop_and_resize")),
      own);
  EXPECT_EQ(taken({1, 3, 8}, nullptr, 0.0F), own);
}

// Windows that are kept apart by their rows and columns.
TEST(OnnxSubgraphs, TakeSumsOfMoreThanFiveAxes) {
  for (const std::size_t axes : {5U, 6U}) {
    auto proto = modelOfX(Integers(axes, 2));
    addNode(proto, "Relu", {"x"}, {"a"});
    addNode(proto, "Add", {"x", "a"}, {"y"});
    addOutput(proto, "y");
    EXPECT_EQ(typesOf(taken(std::move(proto))), (Strings{"Relu", axes == 5 ? "Add" : "Subgraph"}));
  }
}

// OpenCV would keep one image's shape, or refuse them.
TEST(OnnxSubgraphs, TakeWhatPutsAnAxisBesideAll) {
  for (const std::int64_t axis : {0, 3, -3}) {
    auto proto = modelOfX({-1, 5, 8});
    setAttribute(addNode(proto, "Flatten", {"x"}, {"y"}), "axis", axis);
    addOutput(proto, "y");
    EXPECT_EQ(typesOf(taken(std::move(proto))), Strings{"Subgraph"}) << axis;
  }
  auto proto = modelOfX({-1, 5, 8});
  addIntegerConstant(proto, "all", {5});
  setAttribute(addNode(proto, "Split", {"x", "all"}, {"a"}), "axis", std::int64_t{1});
  addNode(proto, "Flatten", {"a"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(typesOf(taken(std::move(proto))), (Strings{"Subgraph", "Flatten"}));
}

TEST(OnnxSubgraphs, TakeSlicesOfAxesApart) {
  const std::pair<Integers, bool> cases[] = {
      {{1, 2}, false}, {{0, 2}, true}, {{2, 1}, true}, {{-1}, true}};
  for (const auto& [axes, isTaken] : cases) {
    auto proto = modelOfX({-1, 5, 8});
    addIntegerConstant(proto, "from", Integers(axes.size(), 0));
    addIntegerConstant(proto, "to", Integers(axes.size(), 1));
    addIntegerConstant(proto, "axes", axes);
    addNode(proto, "Slice", {"x", "from", "to", "axes"}, {"y"});
    addOutput(proto, "y");
    EXPECT_EQ(typesOf(taken(std::move(proto))), Strings{isTaken ? "Subgraph" : "Slice"});
  }
}

TEST(OnnxSubgraphs, TakeTogetherWhatHangsTogether) {
  auto proto = modelOfX({-1, 5, 8});
  addConstant(proto, "scale", {8}, std::vector<float>(8, 1));
  addIntegerConstant(proto, "axis", {1});
  addNormOf(proto, "x", "a");
  addNode(proto, "Relu", {"a"}, {"b"});  // between two that are taken
  addNode(proto, "ReduceMean", {"b", "axis"}, {"c"});
  addNode(proto, "Relu", {"c"}, {"y"});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Subgraph", "Relu"}));
  EXPECT_EQ(within(*model.nodes()[0]), (Strings{"LayerNormalization", "Relu", "ReduceMean"}));
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
  addNode(proto, "Softmax", {"tokens"}, {"soft"});
  addNode(proto, "Reshape", {"soft", "target"}, {"y"});
  addOutput(proto, "y");
  const Model model = taken(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Subgraph", "Concat", "Softmax", "Subgraph"}));
  EXPECT_EQ(within(*model.nodes()[0]), (Strings{"Shape", "Gather", "Concat", "Expand"}));
  EXPECT_EQ(within(*model.nodes()[3]), (Strings{"Shape", "Gather", "Concat", "Reshape"}));
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
