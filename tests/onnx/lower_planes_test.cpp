// SPDX-License-Identifier: Apache-2.0
// Resizes, pools, pads and patches, once it is known which axes are planes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/by_rank_case.h"
#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// A norm of four channels behind a node of this type, if any.
ModelProto normed(const std::string& before, int groups = 1, bool isReadTwice = false) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 4, 3, 5});
  const Integers kernel = {4, 4 / groups, 2, 2};
  std::vector<float> weights;
  for (int i = 0; i < 64 / groups; ++i) weights.push_back(std::cos(static_cast<float>(i)));
  addConstant(proto, "w", kernel, weights);
  addConstant(proto, "b", {4}, {1, 2, 3, 4});
  addConstant(proto, "scale", {4}, {1, -2, 3, 0.5F});
  addConstant(proto, "shift", {4}, {5, 6, 7, 8});
  addConstant(proto, "mean", {4}, {1, 1, 2, -1});
  addConstant(proto, "variance", {4}, {3, 15, 0.5F, 8});
  const std::string from = before.empty() ? "x" : "c";
  if (!before.empty()) {
    auto& conv = addNode(proto, before, {"x", "w", "b"}, {"c"});
    setAttribute(conv, "group", std::int64_t{groups});
  }
  auto& norm = addNode(proto, "BatchNormalization", {from, "scale", "shift", "mean", "variance"},
                       {isReadTwice ? "n" : "y"});
  setAttribute(norm, "epsilon", 1.0F);
  if (isReadTwice) addNode(proto, "Add", {"n", "c"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

TEST(LowerChannelNorm, GoesIntoTheWeightsInFrontOrIsAProductAndASum) {
  struct Case {
    const char* before;
    int groups;
    bool isReadTwice;
    Strings types;
  };
  for (const Case& each :
       {Case{"Conv", 1, false, {"Conv"}}, Case{"Conv", 2, false, {"Conv"}},
        Case{"ConvTranspose", 1, false, {"ConvTranspose"}},
        Case{"Conv", 1, true, {"Conv", "Mul", "Add", "Add"}}, Case{"", 1, false, {"Mul", "Add"}}}) {
    auto proto = normed(each.before, each.groups, each.isReadTwice);
    const Model before{ModelProto(proto)};
    Model model(std::move(proto));
    const onnx::Values values(model);
    onnx::lower(model, [&](const std::string& value) { return values.dims(value); });
    model.removeDead();
    EXPECT_EQ(typesOf(model), each.types) << each.before;
    if (each.before != std::string("ConvTranspose"))  // nobody computes it here
      expectSameResult(before, model, {{2, 4, 3, 5}});
  }
}

TEST(LowerChannelNorm, ATurnedConvolutionHasItsOutputsBehindItsInputs) {
  Model model(normed("ConvTranspose", 2));
  onnx::lower(model);
  model.removeDead();
  const std::vector<float> weights = floatsRead(model, "ConvTranspose", 1);
  const double factors[] = {1.0 / 2, -2.0 / 4, 3 / std::sqrt(1.5), 0.5 / 3};
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t in = i / 8, out = in / 2 * 2 + i / 4 % 2;
    EXPECT_NEAR(weights[i], std::cos(static_cast<float>(i)) * factors[out], 1e-6) << i;
  }
  EXPECT_NEAR(floatsRead(model, "ConvTranspose", 2)[1], (2 - 1) * factors[1] + 6, 1e-6);
}

struct Resized {
  Integers sizes{2, 8, 9, 5};  // of [2, 4, 3, 5]
  bool hasScales = false;      // instead
  Integers axes{};
};

Strings resized(const Resized& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 4, 3, 5});
  addConstant(proto, "scales", {4}, {1, 2, 3, 1});
  addIntegers(proto, "sizes", part.sizes);
  auto& node =
      addNode(proto, "Resize",
              part.hasScales ? Strings{"x", "", "scales"} : Strings{"x", "", "", "sizes"}, {"y"});
  setAttribute(node, "mode", std::string("linear"));
  if (!part.axes.empty()) setAttribute(node, "axes", part.axes);
  return typesByRank(proto, {2, 4, 3, 5});
}

TEST(LowerByRank, AResizeOfPixelsIsOneOfPlanes) {
  const Strings turned{"Transpose", "Resize", "Transpose"};
  EXPECT_EQ(resized({.hasScales = true}), turned);
  EXPECT_EQ(resized({.sizes = {8, 9}, .axes = {1, 2}}), turned);
  EXPECT_EQ(resized({.sizes = {9, 8}, .axes = {-2, 1}}), turned);
}

TEST(LowerByRank, AResizeOfPlanesStays) {
  EXPECT_EQ(resized({.sizes = {6, 10}, .axes = {2, 3}}), Strings{"Resize"});
  EXPECT_EQ(resized({.sizes = {8, 9, 10}, .axes = {1, 2, 3}}), Strings{"Resize"});
}

Strings pooled(const Integers& dims) {
  auto proto = emptyModel();
  addInput(proto, "x", dims);
  addNode(proto, "GlobalAveragePool", {"x"}, {"y"});
  addOutput(proto, "y");
  return typesOf(byRank(std::move(proto)).model);
}

TEST(LowerByRank, APoolOfRowsIsTheirMean) {
  EXPECT_EQ(pooled({2, 5, 4}), Strings{"ReduceMean"});
  EXPECT_EQ(pooled({2, 5, 4, 3}), Strings{"GlobalAveragePool"}) << "of planes";
}

// Patches of 2 x 2 of a picture [B, planes, 4, 4], or of the clips [B, C, T, 4, 4] that it becomes.
ModelProto patchesOf(const std::string& input, const Integers& weight, std::int64_t group = 1) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, 6, 4, 4});
  addReshape(proto, "x", {-1, 6 / weight[2], weight[2], 4, 4}, "clip");
  addReshape(proto, "x", {-1, 2, 3, 4, 4}, "long_clip");
  addSome(proto, "weight", weight);
  addSome(proto, "bias", {5});
  Integers strides(weight.begin() + 2, weight.end());
  auto& conv = addNode(proto, "Conv", {input, "weight", "bias"}, {"y"});
  setAttribute(conv, "strides", strides);
  setAttribute(conv, "group", group);
  addOutput(proto, "y");
  return proto;
}

TEST(LowerByRank, PatchesAsLongAsTheirClipAreThoseOfAPicture) {
  const std::vector<float> expected = resultOf(Model(patchesOf("x", {5, 6, 2, 2})), {{2, 6, 4, 4}});
  for (const Integers& weight : {Integers{5, 6, 1, 2, 2}, Integers{5, 2, 3, 2, 2}}) {
    const Model picture = byRank(patchesOf("clip", weight)).model;
    EXPECT_EQ(typesOf(picture), (Strings{"Conv", "Reshape"}));
    EXPECT_EQ(resultOf(picture, {{2, 6, 4, 4}}), expected);
  }
  const Strings clip{"Reshape", "Conv"};
  EXPECT_EQ(typesOf(byRank(patchesOf("long_clip", {5, 2, 1, 2, 2})).model), clip)
      << "of single frames";
  EXPECT_EQ(typesOf(byRank(patchesOf("clip", {5, 1, 3, 2, 2}, 2)).model), clip) << "of each plane";
}

}  // namespace
}  // namespace mpm::test
