// SPDX-License-Identifier: Apache-2.0
// Sums and products that are left out, or put into the node in front. The same comes out of it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// What lower makes of a model over "x", after it gave the same.
Strings typesAfter(ModelProto proto, const Integers& dims) {
  addOutput(proto, "y");
  const Model before{ModelProto(proto)};
  Model after = lowered(std::move(proto));
  after.removeDead();
  expectSameResult(before, after, {dims});
  return typesOf(after);
}

// Eight planes of 3 x 3 from 6 x 6, and what is added to them.
struct Biased {
  const char* type = "Conv";
  Integers added{1, 8, 1, 1};
  std::int64_t groups = 1;
  bool hasOwn = false;
  bool isReadTwice = false;
  bool isFirst = false;  // the constant
};

ModelProto biased(const Biased& part) {
  auto proto = emptyModel();
  const bool isTurned = std::string(part.type) == "ConvTranspose";
  addInput(proto, "x", {-1, 4, 6, 6});
  addSome(proto, "weight",
          isTurned ? Integers{4, 8 / part.groups, 2, 2} : Integers{8, 4 / part.groups, 2, 2},
          -0.4F);
  addSome(proto, "own", {8});
  addSome(proto, "added", part.added, 0.5F);
  auto& conv =
      addNode(proto, part.type,
              part.hasOwn ? Strings{"x", "weight", "own"} : Strings{"x", "weight"}, {"planes"});
  setAttribute(conv, "strides", Integers{2, 2});
  setAttribute(conv, "group", part.groups);
  addNode(proto, "Add", part.isFirst ? Strings{"added", "planes"} : Strings{"planes", "added"},
          {part.isReadTwice ? "sum" : "y"});
  if (part.isReadTwice) addNode(proto, "Mul", {"sum", "planes"}, {"y"});
  return proto;
}

TEST(LowerScale, ABiasBehindAConvolution) {
  const Integers dims{2, 4, 6, 6};
  EXPECT_EQ(typesAfter(biased({}), dims), Strings{"Conv"});
  EXPECT_EQ(typesAfter(biased({.added = {8, 1, 1}}), dims), Strings{"Conv"});
  EXPECT_EQ(typesAfter(biased({.groups = 2}), dims), Strings{"Conv"});
  EXPECT_EQ(typesAfter(biased({.hasOwn = true, .isFirst = true}), dims), Strings{"Conv"});
}

TEST(LowerScale, ABiasBehindATransposedConvolution) {
  for (const std::int64_t groups : {1, 2}) {
    ModelProto proto = biased({.type = "ConvTranspose", .groups = groups});
    addOutput(proto, "y");
    Model model = lowered(std::move(proto));
    model.removeDead();
    EXPECT_EQ(typesOf(model), Strings{"ConvTranspose"});
    EXPECT_EQ(floatsRead(model, "ConvTranspose", 2), someValues({8}, 0.5F));
  }
}

TEST(LowerScale, OtherSumsBehindAConvolutionStay) {
  const Integers dims{2, 4, 6, 6};
  const Strings same{"Conv", "Add"};
  EXPECT_EQ(typesAfter(biased({.added = {1, 1, 3, 1}}), dims), same) << "by row";
  EXPECT_EQ(typesAfter(biased({.added = {1, 8, 3, 3}}), dims), same) << "by place";
  EXPECT_EQ(typesAfter(biased({.isReadTwice = true}), dims), (Strings{"Conv", "Add", "Mul"}));
}

Strings typesOfScaled(const char* type, const Integers& dims, float by) {
  auto proto = emptyModel();
  addInput(proto, "x", {2, 3});
  addConstant(proto, "by", dims, {by});
  addNode(proto, type, {"by", "x"}, {"same"});
  addNode(proto, "Abs", {"same"}, {"y"});
  return typesAfter(proto, {2, 3});
}

TEST(LowerScale, NothingThatIsAddedOrMultiplied) {
  const Strings nothing{"Identity", "Abs"};
  EXPECT_EQ(typesOfScaled("Add", {}, 0), nothing);
  EXPECT_EQ(typesOfScaled("Mul", {1}, 1), nothing);
  EXPECT_EQ(typesOfScaled("Add", {}, 1), (Strings{"Add", "Abs"}));
  EXPECT_EQ(typesOfScaled("Mul", {}, 0), (Strings{"Mul", "Abs"}));
  EXPECT_EQ(typesOfScaled("Add", {1, 1, 1}, 0), (Strings{"Add", "Abs"})) << "it adds an axis";
}

}  // namespace
}  // namespace mpm::test
