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
  addIntegers(proto, "dims", {4096, 2049});
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

}  // namespace
}  // namespace mpm::test
