// SPDX-License-Identifier: Apache-2.0
// Fused nodes and other precisions, in plain float32 nodes.
#include <gtest/gtest.h>

#include <cmath>

#include "onnx/graph/error.h"
#include "onnx/lower_case.h"
#include "onnx/recognise/parts.h"

namespace mpm::test {
namespace {

using ::onnx::TensorProto;

ModelProto tokensModel() {
  auto model = emptyModel();
  addInput(model, "x", {-1, 5, 4});
  addOutput(model, "y");
  return model;
}

std::optional<onnx::FoundGelu> geluOf(const Model& model) {
  const onnx::Values values(model);
  return onnx::findGelu({model, values}, "y");
}

TEST(OnnxLower, GelusAreTheSameFunction) {
  const std::vector<std::pair<std::string, Gelu>> kinds = {
      {"Gelu", Gelu::erf}, {"FastGelu", Gelu::tanh}, {"QuickGelu", Gelu::quick}};
  for (const auto& [type, kind] : kinds) {
    SCOPED_TRACE(type);
    auto proto = tokensModel();
    addFused(proto, type, {"x"}, {"y"});
    const Model model = lowered(std::move(proto));
    for (const auto* node : model.nodes()) EXPECT_NE(node->domain(), "com.microsoft");
    const auto found = geluOf(model);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, kind);
    EXPECT_EQ(found->input, "x");
  }
}

TEST(OnnxLower, BiasesAreAddedFirst) {
  for (const char* type : {"BiasGelu", "FastGelu"}) {
    SCOPED_TRACE(type);
    auto proto = tokensModel();
    addConstant(proto, "bias", {4}, {1, 2, 3, 4});
    addFused(proto, type, {"x", "bias"}, {"y"});
    const Model model = lowered(std::move(proto));
    const auto found = geluOf(model);
    ASSERT_TRUE(found);
    ASSERT_NE(model.producer(found->input), nullptr);
    EXPECT_EQ(model.producer(found->input)->op_type(), "Add");
  }
}

TEST(OnnxLower, QuickGeluKeepsItsAlpha) {
  auto proto = tokensModel();
  setAttribute(addFused(proto, "QuickGelu", {"x"}, {"y"}), "alpha", 0.5F);
  const Model model = lowered(std::move(proto));
  const std::vector<float> found = resultOf(model, {{1, 5, 4}});
  ASSERT_EQ(found.size(), 20U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float x = std::sin(1.7F * static_cast<float>(i));
    EXPECT_NEAR(found[i], x / (1 + std::exp(-x / 2)), 1e-6);
  }
}

TEST(OnnxLower, SkipNormalizeGivesItsSumToo) {
  auto proto = tokensModel();
  addInput(proto, "skip", {-1, 5, 4});
  for (const char* name : {"gamma", "beta", "bias"}) addConstant(proto, name, {4}, {1, 1, 1, 1});
  auto& node = addFused(proto, "SkipLayerNormalization", {"x", "skip", "gamma", "beta", "bias"},
                        {"y", "", "", "sum"});
  setAttribute(node, "epsilon", 1e-3F);
  addOutput(proto, "sum");
  const Model model = lowered(std::move(proto));
  EXPECT_EQ(typesOf(model), (Strings{"Add", "Add", "LayerNormalization"}));
  EXPECT_EQ(model.producer("sum")->input(0), "x");
  EXPECT_EQ(model.producer(model.producer("sum")->input(1))->input(1), "bias")
      << "the branch's, which a linear layer makes";
  const auto* norm = model.producer("y");
  EXPECT_EQ(norm->input(0), "sum");
  EXPECT_EQ(norm->input(2), "beta");
  EXPECT_EQ(onnx::floatAttribute(*norm, "epsilon"), 1e-3F);
  EXPECT_EQ(onnx::intAttribute(*norm, "axis"), -1);
}

TEST(OnnxLower, SkipNormalizeWithoutAMeanHasItsBiasFourth) {
  auto proto = tokensModel();
  addInput(proto, "skip", {-1, 5, 4});
  for (const char* name : {"gamma", "bias"}) addConstant(proto, name, {4}, {1, 1, 1, 1});
  addFused(proto, "SkipSimplifiedLayerNormalization", {"x", "skip", "gamma", "bias"},
           {"y", "", "", "sum"});
  addOutput(proto, "sum");
  const Model model = lowered(std::move(proto));
  EXPECT_EQ(typesOf(model), (Strings{"Add", "Add", "SimplifiedLayerNormalization"}));
  EXPECT_EQ(model.producer(model.producer("sum")->input(1))->input(1), "bias");
  const auto* norm = model.producer("y");
  ASSERT_EQ(norm->input_size(), 2);
  EXPECT_EQ(norm->input(0), "sum");
  EXPECT_EQ(norm->input(1), "gamma");
}

TEST(OnnxLower, SkipNormalizeStaysWhereItsMeanIsRead) {
  auto proto = tokensModel();
  addConstant(proto, "gamma", {4}, {1, 1, 1, 1});
  addFused(proto, "SkipLayerNormalization", {"x", "x", "gamma"}, {"y", "mean"});
  addOutput(proto, "mean");
  EXPECT_EQ(typesOf(lowered(std::move(proto))), Strings{"SkipLayerNormalization"});
}

TEST(OnnxLower, FusedMatMulTurnsAndScales) {
  auto proto = tokensModel();
  auto& node = addFused(proto, "FusedMatMul", {"x", "x"}, {"y"});
  setAttribute(node, "transB", std::int64_t{1});
  setAttribute(node, "alpha", 0.5F);
  const Model model = lowered(proto);
  EXPECT_EQ(typesOf(model), (Strings{"Transpose", "MatMul", "Mul"}));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[0], "perm"), (Integers{0, 2, 1}));
  EXPECT_EQ(floatsRead(model, "Mul", 1), std::vector<float>{0.5F});
  proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(typesOf(lowered(proto)), Strings{"FusedMatMul"}) << "no rank is known";
}

TEST(OnnxLower, ActivationsLeaveGemmAndConv) {
  auto proto = tokensModel();
  addConstant(proto, "w", {4, 4}, std::vector<float>(16, 1));
  addConstant(proto, "k", {4, 4, 1, 1}, std::vector<float>(16, 1));
  auto& gemm = addFused(proto, "FusedGemm", {"x", "w"}, {"a"});
  setAttribute(gemm, "activation", std::string("LeakyRelu"));
  setAttribute(gemm, "activation_alpha", 0.25F);
  setAttribute(gemm, "transB", std::int64_t{1});
  auto& conv = addFused(proto, "FusedConv", {"a", "k", "", "x"}, {"y"});
  setAttribute(conv, "activation", std::string("Relu"));
  const Model model = lowered(std::move(proto));
  EXPECT_EQ(typesOf(model), (Strings{"Gemm", "LeakyRelu", "Conv", "Add", "Relu"}));
  EXPECT_EQ(model.nodes()[0]->attribute_size(), 1);
  EXPECT_EQ(onnx::floatAttribute(*model.producer("a"), "alpha"), 0.25F);
  EXPECT_EQ(model.producer("y")->op_type(), "Relu");
}

// x -> half -> MatMul -> float -> y, the weights in this type.
ModelProto otherPrecision(int type) {
  auto proto = tokensModel();
  auto& weight = addConstant(proto, "w", {1, 2}, {});
  weight.set_data_type(type);
  const std::uint16_t bits[2] = {
      static_cast<std::uint16_t>(type == TensorProto::FLOAT16 ? 0x3e00 : 0x3fc0), 0};
  const double doubles[2] = {1.5, 0};
  if (type == TensorProto::DOUBLE) {
    weight.set_raw_data(doubles, sizeof(doubles));
  } else {
    weight.set_raw_data(bits, sizeof(bits));
  }
  setAttribute(addNode(proto, "Cast", {"x"}, {"narrow"}), "to", std::int64_t{type});
  addNode(proto, "MatMul", {"narrow", "w"}, {"product"});
  setAttribute(addNode(proto, "Cast", {"product"}, {"y"}), "to", std::int64_t{TensorProto::FLOAT});
  auto* info = proto.mutable_graph()->add_value_info();
  info->set_name("product");
  info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return proto;
}

TEST(OnnxLower, OtherPrecisionsBecomeFloat) {
  for (const int type : {TensorProto::FLOAT16, TensorProto::BFLOAT16, TensorProto::DOUBLE}) {
    SCOPED_TRACE(type);
    const Model model = lowered(otherPrecision(type));
    EXPECT_EQ(typesOf(model), Strings{"MatMul"});
    ASSERT_NE(model.producer("y"), nullptr);
    EXPECT_EQ(model.producer("y")->input(0), "x");
    const auto weight = model.constant("w");
    EXPECT_EQ(weight->type(), TensorProto::FLOAT);
    EXPECT_EQ(weight->floats()[0], 1.5F);
    EXPECT_EQ(weight->dims(), (Integers{1, 2}));
  }
}

TEST(OnnxLower, CastsOfOtherThingsStay) {
  auto proto = tokensModel();
  proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      TensorProto::UINT8);
  setAttribute(addNode(proto, "Cast", {"x"}, {"y"}), "to", std::int64_t{TensorProto::DOUBLE});
  const Model model = lowered(std::move(proto));
  ASSERT_EQ(typesOf(model), Strings{"Cast"});
  EXPECT_EQ(onnx::intAttribute(*model.nodes()[0], "to"), TensorProto::FLOAT);
}

TEST(OnnxLower, FloatWeightsAreNotTouched) {
  auto proto = tokensModel();
  addConstant(proto, "w", {4, 4}, std::vector<float>(16, 1));
  addNode(proto, "MatMul", {"x", "w"}, {"y"});
  Model model(std::move(proto));
  const float* before = model.constant("w")->floats().data();
  EXPECT_EQ(onnx::lower(model), 0);
  EXPECT_EQ(model.constant("w")->floats().data(), before);
}

TEST(OnnxLower, QuantisedModelsKeepTheirTypes) {
  auto proto = otherPrecision(TensorProto::FLOAT16);
  addNode(proto, "DequantizeLinear", {"x", "w"}, {"z"});
  EXPECT_EQ(lowered(std::move(proto)).constant("w")->type(), TensorProto::FLOAT16);
}

TEST(OnnxLower, WrongNodesStay) {
  for (const char* type : {"Gelu", "BiasGelu", "SkipLayerNormalization", "FusedMatMul", "FusedGemm",
                           "FusedConv", "Attention", "MultiHeadAttention"}) {
    SCOPED_TRACE(type);
    auto proto = tokensModel();
    addFused(proto, type, {"x", "", "", "", "", "", "x"}, {"y"});
    EXPECT_EQ(typesOf(lowered(std::move(proto))), Strings{type});
  }
  auto proto = tokensModel();
  setAttribute(addFused(proto, "QuickGelu", {"x"}, {"y"}), "alpha", std::int64_t{1});
  EXPECT_THROW(lowered(std::move(proto)), onnx::ModelError);
}

// As onnxsim joins q, k and v.
TEST(OnnxLower, AProductThatIsSplitBecomesProducts) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {1, 5, 2});
  addConstant(proto, "w", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  addIntegerConstant(proto, "sizes", {1, 3});
  addNode(proto, "MatMul", {"x", "w"}, {"all"});
  setAttribute(addNode(proto, "Split", {"all", "sizes"}, {"a", "b"}), "axis", std::int64_t{-1});
  addOutput(proto, "a");
  addOutput(proto, "b");
  auto kept = proto;
  Model model(std::move(proto));
  onnx::lower(model, [](const std::string& value) {
    static const Integers dims = {1, 5, 4};
    return value == "all" ? &dims : nullptr;
  });
  model.removeDead();
  ASSERT_EQ(typesOf(model), (Strings{"MatMul", "MatMul"}));
  const auto weights = [&](const char* value) {
    const onnx::Floats floats = model.constant(model.producer(value)->input(1))->floats();
    return std::vector<float>(floats.begin(), floats.end());
  };
  EXPECT_EQ(weights("a"), (std::vector<float>{1, 5}));
  EXPECT_EQ(weights("b"), (std::vector<float>{2, 3, 4, 6, 7, 8}));

  addOutput(kept, "all");
  Model other(std::move(kept));
  onnx::lower(other);
  EXPECT_EQ(typesOf(other), (Strings{"MatMul", "Split"})) << "somebody reads all of it";
}

// image [1, 3, 9, 13] -> patches of 4.
ModelProto patchesWithARest() {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 3, 9, 13});
  addConstant(proto, "w", {2, 3, 4, 4}, std::vector<float>(96, 1));
  setAttribute(addNode(proto, "Conv", {"image", "w"}, {"y"}), "strides", Integers{4, 4});
  addOutput(proto, "y");
  return proto;
}

TEST(OnnxLower, WhatNoPatchCoversIsCutOff) {
  const Model model = lowered(patchesWithARest());
  EXPECT_EQ(typesOf(model), (Strings{"Slice", "Slice", "Conv"}));
  for (const auto* node : model.nodes()) {
    if (node->op_type() != "Slice") continue;
    EXPECT_EQ(model.constant(node->input(2))->integers(), Integers{-1});
  }
  auto overlapping = patchesWithARest();
  setAttribute(*overlapping.mutable_graph()->mutable_node(0), "strides", Integers{2, 2});
  EXPECT_EQ(typesOf(lowered(overlapping)), Strings{"Conv"});
}

// torch.stack([a, b, c]).sum(0)
ModelProto stackedSum(std::int64_t keepdims, const char* axes) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addIntegerConstant(proto, "first", {0});
  addIntegerConstant(proto, "second", {1});
  for (const char* name : {"a", "b", "c"}) {
    addInput(proto, name, {-1, 5, 4});
    addNode(proto, "Unsqueeze", {name, "first"}, {std::string(name) + "_raised"});
  }
  setAttribute(addNode(proto, "Concat", {"a_raised", "b_raised", "c_raised"}, {"stack"}), "axis",
               std::int64_t{0});
  setAttribute(addNode(proto, "ReduceSum", {"stack", axes}, {"y"}), "keepdims", keepdims);
  addOutput(proto, "y");
  return proto;
}

TEST(OnnxLower, WhatIsStackedToBeSummedIsAdded) {
  Model model = lowered(stackedSum(0, "first"));
  model.removeDead();
  ASSERT_EQ(typesOf(model), (Strings{"Add", "Add"}));
  EXPECT_EQ(model.producer("y")->input(1), "c");
  const auto* first = model.producer(model.producer("y")->input(0));
  EXPECT_EQ(first->input(0), "a");
  EXPECT_EQ(first->input(1), "b");
  for (auto other : {stackedSum(1, "first"), stackedSum(0, "second")}) {
    const Strings types = typesOf(lowered(std::move(other)));
    EXPECT_EQ(types.back(), "ReduceSum") << "another axis, or one that stays";
  }
}

}  // namespace
}  // namespace mpm::test
