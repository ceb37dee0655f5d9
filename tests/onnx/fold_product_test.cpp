// SPDX-License-Identifier: Apache-2.0
// Folded operators that sum: products and reductions.
#include <gtest/gtest.h>

#include <cmath>

#include "onnx/fold_case.h"

namespace mpm::test {
namespace {

std::vector<float> floatsOfY(const Model& model) {
  const auto constant = model.constant("y");
  if (!constant) return {-999};
  const auto floats = constant->floats();
  return {floats.begin(), floats.end()};
}

void expectNear(const std::vector<float>& values, const std::vector<float>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6F) << i;
}

TEST(OnnxFold, ProductsOfStacks) {
  auto proto = start();
  addConstant(proto, "a", {1, 2, 2}, {1, 2, 3, 4});
  addConstant(proto, "b", {2, 2, 1}, {1, 0, 0, 10});
  addNode(proto, "MatMul", {"a", "b"}, {"y"});
  const Model model = folded(std::move(proto));
  EXPECT_EQ(dimsOfY(model), (Integers{2, 2, 1}));
  EXPECT_EQ(floatsOfY(model), (std::vector<float>{1, 3, 20, 40}));
}

TEST(OnnxFold, ProductsWithRowsAndColumns) {
  auto proto = start();
  addConstant(proto, "row", {2}, {1, 2});
  addConstant(proto, "matrix", {2, 3}, {1, 2, 3, 4, 5, 6});
  addConstant(proto, "column", {3}, {1, 0, 1});
  addNode(proto, "MatMul", {"row", "matrix"}, {"made"});
  addNode(proto, "MatMul", {"made", "column"}, {"y"});
  const Model model = folded(std::move(proto));
  EXPECT_EQ(dimsOfY(model), Integers{});
  EXPECT_EQ(floatsOfY(model), std::vector<float>{9 + 15});
}

TEST(OnnxFold, GemmOfConstants) {
  auto proto = start();
  addConstant(proto, "a", {2, 1}, {1, 2});
  addConstant(proto, "b", {3, 2}, {1, 2, 3, 4, 5, 6});
  addConstant(proto, "c", {3}, {1, 1, 2});
  auto& node = addNode(proto, "Gemm", {"a", "b", "c"}, {"y"});
  for (const char* name : {"transA", "transB"}) onnx::setAttribute(node, name, std::int64_t{1});
  onnx::setAttribute(node, "alpha", 2.0F);
  onnx::setAttribute(node, "beta", 10.0F);
  EXPECT_EQ(floatsOfY(folded(std::move(proto))), (std::vector<float>{20, 32, 54}));
}

TEST(OnnxFold, Einsum) {
  auto proto = start();
  addConstant(proto, "a", {1, 2, 2}, {1, 2, 3, 4});
  addConstant(proto, "b", {3, 2}, {1, 0, 0, 1, 1, 1});
  onnx::setAttribute(addNode(proto, "Einsum", {"a", "b"}, {"y"}), "equation",
                     std::string("bij, kj -> bki"));
  const Model model = folded(std::move(proto));
  EXPECT_EQ(dimsOfY(model), (Integers{1, 3, 2}));
  EXPECT_EQ(floatsOfY(model), (std::vector<float>{1, 3, 2, 4, 3, 7}));
}

// Angles of positions, as Depth Anything 3 has them: it costs what it makes, whatever it reads.
TEST(OnnxFold, EinsumOfManyPlacesAndFeatures) {
  auto proto = start();
  addConstant(proto, "places", {4096}, std::vector<float>(4096, 2));
  addConstant(proto, "features", {64}, std::vector<float>(64, 3));
  onnx::setAttribute(addNode(proto, "Einsum", {"places", "features"}, {"y"}), "equation",
                     std::string("i,j->ij"));
  const Model model = folded(std::move(proto));
  EXPECT_EQ(dimsOfY(model), (Integers{4096, 64}));
  EXPECT_EQ(floatsOfY(model).back(), 6);
}

TEST(OnnxFold, EinsumOfAxesWithoutLetters) {
  for (const char* equation : {"ij,jk", "...j,jk->...k", "...ij,...jk->...ik"}) {
    auto proto = start();
    addConstant(proto, "a", {2, 2}, {1, 2, 3, 4});
    onnx::setAttribute(addNode(proto, "Einsum", {"a", "a"}, {"y"}), "equation",
                       std::string(equation));
    EXPECT_EQ(floatsOfY(folded(std::move(proto))), (std::vector<float>{7, 10, 15, 22})) << equation;
  }
}

TEST(OnnxFold, KeepsProductsThatDoNotFit) {
  for (const char* equation : {"ij,jk->il", "ii,jk->jk", "...j,jk->k"}) {
    auto proto = start();
    addConstant(proto, "a", {2, 2}, {1, 2, 3, 4});
    onnx::setAttribute(addNode(proto, "Einsum", {"a", "a"}, {"y"}), "equation",
                       std::string(equation));
    EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr) << equation;
  }
  auto proto = start();
  addConstant(proto, "a", {2, 3}, std::vector<float>(6, 1));
  addNode(proto, "MatMul", {"a", "a"}, {"y"});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
}

// A chain of them is not computed while a model is read.
TEST(OnnxFold, KeepsProductsThatTakeLong) {
  auto proto = start();
  constexpr std::int64_t kSide = 512;
  addConstant(proto, "v0", {kSide, kSide}, std::vector<float>(kSide * kSide, 0));
  for (int i = 0; i < 20; ++i) {
    const auto name = [](int each) { return "v" + std::to_string(each); };
    addNode(proto, "MatMul", {name(i), "v0"}, {i == 19 ? "y" : name(i + 1)});
  }
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
}

// Sums of windows, computed by hand.
TEST(OnnxFold, ConvolutionsOfConstants) {
  auto proto = start();
  addConstant(proto, "a", {1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
  addConstant(proto, "w", {2, 2, 1, 1}, {1, 0, 2, 0.5F});
  addConstant(proto, "b", {2}, {0, 100});
  auto& node = addNode(proto, "Conv", {"a", "w", "b"}, {"y"});
  EXPECT_EQ(floatsOfY(folded(proto)),
            (std::vector<float>{1, 2, 3, 4, 5, 6, 107, 114, 121, 128, 135, 142}));
  onnx::setAttribute(node, "strides", Integers{1, 2});
  EXPECT_EQ(floatsOfY(folded(proto)), (std::vector<float>{1, 3, 4, 6, 107, 121, 128, 142}));
  onnx::setAttribute(node, "auto_pad", std::string("SAME_UPPER"));
  onnx::setAttribute(node, "pads", Integers{1, 1, 1, 1});
  EXPECT_EQ(floatsOfY(folded(proto)), (std::vector<float>{1, 3, 4, 6, 107, 121, 128, 142}));
}

// Each channel by itself; what a window sees outside of the plane is zero.
TEST(OnnxFold, ConvolutionsInGroupsWithPadding) {
  auto proto = start();
  addConstant(proto, "a", {1, 2, 1, 3}, {1, 2, 3, 10, 20, 30});
  addConstant(proto, "w", {2, 1, 1, 2}, {1, 1, 1, -1});
  auto& node = addNode(proto, "Conv", {"a", "w"}, {"y"});
  onnx::setAttribute(node, "group", std::int64_t{2});
  onnx::setAttribute(node, "pads", Integers{0, 1, 0, 0});
  EXPECT_EQ(floatsOfY(folded(proto)), (std::vector<float>{1, 3, 5, -10, -10, -10}));
  onnx::setAttribute(node, "dilations", Integers{1, 2});
  EXPECT_EQ(floatsOfY(folded(proto)), (std::vector<float>{2, 4, -20, -20}));
  onnx::setAttribute(node, "group", std::int64_t{3});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr) << "channels in no such groups";
}

TEST(OnnxFold, Reductions) {
  const std::pair<const char*, float> cases[] = {
      {"ReduceMax", 3},
      {"ReduceMin", -2},
      {"ReduceL1", 6},
      {"ReduceSum", 2},
      {"ReduceSumSquare", 14},
      {"ReduceL2", std::sqrt(14.0F)},
      {"ReduceLogSum", std::log(2.0F)},
      {"ReduceLogSumExp", std::log(std::exp(3.0F) + std::exp(1.0F) + std::exp(-2.0F))}};
  for (const auto& [type, expected] : cases) {
    SCOPED_TRACE(type);
    auto proto = start();
    addConstant(proto, "a", {1, 3}, {3, 1, -2});
    addIntegers(proto, "axes", {1});
    addNode(proto, type, {"a", "axes"}, {"y"});
    expectNear(floatsOfY(folded(std::move(proto))), {expected});
  }
}

TEST(OnnxFold, SumsOneAfterTheOther) {
  auto proto = start();
  addConstant(proto, "a", {2, 3}, {1, 2, 3, 4, 5, 6});
  addIntegers(proto, "axis", {1});
  auto& node = addNode(proto, "CumSum", {"a", "axis"}, {"y"});
  EXPECT_EQ(floatsOfY(folded(proto)), (std::vector<float>{1, 3, 6, 4, 9, 15}));
  onnx::setAttribute(node, "reverse", std::int64_t{1});
  onnx::setAttribute(node, "exclusive", std::int64_t{1});
  EXPECT_EQ(floatsOfY(folded(std::move(proto))), (std::vector<float>{5, 3, 0, 11, 6, 0}));
}

}  // namespace
}  // namespace mpm::test
