// SPDX-License-Identifier: Apache-2.0
// Folded operators that bring values to one scale.
#include <gtest/gtest.h>

#include <cmath>

#include "onnx/fold_case.h"

namespace mpm::test {
namespace {

void expectY(const Model& model, const std::vector<float>& expected) {
  const auto constant = model.constant("y");
  ASSERT_TRUE(constant);
  const auto floats = constant->floats();
  ASSERT_EQ(floats.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(floats[i], expected[i], 1e-5F) << i;
}

ModelProto batchNormOf(const Integers& dims, const std::vector<float>& values) {
  auto proto = start();
  addConstant(proto, "a", dims, values);
  addConstant(proto, "scale", {2}, {1, 10});
  addConstant(proto, "shift", {2}, {0, 5});
  addConstant(proto, "mean", {2}, {1, 2});
  addConstant(proto, "variance", {2}, {4, 1});
  auto& node = addNode(proto, "BatchNormalization", {"a", "scale", "shift", "mean", "variance"},
                       {"y", "means", "variances"});
  onnx::setAttribute(node, "epsilon", 0.0F);
  return proto;
}

TEST(OnnxFold, BatchNormalizationByWhatItWasGiven) {
  auto proto = batchNormOf({1, 2, 2}, {1, 3, 2, 4});
  proto.mutable_graph()->mutable_node(0)->mutable_output()->DeleteSubrange(1, 2);
  expectY(folded(std::move(proto)), {0, 1, 5, 25});
}

// timm standardises the weights of a hybrid's convolutions so.
TEST(OnnxFold, BatchNormalizationInTraining) {
  auto proto = batchNormOf({2, 2, 2}, {1, 3, 0, 4, 1, 3, 0, 4});
  auto& node = *proto.mutable_graph()->mutable_node(0);
  onnx::setAttribute(node, "training_mode", std::int64_t{1});
  onnx::setAttribute(node, "momentum", 0.5F);
  const Model model = folded(std::move(proto));
  expectY(model, {-1, 1, -5, 15, -1, 1, -5, 15});
  EXPECT_EQ(model.producer("y"), nullptr);
}

TEST(OnnxFold, KeepsABatchNormalizationThatDoesNotFit) {
  auto proto = batchNormOf({1, 3, 1}, {1, 2, 3});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
}

TEST(OnnxFold, SoftmaxAndNorms) {
  auto proto = start();
  addConstant(proto, "a", {2, 2}, {1000, 1000, 0, std::log(3.0F)});
  addNode(proto, "Softmax", {"a"}, {"y"});
  expectY(folded(std::move(proto)), {0.5F, 0.5F, 0.25F, 0.75F});

  auto norm = start();
  addConstant(norm, "a", {1, 2}, {1, 3});
  addConstant(norm, "scale", {2}, {2, 3});
  addConstant(norm, "shift", {2}, {10, 20});
  onnx::setAttribute(addNode(norm, "LayerNormalization", {"a", "scale", "shift"}, {"y"}), "epsilon",
                     0.0F);
  expectY(folded(std::move(norm)), {8, 23});

  auto length = start();
  addConstant(length, "a", {2, 2}, {3, 4, 0, 0});
  addNode(length, "LpNormalization", {"a"}, {"y"});
  expectY(folded(std::move(length)), {0.6F, 0.8F, 0, 0});
}

}  // namespace
}  // namespace mpm::test
