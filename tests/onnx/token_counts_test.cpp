// SPDX-License-Identifier: Apache-2.0
// Numbers that an exporter made from how many tokens there are, where the input has another size.
#include "onnx/other_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "onnx/error.h"
#include "onnx/facts_case.h"
#include "onnx/operands.h"
#include "onnx/rewrite_model.h"
#include "onnx/small_vit.h"

namespace mpm::test {
namespace {

// A grid of 4 x 6 with one special row, at twice the height: 25 rows become 49.
constexpr onnx::SizeChange kTwice{32, 48, 64, 48, 4, 6, 8, 6, 1, 32};

void addReduce(ModelProto& proto, const std::string& type, const Integers& axes,
               const std::string& from, const std::string& to) {
  addIntegers(proto, to + "_axes", axes);
  onnx::setAttribute(addNode(proto, type, {from, to + "_axes"}, {to}), "keepdims", std::int64_t{0});
}

// A Reduce of values of these dims, and the numbers that the result is divided by.
ModelProto dividedSum(const Integers& dims, const std::string& type, const Integers& axes,
                      const std::vector<float>& divisors) {
  auto proto = emptyModel();
  addInput(proto, "tokens", dims);
  addReduce(proto, type, axes, "tokens", "sum0");
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    const std::string at = std::to_string(i), next = std::to_string(i + 1);
    addNumber(proto, "divisor" + at, divisors[i]);
    addNode(proto, "Div", {"sum" + at, "divisor" + at}, {"sum" + next});
  }
  addOutput(proto, "sum" + std::to_string(divisors.size()));
  return proto;
}

// What each divisor that is a count of tokens becomes; -1 where that cannot be told.
std::vector<float> numbersOf(ModelProto proto, const onnx::SizeChange& change = kTwice) {
  const Looked looked(std::move(proto));
  std::vector<float> numbers;
  for (const onnx::TokenCount& count : onnx::tokenCounts(looked.facts(), change))
    numbers.push_back(count.number.value_or(-1));
  return numbers;
}

using Numbers = std::vector<float>;

TEST(TokenCounts, OfASumOrAMeanOverRowsAreThoseOfTheOtherSize) {
  const Integers dims{-1, 25, 32};
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceSum", {1}, {25})), Numbers{49});
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceSum", {1}, {24})), Numbers{48});
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceMean", {1}, {1.F / 25, 24})),
            (Numbers{1.F / 49, 48}));
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceMean", {-2}, {24.F / 25})), Numbers{48.F / 49});
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceL2", {1}, {std::sqrt(24.F)})),
            Numbers{std::sqrt(48.F)});
  EXPECT_EQ(numbersOf(dividedSum({-1, 24, 7}, "ReduceSum", {1}, {24})), Numbers{48});
  EXPECT_EQ(numbersOf(dividedSum({-1, 7, 25}, "ReduceSum", {2}, {25})), Numbers{49});
}

TEST(TokenCounts, OfPlanesAndOfThePictureAreToo) {
  EXPECT_EQ(numbersOf(dividedSum({-1, 7, 4, 6}, "ReduceSum", {2, 3}, {23})), Numbers{47});
  EXPECT_EQ(numbersOf(dividedSum({-1, 3, 32, 48}, "ReduceSum", {1, 2, 3}, {3 * 32 * 48 - 1})),
            Numbers{3 * 64 * 48 - 1});
}

TEST(TokenCounts, OtherNumbersStay) {
  EXPECT_EQ(numbersOf(dividedSum({-1, 25, 32}, "ReduceSum", {1}, {5, 0.5F, 32, 26})), Numbers{});
  EXPECT_EQ(numbersOf(dividedSum({-1, 25, 32}, "ReduceSum", {2}, {25, 31, 32})), Numbers{})
      << "of features";
  EXPECT_EQ(numbersOf(dividedSum({-1, 25, 32}, "ReduceL2", {1}, {25})), Numbers{})
      << "a root is divided by no count";
  EXPECT_EQ(numbersOf(dividedSum({-1, 25, 32}, "ReduceMax", {1}, {25})), Numbers{});
}

// 24 rows without the special one, and as many features.
TEST(TokenCounts, OneThatMayBeOfFeaturesIsToldByAnotherBesideIt) {
  onnx::SizeChange change = kTwice;
  change.features = 24;
  const Integers dims{-1, 25, 24};
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceSum", {1}, {24}), change), Numbers{-1});
  EXPECT_EQ(numbersOf(dividedSum(dims, "ReduceMean", {1}, {1.F / 25, 24}), change),
            (Numbers{1.F / 49, 48}));
  EXPECT_EQ(numbersOf(dividedSum({-1, 24}, "ReduceSum", {1}, {24}), change), Numbers{-1});
  EXPECT_EQ(numbersOf(dividedSum({-1, 24}, "ReduceSum", {1}, {6}), change), Numbers{});
}

// Of planes as large as twice the grid nothing tells what they become.
TEST(TokenCounts, OfPlanesOfAnotherSizeAreNotGuessed) {
  EXPECT_EQ(numbersOf(dividedSum({-1, 7, 8, 12}, "ReduceSum", {2, 3}, {96})), Numbers{-1});
  EXPECT_EQ(numbersOf(dividedSum({-1, 7, 8, 12}, "ReduceSum", {2, 3}, {97})), Numbers{});
}

// The head of a small ViT of 7 rows: the deviation of each feature over them, as PyTorch's
// exporter writes it, the mean of squares times 7 and by 6.
ModelProto withDeviation() {
  auto proto = smallVit(2);
  addReduce(proto, "ReduceMean", {1}, "y", "mean");
  addIntegers(proto, "ones", {1});
  addNode(proto, "Unsqueeze", {"mean", "ones"}, {"means"});
  addNode(proto, "Sub", {"y", "means"}, {"centred"});
  addNode(proto, "Mul", {"centred", "centred"}, {"squares"});
  addReduce(proto, "ReduceMean", {1}, "squares", "biased");
  addNumber(proto, "rows", 7);
  addNode(proto, "Mul", {"biased", "rows"}, {"total"});
  addNumber(proto, "fewer", 6);
  addNode(proto, "Div", {"total", "fewer"}, {"variance"});
  addNode(proto, "Sqrt", {"variance"}, {"deviation"});
  addOutput(proto, "deviation");
  return proto;
}

TEST(TokenCounts, OfAModelAreReplacedWhenItIsRewritten) {
  Model model(withDeviation());
  onnx::RewriteOptions options;
  options.recognise.width = 6;
  options.recognise.height = 8;
  onnx::rewriteInFile(model, onnx::planRewriting(model, options));
  EXPECT_EQ(onnx::scalarConstant(model, model.producer("total")->input(1)), 13);
  EXPECT_EQ(onnx::scalarConstant(model, model.producer("variance")->input(1)), 12);
}

TEST(TokenCounts, OneThatCannotBeToldIsRefused) {
  Model model(dividedSum({-1, 25, 32}, "ReduceSum", {1}, {25}));
  try {
    onnx::replaceCounts(model, {{"sum1", 1, std::nullopt}});
    ADD_FAILURE() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_EQ(std::string(error.what()).find("another input size is not possible: a number of"), 0U)
        << error.what();
  }
}

}  // namespace
}  // namespace mpm::test
