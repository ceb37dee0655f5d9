// SPDX-License-Identifier: Apache-2.0
// What folding does to a graph: shapes, identities, and what is left alone.
#include "onnx/fold_case.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

TEST(OnnxFold, Identity) {
  auto proto = start();
  addNode(proto, "Identity", {"image"}, {"a"});
  addNode(proto, "Identity", {"a"}, {"b"});
  addNode(proto, "Relu", {"b"}, {"y"});
  const Model model = folded(std::move(proto));
  EXPECT_EQ(model.producer("y")->input(0), "image");
  EXPECT_EQ(model.nodes().size(), 2u);
}

TEST(OnnxFold, IdentityOfAConstant) {
  auto proto = start();
  addIntegers(proto, "c", {4, 5});
  addNode(proto, "Identity", {"c"}, {"same"});
  addNode(proto, "Add", {"same", "c"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{8, 10}));
}

TEST(OnnxFold, ShapeOfAKnownShape) {
  auto proto = start();
  addConstant(proto, "w", {2, 0}, {});
  addNode(proto, "Shape", {"w"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{2, 0}));
  proto = start();
  auto& node = addNode(proto, "Shape", {"image"}, {"y"});
  onnx::setAttribute(node, "start", std::int64_t{-2});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{32, 64}));
}

TEST(OnnxFold, KeepsAShapeWithASymbolButGathersItsNumbers) {
  auto proto = start();
  addNode(proto, "Shape", {"image"}, {"y"});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
  proto = start();
  addNode(proto, "Shape", {"image"}, {"shape"});
  addIntegers(proto, "places", {-1, 2});
  addNode(proto, "Gather", {"shape", "places"}, {"y"});
  const Model model = folded(std::move(proto));
  EXPECT_EQ(valuesOfY(model), (Integers{64, 32}));
  EXPECT_EQ(model.nodes().size(), 1u) << "the Shape is dead";
}

TEST(OnnxFold, CarriesWhatIsKnownPastASymbol) {
  auto proto = start();
  addIntegers(proto, "two", {2});
  addIntegers(proto, "place", {3});
  addNode(proto, "Shape", {"image"}, {"shape"});
  addNode(proto, "Mul", {"shape", "two"}, {"double"});
  addNode(proto, "Gather", {"double", "place"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), Integers{128});
}

TEST(OnnxFold, KeepsWhatWouldBeLarge) {
  auto proto = start();
  addIntegers(proto, "dims", {8192, 4097});
  addNode(proto, "ConstantOfShape", {"dims"}, {"y"});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
}

TEST(OnnxFold, StopsAfterFortyMillionElements) {
  auto proto = start();
  addIntegers(proto, "dims", {2048, 2048});
  for (int i = 0; i < 20; ++i) {
    const std::string name = "v" + std::to_string(i);
    addNode(proto, "ConstantOfShape", {"dims"}, {name});
    addNode(proto, "Use", {name}, {name + "_used"}).set_domain("mpm");
    addOutput(proto, name + "_used");
  }
  Model model(std::move(proto));
  EXPECT_EQ(onnx::fold(model), 9);
}

TEST(OnnxFold, KeepsANodeThatGivesAnOutput) {
  auto proto = start();
  addIntegers(proto, "a", {1});
  addNode(proto, "Add", {"a", "a"}, {"y"});
  addNode(proto, "Identity", {"y"}, {"z"});
  addNode(proto, "Add", {"y", "z"}, {"four"});
  addNode(proto, "Use", {"four"}, {"used"}).set_domain("mpm");
  addOutput(proto, "y");
  addOutput(proto, "z");
  addOutput(proto, "used");
  Model model(std::move(proto));
  onnx::fold(model);
  EXPECT_NE(model.producer("y"), nullptr);
  EXPECT_NE(model.producer("z"), nullptr);
  EXPECT_EQ(model.outputs().size(), 3u);
  EXPECT_FALSE(model.constant("y"));
}

TEST(OnnxFold, KeepsOperatorsOfOtherDomains) {
  auto proto = start();
  addIntegers(proto, "a", {1});
  addNode(proto, "Add", {"a", "a"}, {"y"}).set_domain("com.example");
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
}

TEST(OnnxFold, WhatTwoNodesMakeOfTheSameConstantsIsMadeOnce) {
  auto proto = start();
  for (const char* block : {"a", "b", "c"}) {
    const std::string name = block;
    addIntegers(proto, name + "_step", {name == "c" ? 5 : 3});
    addIntegers(proto, name + "_two", {2});
    addNode(proto, "Mul", {name + "_step", name + "_two"}, {name + "_reach"});
    addNode(proto, "ConstantOfShape", {name + "_reach"}, {name + "_table"});
    addNode(proto, "Use", {"image", name + "_table"}, {name}).set_domain("mpm");
    addOutput(proto, name);
  }
  Model model(std::move(proto));
  EXPECT_EQ(onnx::shareConstants(model), 2);
  EXPECT_EQ(model.producer("a")->input(1), "a_table");
  EXPECT_EQ(model.producer("b")->input(1), "a_table");
  EXPECT_EQ(model.producer("c")->input(1), "c_table");
  EXPECT_EQ(onnx::shareConstants(model), 0);
}

TEST(OnnxFold, WhatIsDrawnGivenOrOfAFrameIsNotShared) {
  auto proto = start();
  addIntegers(proto, "dims", {2, 3});
  addConstant(proto, "zeros", {2, 3}, std::vector<float>(6));
  for (const char* name : {"a", "b"}) {
    const std::string stem = name;
    addNode(proto, "RandomNormalLike", {"zeros"}, {stem + "_drawn"});
    addNode(proto, "Relu", {"image"}, {stem + "_seen"});
    addNode(proto, "ConstantOfShape", {"dims"}, {stem + "_given"});
    addOutput(proto, stem + "_given");
    addNode(proto, "Use", {stem + "_drawn", stem + "_seen"}, {stem}).set_domain("mpm");
    addOutput(proto, stem);
  }
  Model model(std::move(proto));
  EXPECT_EQ(onnx::shareConstants(model), 0);
}

// Tables of the size that BEiT has at 512 x 512: 12 heads, 1025 x 1025.
TEST(OnnxFold, TablesOfLargePicturesAreMadeAndWhatTheyAreMadeOfIsLetGo) {
  auto proto = start();
  const std::int64_t rows = 1025, heads = 12;
  addConstant(proto, "table", {16, heads}, std::vector<float>(16 * heads, 0.5F));
  addIntegers(proto, "square", {rows, rows});
  addIntegers(proto, "order", {rows, rows, heads});
  addNode(proto, "ConstantOfShape", {"square"}, {"zeros"});
  onnx::setAttribute(addNode(proto, "Cast", {"zeros"}, {"places"}), "to",
                     std::int64_t{::onnx::TensorProto::INT64});
  addNode(proto, "Gather", {"table", "places"}, {"gathered"});
  addNode(proto, "Reshape", {"gathered", "order"}, {"shaped"});
  onnx::setAttribute(addNode(proto, "Transpose", {"shaped"}, {"y"}), "perm", Integers{2, 0, 1});
  addConstant(proto, "weights", {1 << 20, 8}, std::vector<float>(1 << 23));  // what a model has
  addNode(proto, "Use", {"image", "weights"}, {"other"}).set_domain("mpm");
  addOutput(proto, "other");
  addNode(proto, "Use", {"image", "y"}, {"end"}).set_domain("mpm");
  addOutput(proto, "end");
  Model model(std::move(proto));
  const onnx::Values values(model);
  ASSERT_NE(values.content("y"), nullptr);
  EXPECT_TRUE(values.content("y")->isSure());
  for (const char* name : {"zeros", "places", "gathered", "shaped"})
    EXPECT_EQ(values.content(name), nullptr) << name;
  onnx::fold(model, values);
  EXPECT_EQ(dimsOfY(model), (Integers{heads, rows, rows}));
  EXPECT_EQ(model.nodes().size(), 2u);
}

}  // namespace
}  // namespace mpm::test
