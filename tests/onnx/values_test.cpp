// SPDX-License-Identifier: Apache-2.0
// What is known of values: from inputs, from the file, from constants; and what a hostile file
// costs.
#include "onnx/operators/values.h"

#include <ctime>

#include <gtest/gtest.h>

#include "onnx/fold_case.h"
#include "onnx/shape_case.h"

namespace mpm::test {
namespace {

using onnx::Values;

void describe(ModelProto& proto, const std::string& value, const Integers& dims) {
  ModelProto other = emptyModel();
  addInput(other, value, dims);
  *proto.mutable_graph()->add_value_info() = other.graph().input(0);
}

TEST(OnnxValues, InputsAsTheFileSaysOrAsTold) {
  const Model model(opsetModel(17, {{kOpen, 3}, {kOpen, 4}}));
  const Values file(model);
  EXPECT_EQ(*file.dims("a"), (Integers{kOpen, 3}));
  EXPECT_EQ(file.type("a"), ::onnx::TensorProto::FLOAT);
  EXPECT_EQ((*file.namedDims("a"))[0], (*file.namedDims("b"))[0]) << "both are the batch";
  const Values told(model, {{"a", {2, 3}}});
  EXPECT_EQ(*told.dims("a"), (Integers{2, 3}));
  EXPECT_EQ(*told.dims("b"), (Integers{2, 4})) << "the same symbol";
  EXPECT_EQ(*Values(model, {{"a", {-7, kMin}}}).dims("a"), (Integers{kOpen, kOpen}));
}

TEST(OnnxValues, OfNoRank) {
  auto proto = emptyModel();
  addInput(proto, "a", {});
  proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  addNode(proto, "Relu", {"a"}, {"y"});
  EXPECT_EQ(dimsIn(proto, "y"), kNothing);
  EXPECT_EQ(dimsIn(proto, "y", {{"a", {1, 2}}}), (Integers{1, 2}));
  EXPECT_EQ(dimsIn(proto, "nowhere"), kNothing);
}

TEST(OnnxValues, TheFileFillsWhatIsUnknown) {
  auto proto = opsetModel(17, {{kOpen, 3}});
  addNode(proto, "Mystery", {"a"}, {"y"}).set_domain("com.example");
  addNode(proto, "Relu", {"y"}, {"z"});
  describe(proto, "y", {kOpen, 5});
  EXPECT_EQ(dimsIn(proto, "z"), (Integers{kOpen, 5}));
  EXPECT_EQ(dimsIn(proto, "z", {{"a", {2, 3}}}), (Integers{2, 5})) << "the file's symbol";
  EXPECT_EQ(dimsIn(proto, "z", {{"a", {2, 4}}}), (Integers{2, kOpen})) << "other inputs";
}

TEST(OnnxValues, InferenceWinsOverTheFile) {
  auto proto = opsetModel(17, {{kOpen, 3}});
  addNode(proto, "Relu", {"a"}, {"y"});
  describe(proto, "y", {1, 7});
  EXPECT_EQ(dimsIn(proto, "y", {{"a", {2, 3}}}), (Integers{2, 3}));
}

TEST(OnnxValues, AnInputsOpenSizeIsNotTheNumberThatTheFileWasWrittenWith) {
  auto proto = opsetModel(17, {{kOpen, 3}});
  addNode(proto, "Relu", {"a"}, {"y"});
  describe(proto, "y", {2, 3});
  EXPECT_EQ(dimsIn(proto, "y"), (Integers{kOpen, 3}));
}

// As TorchScript writes a network of two pictures, which it was shown two of each.
TEST(OnnxValues, NorIsThatOfTwoOpenBatchesSideBySide) {
  auto proto = opsetModel(17, {{kOpen, 3}});
  onnx::setAttribute(addNode(proto, "Concat", {"a", "a"}, {"both"}), "axis", std::int64_t{0});
  addNode(proto, "Relu", {"both"}, {"y"});
  describe(proto, "both", {4, 3});
  describe(proto, "y", {4, 3});
  EXPECT_EQ(dimsIn(proto, "y"), (Integers{kOpen, 3}));
  EXPECT_EQ(dimsIn(proto, "y", {{"a", {3, 3}}}), (Integers{6, 3}));
}

TEST(OnnxValues, ContentOfConstants) {
  auto proto = opsetModel(17, {{kOpen, 3}});
  addIntegers(proto, "numbers", {4, 5});
  addConstant(proto, "floats", {2}, {1, 2});
  addNode(proto, "Identity", {"numbers"}, {"same"});
  const Model model(std::move(proto));
  const Values values(model);
  EXPECT_EQ(values.content("same")->integers, (Integers{4, 5}));
  EXPECT_TRUE(values.content("floats")->isSure());
  EXPECT_EQ(values.content("floats"), values.content("floats")) << "converted once";
  EXPECT_EQ(values.content("a"), nullptr);
  EXPECT_EQ(values.content("nowhere"), nullptr);
}

TEST(OnnxValues, PartOfAShapeIsKnown) {
  auto proto = opsetModel(17, {{kOpen, 3}, {kOpen, kOpen}});
  addNode(proto, "Shape", {"a"}, {"some"});
  addNode(proto, "Shape", {"b"}, {"none"});
  const Model model(std::move(proto));
  const Values values(model);
  ASSERT_NE(values.content("some"), nullptr);
  EXPECT_FALSE(values.content("some")->isSure());
  EXPECT_EQ(values.content("some")->sure, (std::vector<char>{0, 1}));
  EXPECT_EQ(values.content("some")->integers[1], 3);
  EXPECT_EQ(values.content("none"), nullptr);
}

TEST(OnnxValues, SizesKeepTheirNames) {
  auto proto = opsetModel(17, {{kOpen, 3}});
  addConstant(proto, "w", {3, 4}, std::vector<float>(12));
  addIntegers(proto, "two", {2});
  addNode(proto, "MatMul", {"a", "w"}, {"y"});
  addNode(proto, "Shape", {"y"}, {"shape"});
  addNode(proto, "Mul", {"shape", "two"}, {"double"});
  addNode(proto, "ConstantOfShape", {"shape"}, {"same"});
  addNode(proto, "ConstantOfShape", {"double"}, {"other"});
  const Model model(std::move(proto));
  const Values values(model);
  EXPECT_EQ((*values.namedDims("same"))[0], (*values.namedDims("a"))[0]);
  EXPECT_LT((*values.namedDims("same"))[0], -1);
  EXPECT_NE((*values.namedDims("other"))[0], (*values.namedDims("a"))[0]);
  EXPECT_EQ(*values.dims("other"), (Integers{kOpen, 8}));
}

TEST(OnnxValues, Types) {
  auto proto = opsetModel(17, {{2}});
  onnx::setAttribute(addNode(proto, "Cast", {"a"}, {"half"}), "to", std::int64_t{10});
  addNode(proto, "Relu", {"half"}, {"still"});
  addNode(proto, "Equal", {"a", "a"}, {"truth"});
  addNode(proto, "Shape", {"a"}, {"shape"});
  addNode(proto, "Mystery", {"a"}, {"unknown"}).set_domain("com.example");
  const Model model(std::move(proto));
  const Values values(model);
  EXPECT_EQ(values.type("still"), ::onnx::TensorProto::FLOAT16);
  EXPECT_EQ(values.type("truth"), ::onnx::TensorProto::BOOL);
  EXPECT_EQ(values.type("shape"), ::onnx::TensorProto::INT64);
  EXPECT_EQ(values.type("unknown"), 0);
}

// Seconds of this process to work out a model, folding included; what others compute meanwhile does
// not count.
double seconds(ModelProto proto) {
  addNode(proto, "Use", {"image"}, {"end"}).set_domain("mpm");
  addOutput(proto, "end");
  Model model(std::move(proto));
  const std::clock_t begun = std::clock();
  onnx::fold(model);
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

// Far from what it takes, about a second, but less than any of these would if nothing held it back.
constexpr double kPatience = 30;

TEST(OnnxValues, ManyLargeResultsCostLittle) {
  for (const char* type : {"Exp", "Reciprocal", "Shape", "ReduceSum", "Not"}) {
    auto proto = start();
    addIntegers(proto, "dims", {2048, 4096});
    addNode(proto, "ConstantOfShape", {"dims"}, {"v0"});
    for (int i = 0; i < 3000; ++i) addNode(proto, type, {"v0"}, {"v" + std::to_string(i + 1)});
    EXPECT_LT(seconds(std::move(proto)), kPatience) << type;
  }
}

TEST(OnnxValues, ProductsThatFailLateCostLittle) {
  auto proto = start();
  Integers column(2048, 1);
  column.back() = kMax;
  addIntegers(proto, "row", column);
  addIntegers(proto, "column", column);
  addIntegers(proto, "axes", {1});
  addNode(proto, "Unsqueeze", {"column", "axes"}, {"tall"});
  for (int i = 0; i < 3000; ++i) addNode(proto, "Mul", {"row", "tall"}, {"v" + std::to_string(i)});
  EXPECT_LT(seconds(std::move(proto)), kPatience);
}

TEST(OnnxValues, EmptyPartsCostLittle) {
  auto proto = start();
  addConstant(proto, "full", {1 << 20, 1}, std::vector<float>(1 << 20));
  addConstant(proto, "empty", {1 << 20, 0}, {});
  Strings parts = {"full"};
  parts.resize(20000, "empty");
  onnx::setAttribute(addNode(proto, "Concat", parts, {"y"}), "axis", std::int64_t{1});
  EXPECT_LT(seconds(std::move(proto)), kPatience);
}

TEST(OnnxValues, ManyAxesCostLittle) {
  auto proto = start();
  addIntegers(proto, "dims", Integers(10000, 1));
  addIntegers(proto, "few", Integers(16, 2));
  addNode(proto, "ConstantOfShape", {"dims"}, {"flat"});
  addNode(proto, "ConstantOfShape", {"few"}, {"deep"});
  for (int i = 0; i < 3000; ++i) {
    const std::string name = std::to_string(i);
    addNode(proto, "Transpose", {"flat"}, {"f" + name});
    addNode(proto, "Transpose", {"deep"}, {"d" + name});
    addNode(proto, "Expand", {"image", "dims"}, {"e" + name});
  }
  EXPECT_LT(seconds(std::move(proto)), kPatience);
}

}  // namespace
}  // namespace mpm::test
