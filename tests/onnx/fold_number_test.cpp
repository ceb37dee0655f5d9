// SPDX-License-Identifier: Apache-2.0
// Folded operators that compute with numbers. Expected floats are ONNX Runtime's.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "onnx/fold_case.h"

namespace mpm::test {
namespace {

using Numbers = std::vector<float>;

void expectNear(const Model& model, const Numbers& expected, const std::string& what) {
  const auto constant = model.constant("y");
  ASSERT_TRUE(constant.has_value()) << what;
  const auto floats = constant->floats();
  ASSERT_EQ(floats.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isinf(expected[i])) {
      EXPECT_EQ(floats[i], expected[i]) << what;
    } else {
      EXPECT_NEAR(floats[i], expected[i], 1e-6F * std::max(1.0F, std::fabs(expected[i])))
          << what << ", element " << i;
    }
  }
}

ModelProto floatsModel(const std::vector<Numbers>& inputs) {
  auto proto = start();
  char name = 'a';
  for (const Numbers& numbers : inputs) {
    addConstant(proto, std::string(1, name++), {static_cast<std::int64_t>(numbers.size())},
                numbers);
  }
  return proto;
}

ModelProto integersModel(const std::vector<Integers>& inputs) {
  auto proto = start();
  char name = 'a';
  for (const Integers& numbers : inputs) addIntegers(proto, std::string(1, name++), numbers);
  return proto;
}

Integers computed(const char* type, const std::vector<Integers>& inputs) {
  auto proto = integersModel(inputs);
  Strings names = {"a", "b", "c"};
  names.resize(inputs.size());
  addNode(proto, type, names, {"y"});
  return valuesOfY(folded(std::move(proto)));
}

TEST(OnnxFold, ClipsWholeNumbers) {
  EXPECT_EQ(computed("Clip", {{-4, -1, 0, 3}, {-1}, {2}}), (Integers{-1, -1, 0, 2}));
  EXPECT_EQ(computed("Clip", {{-4, 3}, {0}}), (Integers{0, 3}));
  EXPECT_EQ(computed("Clip", {{-4, 3}, {0, 1}}), Integers{-999}) << "a limit of two elements";
}

TEST(OnnxFold, FunctionsOfFloats) {
  const Numbers x = {-1.5F, -0.5F, 0, 0.25F, 2.75F};
  const std::pair<const char*, Numbers> cases[] = {
      {"Abs", {1.5F, 0.5F, 0, 0.25F, 2.75F}},
      {"Ceil", {-1, 0, 0, 1, 3}},
      {"Cos", {0.070737198F, 0.87758255F, 1, 0.968912423F, -0.924302399F}},
      {"Exp", {0.223130167F, 0.606530666F, 1, 1.28402543F, 15.6426315F}},
      {"Floor", {-2, -1, 0, 0, 2}},
      {"Neg", {1.5F, 0.5F, 0, -0.25F, -2.75F}},
      {"Reciprocal", {-0.666666687F, -2, std::numeric_limits<float>::infinity(), 4, 0.363636374F}},
      {"Sin", {-0.997494996F, -0.47942555F, 0, 0.247403964F, 0.381660998F}}};
  for (const auto& [type, expected] : cases) {
    auto proto = floatsModel({x});
    addNode(proto, type, {"a"}, {"y"});
    expectNear(folded(std::move(proto)), expected, type);
  }
}

TEST(OnnxFold, FunctionsOfIntegers) {
  EXPECT_EQ(computed("Neg", {{-3, 0, 4}}), (Integers{3, 0, -4}));
  EXPECT_EQ(computed("Abs", {{-3, 0, 4}}), (Integers{3, 0, 4}));
  EXPECT_EQ(computed("Neg", {{kMin}}), Integers{-999}) << "has no negative";
}

TEST(OnnxFold, Powers) {
  auto proto = floatsModel({{0.3F, 2, 5}, {0.5F, 3, -1}});
  addNode(proto, "Pow", {"a", "b"}, {"y"});
  expectNear(folded(std::move(proto)), {0.547722578F, 8, 0.2F}, "floats");
  proto = floatsModel({{0.3F, 2, 5}});
  addIntegers(proto, "b", {3});
  addNode(proto, "Pow", {"a", "b"}, {"y"});
  expectNear(folded(std::move(proto)), {0.027F, 8, 125}, "a whole exponent");
  EXPECT_EQ(computed("Pow", {{-2, 3, 7}, {3, 4, 0}}), (Integers{-8, 81, 1}));
  EXPECT_EQ(computed("Pow", {{3}, {40}}), Integers{-999}) << "overflows";
  EXPECT_EQ(computed("Pow", {{2}, {-1}}), Integers{-999}) << "no whole number";
  EXPECT_EQ(computed("Pow", {{1}, {kMax}}), Integers{1});
}

TEST(OnnxFold, Modulo) {
  EXPECT_EQ(computed("Mod", {{-7, -7, 7, 7}, {3, -3, 3, -3}}), (Integers{2, -1, 1, -2}));
  EXPECT_EQ(computed("Mod", {{5}, {0}}), Integers{-999});
  EXPECT_EQ(computed("Mod", {{kMin}, {-1}}), Integers{-999});
  auto proto = floatsModel({{-7.5F, 7.5F}, {2, -2}});
  onnx::setAttribute(addNode(proto, "Mod", {"a", "b"}, {"y"}), "fmod", std::int64_t{1});
  expectNear(folded(std::move(proto)), {-1.5F, 1.5F}, "fmod");
}

TEST(OnnxFold, LeastAndLargestOfSeveral) {
  EXPECT_EQ(computed("Min", {{1, 5}, {3}, {2, 9}}), (Integers{1, 3}));
  EXPECT_EQ(computed("Max", {{1, 5}, {3}, {2, 9}}), (Integers{3, 9}));
}

TEST(OnnxFold, ComparisonsAndLogic) {
  const std::pair<const char*, Integers> cases[] = {{"Less", {1, 0, 0}},
                                                    {"LessOrEqual", {1, 1, 0}},
                                                    {"Greater", {0, 0, 1}},
                                                    {"GreaterOrEqual", {0, 1, 1}}};
  for (const auto& [type, expected] : cases) {
    EXPECT_EQ(computed(type, {{1, 2, 3}, {2}}), expected) << type;
  }
  auto proto = integersModel({{1, 2, 3, 4}, {2}, {3}});
  addNode(proto, "Less", {"a", "b"}, {"low"});
  addNode(proto, "Greater", {"a", "c"}, {"high"});
  addNode(proto, "Or", {"low", "high"}, {"outside"});
  addNode(proto, "Not", {"outside"}, {"inside"});
  addNode(proto, "And", {"inside", "inside"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{0, 1, 1, 0}));
}

Model reduced(const char* type, bool keepsDims) {
  auto proto = start();
  Numbers thirds;
  for (int i = 1; i <= 12; ++i) thirds.push_back(static_cast<float>(i) / 3);
  addConstant(proto, "a", {2, 3, 2}, thirds);
  auto& node = addNode(proto, type, {"a"}, {"y"});
  onnx::setAttribute(node, "axes", Integers{0, -1});
  onnx::setAttribute(node, "keepdims", std::int64_t{keepsDims});
  return folded(std::move(proto));
}

TEST(OnnxFold, Reductions) {
  expectNear(reduced("ReduceMean", false), {1.5F, 2.16666651F, 2.83333349F}, "mean");
  expectNear(reduced("ReduceProd", false), {1.38271618F, 13.333333F, 48.8888893F}, "product");
  expectNear(reduced("ReduceSum", false), {6, 8.66666603F, 11.333334F}, "sum");
  EXPECT_EQ(dimsOfY(reduced("ReduceSum", true)), (Integers{1, 3, 1}));
}

TEST(OnnxFold, ProductOfAShape) {
  auto proto = start();
  addIntegers(proto, "from", {1});
  addIntegers(proto, "to", {kMax});
  addNode(proto, "Shape", {"image"}, {"shape"});
  addNode(proto, "Slice", {"shape", "from", "to"}, {"inner"});
  onnx::setAttribute(addNode(proto, "ReduceProd", {"inner"}, {"y"}), "keepdims", std::int64_t{0});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), Integers{3 * 32 * 64});
}

TEST(OnnxFold, KeepsAReductionThatIsNotKnown) {
  auto proto = start();
  addNode(proto, "Shape", {"image"}, {"shape"});
  addNode(proto, "ReduceProd", {"shape"}, {"y"});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
  EXPECT_EQ(computed("ReduceProd", {{kMax, 2}}), Integers{-999}) << "overflows";
}

// As CLIP finds the end of its text. 2^24 and the number behind it are the same as floats.
TEST(OnnxFold, ThePlaceOfTheLargestWholeNumber) {
  const Integers numbers = {5, 1 << 24, (1 << 24) + 1, 5, (1 << 24) + 1};
  const auto placeOf = [&](const char* kind, bool takesLast) {
    auto proto = start();
    addIntegers(proto, "a", numbers);
    onnx::setAttribute(addNode(proto, kind, {"a"}, {"y"}), "select_last_index",
                       std::int64_t{takesLast});
    return valuesOfY(folded(std::move(proto)));
  };
  EXPECT_EQ(placeOf("ArgMax", false), Integers{2});
  EXPECT_EQ(placeOf("ArgMax", true), Integers{4});
  EXPECT_EQ(placeOf("ArgMin", false), Integers{0});
  EXPECT_EQ(placeOf("ArgMin", true), Integers{3});
}

TEST(OnnxFold, SizeOfAValue) {
  auto proto = start();
  addConstant(proto, "a", {2, 3}, Numbers(6));
  addNode(proto, "Size", {"a"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), Integers{6});
}

}  // namespace
}  // namespace mpm::test
