// SPDX-License-Identifier: Apache-2.0
// Weights and values of whole numbers, as what they stand for. Whole models are among those of
// tests/models.
#include <gtest/gtest.h>

#include <algorithm>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

using ::onnx::TensorProto;

ModelProto columnsModel() {
  auto model = emptyModel();
  addInput(model, "x", {-1, 4});
  addOutput(model, "y");
  return model;
}

void addWhole(ModelProto& model, const std::string& name, int type, const Integers& dims,
              const Integers& values) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const auto dim : dims) tensor.add_dims(dim);
  for (const auto value : values) tensor.add_int32_data(static_cast<int>(value));
}

// x, quantised with a scale of 0.5 and this zero, and back: y.
Model passedThrough(int type, std::int64_t zero, const char* maker = nullptr) {
  auto proto = columnsModel();
  addScalar(proto, "scale", 0.5F);
  addWhole(proto, "zero", type, {}, {zero});
  if (maker != nullptr) addNode(proto, maker, {"x"}, {"made"});
  addNode(proto, "QuantizeLinear", {maker != nullptr ? "made" : "x", "scale", "zero"}, {"q"});
  addNode(proto, "Transpose", {"q"}, {"turned"});
  addNode(proto, "DequantizeLinear", {"turned", "scale", "zero"}, {"d"});
  addNode(proto, "Neg", {"d"}, {"y"});
  return lowered(std::move(proto));
}

TEST(OnnxDequantise, ValuesPassThrough) {
  EXPECT_EQ(typesOf(passedThrough(TensorProto::INT8, 0)), (Strings{"Transpose", "Neg"}));
  EXPECT_EQ(typesOf(passedThrough(TensorProto::UINT8, 128)), (Strings{"Transpose", "Neg"}));
}

// Those of models that were trained for whole numbers are reals in the file.
TEST(OnnxDequantise, WeightsAreWhatTheyAreRoundedTo) {
  const auto weights = [](int type, std::int64_t zero, const std::vector<float>& scales) {
    auto proto = columnsModel();
    addConstant(proto, "w", {2, 3}, {0.3F, -0.76F, 0.25F, 100, -100, 0.75F});
    addConstant(proto, "scale", {static_cast<std::int64_t>(scales.size())}, scales);
    const std::vector<std::int64_t> zeros(scales.size(), zero);
    addWhole(proto, "zero", type, {static_cast<std::int64_t>(zeros.size())}, zeros);
    for (const char* op : {"QuantizeLinear", "DequantizeLinear"}) {
      const bool isFirst = proto.graph().node_size() == 0;
      addNode(proto, op, {isFirst ? "w" : "q", "scale", "zero"}, {isFirst ? "q" : "d"});
      setAttribute(*proto.mutable_graph()->mutable_node()->rbegin(), "axis", std::int64_t{0});
    }
    addNode(proto, "MatMul", {"x", "d"}, {"y"});
    const Model model = lowered(std::move(proto));
    EXPECT_EQ(typesOf(model), Strings{"MatMul"});
    return floatsRead(model, "MatMul", 1);
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(weights(TensorProto::INT8, 0, {0.5F, 0.5F}), (Floats{0.5F, -1, 0, 63.5F, -64, 1}));
  EXPECT_EQ(weights(TensorProto::INT8, 2, {0.5F, 0.25F}),
            (Floats{0.5F, -1, 0, 31.25F, -32.5F, 0.75F}));
  EXPECT_EQ(weights(TensorProto::UINT8, 100, {0.5F, 1}), (Floats{0.5F, -1, 0, 100, -100, 1}));
}

// The tools that quantise take a ReLU out where the numbers begin at zero.
TEST(OnnxDequantise, NumbersThatBeginAtZeroKeepNothingBelowIt) {
  EXPECT_EQ(typesOf(passedThrough(TensorProto::UINT8, 0, "Sin")),
            (Strings{"Sin", "Relu", "Transpose", "Neg"}));
  EXPECT_EQ(typesOf(passedThrough(TensorProto::INT8, -128, "Sin")),
            (Strings{"Sin", "Relu", "Transpose", "Neg"}));
  EXPECT_EQ(typesOf(passedThrough(TensorProto::UINT8, 0, "Softmax")),
            (Strings{"Softmax", "Transpose", "Neg"}));
  EXPECT_EQ(typesOf(passedThrough(TensorProto::UINT8, 3, "Sin")),
            (Strings{"Sin", "Transpose", "Neg"}));
}

TEST(OnnxDequantise, BehindAConvolutionNothingIsAboveThemEither) {
  auto proto = columnsModel();
  addScalar(proto, "scale", 0.5F);
  addWhole(proto, "zero", TensorProto::UINT8, {}, {0});
  addConstant(proto, "w", {1, 1, 1, 1}, {2});
  addNode(proto, "Conv", {"x", "w"}, {"made"});
  addNode(proto, "QuantizeLinear", {"made", "scale", "zero"}, {"q"});
  addNode(proto, "DequantizeLinear", {"q", "scale", "zero"}, {"d"});
  addNode(proto, "Neg", {"d"}, {"y"});
  const Model model = lowered(std::move(proto));
  EXPECT_EQ(typesOf(model), (Strings{"Conv", "Clip", "Neg"}));
  EXPECT_EQ(floatsRead(model, "Clip", 1), std::vector<float>{0});
  EXPECT_EQ(floatsRead(model, "Clip", 2), std::vector<float>{127.5F});
}

TEST(OnnxDequantise, WeightsHaveAScaleEachOrOneOrOneABlock) {
  struct Case {
    std::vector<std::int64_t> dims;
    std::vector<float> scale, expected;
    std::int64_t axis, block;
  };
  const std::vector<Case> cases = {{{}, {0.5F}, {-1, 0, 1, 2}, 1, 0},
                                   {{2}, {0.5F, 2}, {-1, 0, 1, 8}, 1, 0},
                                   {{2}, {0.5F, 2}, {-1, 0, 4, 8}, 0, 0},
                                   {{1, 2}, {0.5F, 2}, {-1, 0, 1, 8}, 0, 2}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const Case& is = cases[i];
    auto proto = columnsModel();
    addWhole(proto, "w", TensorProto::UINT8, {2, 2}, {0, 2, 4, 6});
    addConstant(proto, "scale", is.dims, is.scale);
    addWhole(proto, "zero", TensorProto::UINT8, is.dims, Integers(is.scale.size(), 2));
    auto& node = addNode(proto, "DequantizeLinear", {"w", "scale", "zero"}, {"d"});
    setAttribute(node, "axis", is.axis);
    if (is.block > 0) setAttribute(node, "block_size", is.block);
    addNode(proto, "MatMul", {"x", "d"}, {"y"});
    EXPECT_EQ(floatsRead(lowered(std::move(proto)), "MatMul", 1), is.expected);
  }
}

// As tables of positions are kept, of which rows are taken.
TEST(OnnxDequantise, AConstantThatIsMovedFirstIsMovedAsWhatItStandsFor) {
  const auto movedWith = [](const Integers& dims, const std::vector<float>& scale) {
    auto proto = columnsModel();
    addWhole(proto, "table", TensorProto::UINT8, {2, 2}, {0, 2, 4, 6});
    addConstant(proto, "scale", dims, scale);
    addWhole(proto, "zero", TensorProto::UINT8, dims, Integers(scale.size(), 2));
    addWhole(proto, "ids", TensorProto::INT32, {2}, {1, 0});
    addNode(proto, "Gather", {"table", "ids"}, {"rows"});
    addNode(proto, "Transpose", {"rows"}, {"turned"});
    addNode(proto, "DequantizeLinear", {"turned", "scale", "zero"}, {"d"});
    addNode(proto, "MatMul", {"x", "d"}, {"y"});
    return lowered(std::move(proto));
  };
  const Model model = movedWith({}, {0.5F});
  EXPECT_EQ(typesOf(model), (Strings{"Gather", "Transpose", "MatMul"}));
  EXPECT_EQ(floatsRead(model, "Gather", 0), (std::vector<float>{-1, 0, 1, 2}));
  EXPECT_EQ(typesOf(movedWith({2}, {0.5F, 2})),
            (Strings{"Gather", "Transpose", "DequantizeLinear", "MatMul"}));
}

// One that is left alone tells the runtime's own words of it, or its own answer.
TEST(OnnxDequantise, WhatItDoesNotKnowLeavesAllAsItIs) {
  for (const char* reader : {"Neg", "QLinearElu"}) {
    SCOPED_TRACE(reader);
    auto proto = columnsModel();
    addScalar(proto, "scale", 0.5F);
    addWhole(proto, "zero", TensorProto::INT8, {}, {0});
    addNode(proto, "QuantizeLinear", {"x", "scale", "zero"}, {"q"});
    addNode(proto, reader, {"q"}, {"n"});
    addNode(proto, "DequantizeLinear", {"n", "scale", "zero"}, {"y"});
    EXPECT_EQ(typesOf(lowered(std::move(proto))),
              (Strings{"QuantizeLinear", reader, "DequantizeLinear"}));
  }
}

// Read with another scale it is another value, which nothing may forget.
TEST(OnnxDequantise, AValueThatIsReadWithAnotherScaleLeavesAllAsItIs) {
  for (const float read : {0.5F, 0.25F}) {
    SCOPED_TRACE(read);
    auto proto = columnsModel();
    addScalar(proto, "written", 0.5F);
    addScalar(proto, "read", read);
    addWhole(proto, "zero", TensorProto::INT8, {}, {0});
    addNode(proto, "QuantizeLinear", {"x", "written", "zero"}, {"q"});
    addNode(proto, "DequantizeLinear", {"q", "read", "zero"}, {"d"});
    addNode(proto, "Neg", {"d"}, {"y"});
    EXPECT_EQ(typesOf(lowered(std::move(proto))).size(), read == 0.5F ? 1U : 3U);
  }
}

ModelProto dynamicProduct(const char* scaleOfInput) {
  auto proto = columnsModel();
  addWhole(proto, "w", TensorProto::INT8, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  addWhole(proto, "wz", TensorProto::INT8, {}, {1});
  addConstant(proto, "ws", {2}, {0.5F, 2});
  addNode(proto, "DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  addNode(proto, "MatMulInteger", {"q", "w", "z", "wz"}, {"product"});
  setAttribute(addNode(proto, "Cast", {"product"}, {"cast"}), "to",
               std::int64_t{TensorProto::FLOAT});
  addNode(proto, "Mul", {scaleOfInput, "ws"}, {"scales"});
  addNode(proto, "Mul", {"cast", "scales"}, {"y"});
  return proto;
}

TEST(OnnxDequantise, ProductsOfWholeNumbersAreProducts) {
  const Model model = lowered(dynamicProduct("s"));
  EXPECT_EQ(typesOf(model), Strings{"MatMul"});
  EXPECT_EQ(model.producer("y")->input(0), "x");
  EXPECT_EQ(floatsRead(model, "MatMul", 1), (std::vector<float>{0, 2, 1, 6, 2, 10, 3, 14}));
}

TEST(OnnxDequantise, ProductsWithAnotherScaleStay) {
  auto proto = dynamicProduct("other");
  addInput(proto, "other", {1});
  EXPECT_EQ(typesOf(lowered(std::move(proto))).front(), "DynamicQuantizeLinear");
}

// A file of few bytes must not become gigabytes.
TEST(OnnxDequantise, AConstantThatManyNodesReadIsNotCopiedForEach) {
  auto proto = columnsModel();
  addScalar(proto, "scale", 1);
  addWhole(proto, "w", TensorProto::INT8, {4, 64}, Integers(256, 1));
  for (int i = 0; i < 64; ++i) {
    const std::string name = "d" + std::to_string(i);
    addNode(proto, "DequantizeLinear", {"w", "scale"}, {name});
    addNode(proto, "MatMul", {"x", name}, {i == 0 ? "y" : "y" + std::to_string(i)});
  }
  const auto types = typesOf(lowered(std::move(proto)));
  EXPECT_NE(std::find(types.begin(), types.end(), "DequantizeLinear"), types.end());
}

}  // namespace
}  // namespace mpm::test
