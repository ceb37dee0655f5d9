// SPDX-License-Identifier: Apache-2.0
// What is spelled plainly once the ranks of all values are known. The same comes out of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/facts_case.h"
#include "onnx/lower.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// Scores [.., keys, queries] of keys and queries [.., 5, 4] and [.., 6, 4], and their softmax.
struct KeysFirst {
  std::int64_t axis = -2;
  bool turnsScores = false;  // in front of the softmax
  bool hasBias = false;
  const char* scale = "Mul";
  std::int64_t opset = 17;
};

ModelProto keysFirst(const KeysFirst& part) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(part.opset);
  addInput(proto, "k", {-1, 2, 5, 4});
  addInput(proto, "q", {-1, 2, 6, 4});
  addTranspose(proto, "q", {0, 1, 3, 2}, "columns");
  addNode(proto, "MatMul", {"k", "columns"}, {"product"});
  addScalar(proto, "scale", 0.5F);
  addNode(proto, part.scale, {"product", "scale"}, {part.hasBias ? "scaled" : "scores"});
  addSome(proto, "bias", {5, 6});
  if (part.hasBias) addNode(proto, "Add", {"scaled", "bias"}, {"scores"});
  if (part.turnsScores) addTranspose(proto, "scores", {0, 1, 3, 2}, "turned");
  const std::string scores = part.turnsScores ? "turned" : "scores";
  setAttribute(addNode(proto, "Softmax", {scores}, {"y"}), "axis", part.axis);
  addOutput(proto, "y");
  return proto;
}

// Whether the softmax is along rows of queries then; after it gave the same.
bool becomesOfQueries(const KeysFirst& part) {
  const ModelProto proto = keysFirst(part);
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  const onnx::Values values(after);
  const int count =
      onnx::lowerByRank(after, [&](const std::string& value) { return values.dims(value); });
  const std::vector<Integers> sizes{{2, 2, 5, 4}, {2, 2, 6, 4}};
  const std::vector<float> expected = resultOf(before, sizes), found = resultOf(after, sizes);
  EXPECT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    EXPECT_NEAR(expected[i], found[i], 1e-6) << i;
  return count > 0;
}

TEST(LowerByRank, ASoftmaxOverKeysThatStandInFrontOfQueries) {
  EXPECT_TRUE(becomesOfQueries({}));
  EXPECT_TRUE(becomesOfQueries({.axis = 2}));
  EXPECT_TRUE(becomesOfQueries({.scale = "Div"}));
  EXPECT_TRUE(becomesOfQueries({.axis = -1, .turnsScores = true}));
  EXPECT_TRUE(becomesOfQueries({.axis = 3, .turnsScores = true, .opset = 11}));
}

TEST(LowerByRank, OtherScoresStayAsTheyAre) {
  EXPECT_FALSE(becomesOfQueries({.axis = -1})) << "over the queries";
  EXPECT_FALSE(becomesOfQueries({.axis = 1})) << "over the heads";
  EXPECT_FALSE(becomesOfQueries({.axis = -2, .turnsScores = true})) << "over the queries, turned";
  EXPECT_FALSE(becomesOfQueries({.hasBias = true}));
  EXPECT_FALSE(becomesOfQueries({.axis = 2, .opset = 11})) << "over both, before opset 13";
}

// What lowerByRank makes of a model over "x", after it gave the same.
Strings typesByRank(ModelProto proto, const Integers& dims = {2, 5, 4}) {
  addOutput(proto, "y");
  proto.mutable_opset_import(0)->set_version(17);
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  const onnx::Values values(after);
  onnx::lowerByRank(after, [&](const std::string& value) { return values.dims(value); });
  after.removeDead();
  const std::vector<float> expected = resultOf(before, {dims}), found = resultOf(after, {dims});
  EXPECT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    EXPECT_NEAR(expected[i], found[i], 1e-6) << i;
  return typesOf(after);
}

struct Dropped {
  std::int64_t axis = 2;
  Integers target{0, 5, 1};
  bool keeps = false;
  bool hasVector = false;  // beside it, on the way
};

ModelProto droppedAxis(const Dropped& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  auto& mean = addNode(proto, "ReduceMean", {"x"}, {"mean"});
  setAttribute(mean, "axes", Integers{part.axis});
  setAttribute(mean, "keepdims", std::int64_t{part.keeps});
  if (part.hasVector) {
    addSome(proto, "factor", {5});
  } else {
    addScalar(proto, "factor", 1.25F);
  }
  addNode(proto, "Mul", {"mean", "factor"}, {"corrected"});
  addNode(proto, "Abs", {"corrected"}, {"positive"});
  addReshape(proto, "positive", part.target, "y");
  return proto;
}

TEST(LowerByRank, AnAxisThatGoesAndComesBack) {
  EXPECT_EQ(typesByRank(droppedAxis({})), (Strings{"ReduceMean", "Mul", "Abs"}));
  EXPECT_EQ(typesByRank(droppedAxis({.axis = -1})), (Strings{"ReduceMean", "Mul", "Abs"}));
}

TEST(LowerByRank, OtherAxesStay) {
  const Strings same{"ReduceMean", "Mul", "Abs", "Reshape"};
  EXPECT_EQ(typesByRank(droppedAxis({.axis = 1, .target = {0, 4, 1}})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.target = {0, 1, 5}})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.target = {5, -1, 1}})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.target = {0, 5, 1, 1}, .keeps = true})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.hasVector = true})), same);
}

Strings softplusFrom(float threshold, const std::string& otherwise = "x") {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addScalar(proto, "threshold", threshold);
  addNode(proto, "Neg", {"x"}, {"negative"});
  addNode(proto, "Greater", {"x", "threshold"}, {"is_large"});
  addNode(proto, "Softplus", {"x"}, {"soft"});
  addNode(proto, "Where", {"is_large", otherwise, "soft"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, ASoftplusThatIsToldWhereItsInputIsLarge) {
  EXPECT_EQ(softplusFrom(20), Strings{"Softplus"});
  EXPECT_EQ(softplusFrom(5), (Strings{"Greater", "Softplus", "Where"})) << "too small";
  EXPECT_EQ(softplusFrom(20, "negative").back(), "Where");
}

// x - mean(x), but `otherwise` where the least and the largest of each row are equal.
struct EqualRows {
  std::int64_t axis = 2;       // of the least
  const char* type = "Equal";  // how both compare
  float otherwise = 0;
  bool isFinite = true;  // and, what is asked next to it
};

Strings equalRows(const EqualRows& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addScalar(proto, "otherwise", part.otherwise);
  const std::pair<const char*, std::int64_t> reductions[] = {
      {"ReduceMean", 2}, {"ReduceMin", part.axis}, {"ReduceMax", 2}};
  for (const auto& [type, axis] : reductions)
    setAttribute(addNode(proto, type, {"x"}, {type}), "axes", Integers{axis});
  addNode(proto, "Sub", {"x", "ReduceMean"}, {"difference"});
  addNode(proto, part.type, {"ReduceMax", "ReduceMin"}, {"are_equal"});
  addNode(proto, "Sub", {"ReduceMean", "ReduceMean"}, {"nothing"});
  addNode(proto, "Equal", {"nothing", "otherwise"}, {"is_finite"});
  if (part.isFinite) addNode(proto, "And", {"is_finite", "are_equal"}, {"both"});
  addNode(proto, "Where", {part.isFinite ? "both" : "are_equal", "otherwise", "difference"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, ADifferenceFromTheMeanThatIsNothingWhereAllAreEqual) {
  const Strings plain{"ReduceMean", "Sub"};
  EXPECT_EQ(equalRows({}), plain);
  EXPECT_EQ(equalRows({.isFinite = false}), plain);
  EXPECT_EQ(equalRows({.axis = 1}).back(), "Where") << "of columns";
  EXPECT_EQ(equalRows({.type = "Greater"}).back(), "Where");
  EXPECT_EQ(equalRows({.otherwise = 1}).back(), "Where");
}

Strings dividedSum(const char* type, float by) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addScalar(proto, "by", by);
  setAttribute(addNode(proto, type, {"x"}, {"sum"}), "axes", Integers{2});
  addNode(proto, "Div", {"sum", "by"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, ASumThatIsDividedIsAMean) {
  EXPECT_EQ(dividedSum("ReduceSum", 4), Strings{"ReduceMean"});
  EXPECT_EQ(dividedSum("ReduceSumSquare", 4), (Strings{"Mul", "ReduceMean"}));
  EXPECT_EQ(dividedSum("ReduceSum", 5), (Strings{"ReduceSum", "Div"})) << "by another number";
  EXPECT_EQ(dividedSum("ReduceMax", 4), (Strings{"ReduceMax", "Div"}));
}

Strings chosen(bool which, const Integers& dims) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addSome(proto, "other", dims);
  auto& condition = *proto.mutable_graph()->add_initializer();
  condition = onnx::integerTensor("condition", {}, {which});
  condition.clear_raw_data();
  condition.set_data_type(::onnx::TensorProto::BOOL);
  condition.add_int32_data(which);
  addNode(proto, "Abs", {"x"}, {"positive"});
  addNode(proto, "Where", {"condition", "positive", "other"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, AChoiceThatIsTheSameEverywhere) {
  EXPECT_EQ(chosen(true, {5, 4}), Strings{"Abs"});
  EXPECT_EQ(chosen(true, {1, 1, 5, 4}), (Strings{"Abs", "Where"})) << "which adds an axis";
  EXPECT_EQ(chosen(false, {5, 4}), (Strings{"Abs", "Where"})) << "which is spread to images";
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
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::lowerByRank(model, [&](const std::string& value) { return values.dims(value); });
  return typesOf(model);
}

TEST(LowerByRank, APoolOfRowsIsTheirMean) {
  EXPECT_EQ(pooled({2, 5, 4}), Strings{"ReduceMean"});
  EXPECT_EQ(pooled({2, 5, 4, 3}), Strings{"GlobalAveragePool"}) << "of planes";
}

Strings padded(const Integers& pads, const std::string& mode = "constant") {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, 3, 6, 5});
  addIntegers(proto, "pads", pads);
  addNumber(proto, "number", 0.5F);
  setAttribute(addNode(proto, "Pad", {"x", "pads", "number"}, {"y"}), "mode", mode);
  return typesByRank(proto, {2, 3, 6, 5});
}

TEST(LowerByRank, APadOfLessThanNothing) {
  const Strings both{"Slice", "Pad"};
  EXPECT_EQ(padded({0, 0, 4, -4, 0, 0, -4, 4}), both);
  EXPECT_EQ(padded({0, 0, -2, 0, 0, 0, -1, 1}), both);
  EXPECT_EQ(padded({0, 0, -2, -1, 0, 0, -1, 0}), Strings{"Slice"});
}

TEST(LowerByRank, OtherPadsStay) {
  EXPECT_EQ(padded({0, 0, 1, 0, 0, 0, 0, 2}), Strings{"Pad"});
  EXPECT_EQ(padded({0, 0, 2, -2, 0, 0, -2, 2}, "reflect"), Strings{"Pad"});
}

// Heads "a" and "b", rows of 2 and 2 features, stacked along an axis and laid side by side.
ModelProto stackedHeads(std::int64_t axis, const Integers& order, const Integers& target) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addIntegers(proto, "axis", {axis});
  for (const char* head : {"a", "b"}) {
    const std::string name = head;
    addSlice(proto, "x", 2, name == "a" ? 0 : 2, name == "a" ? 2 : 4, name);
    addNode(proto, "Unsqueeze", {name, "axis"}, {name + "_raised"});
  }
  addConcat(proto, {"b_raised", "a_raised"}, axis, "stack");
  if (!order.empty()) addTranspose(proto, "stack", order, "turned");
  addReshape(proto, order.empty() ? "stack" : "turned", target, "y");
  return proto;
}

TEST(LowerByRank, HeadsThatAreStackedAreLaidSideBySide) {
  const Strings joined{"Slice", "Slice", "Concat"};
  EXPECT_EQ(typesByRank(stackedHeads(2, {}, {0, 5, 4})), joined);
  EXPECT_EQ(typesByRank(stackedHeads(1, {0, 2, 1, 3}, {0, 5, 4})), joined);
  EXPECT_EQ(typesByRank(stackedHeads(0, {1, 2, 0, 3}, {-1, 5, 4})), joined);
}

TEST(LowerByRank, OtherStacksStayAsTheyAre) {
  EXPECT_EQ(typesByRank(stackedHeads(1, {}, {0, 5, 4})).size(), 6U) << "rows of both, one by one";
  EXPECT_EQ(typesByRank(stackedHeads(3, {}, {0, 5, 4})).size(), 6U) << "features of both in turn";
  EXPECT_EQ(typesByRank(stackedHeads(2, {}, {0, 10, 2})).size(), 6U) << "twice as many rows";
}

// Heads [B, 2, 5, 2] of rows [B, 5, 4] that a constant or something of these rows multiplies before
// they are joined.
struct Gated {
  Integers constant = {};  // its dims; empty: there is none
  std::int64_t width = 2;  // of what rows make
  bool isBent = false, isFirst = false;
  Integers perm{0, 2, 1, 3};  // that joins them
  int scales = 0;  // how many constants, one number for each head, multiply them before that
};

ModelProto gatedHeads(const Gated& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addReshape(proto, "x", {0, 5, 2, 2}, "halves");
  addTranspose(proto, "halves", {0, 2, 1, 3}, "heads");
  addTranspose(proto, "heads", {0, 1, 3, 2}, "columns");
  addNode(proto, "MatMul", {"heads", "columns"}, {"weights"});
  addNode(proto, "MatMul", {"weights", "heads"}, {"mix"});
  std::string gate = "gate", mix = "mix";
  for (int i = 0; i < part.scales; ++i) {
    const std::string scale = "scale_" + std::to_string(i), scaled = "scaled_" + std::to_string(i);
    addSome(proto, scale, {2, 1, 1});
    addNode(proto, "Mul", {mix, scale}, {scaled});
    mix = scaled;
  }
  if (!part.constant.empty()) {
    addSome(proto, gate, part.constant);
  } else if (part.width == 2) {
    addNode(proto, part.isBent ? "Tanh" : "Relu", {"heads"}, {gate});
  } else {
    addSlice(proto, "heads", 3, 0, part.width, gate);
  }
  addNode(proto, "Mul", part.isFirst ? Strings{gate, mix} : Strings{mix, gate}, {"gated"});
  addTranspose(proto, "gated", part.perm, "turned");
  addReshape(proto, "turned", {0, 5, 4}, "y");
  return proto;
}

// What gives the rows: a product of the joined heads, if it is.
bool areGatedAsRows(const Gated& part) { return typesByRank(gatedHeads(part)).back() == "Mul"; }

TEST(LowerByRank, HeadsThatAreGatedAreRowsThatAre) {
  EXPECT_TRUE(areGatedAsRows({}));
  EXPECT_TRUE(areGatedAsRows({.isBent = true}));
  EXPECT_TRUE(areGatedAsRows({.width = 1, .isFirst = true})) << "a number for each head";
  EXPECT_TRUE(areGatedAsRows({.constant = {2, 1, 1}}));
  EXPECT_TRUE(areGatedAsRows({.constant = {1, 2, 1, 2}, .isFirst = true}));
  EXPECT_TRUE(areGatedAsRows({.constant = {2}}));
  Gated scaledAsWell;
  scaledAsWell.scales = 2;
  const Strings types = typesByRank(gatedHeads(scaledAsWell));
  EXPECT_EQ(std::count(types.begin(), types.end(), "Mul"), 3);
  EXPECT_EQ(types.back(), "Mul");
  scaledAsWell.constant = {5, 1};
  EXPECT_FALSE(areGatedAsRows(scaledAsWell)) << "a number for each row is among them";
}

TEST(LowerByRank, OtherProductsOfHeadsStay) {
  EXPECT_FALSE(areGatedAsRows({.constant = {5, 1}})) << "a number for each row";
  EXPECT_FALSE(areGatedAsRows({.constant = {1}}));
  EXPECT_FALSE(areGatedAsRows({.perm = {0, 2, 3, 1}})) << "features in front of heads";
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

Model byRank(ModelProto proto) {
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::lowerByRank(model, [&](const std::string& value) { return values.dims(value); });
  model.removeDead();
  return model;
}

TEST(LowerByRank, PatchesAsLongAsTheirClipAreThoseOfAPicture) {
  const std::vector<float> expected = resultOf(Model(patchesOf("x", {5, 6, 2, 2})), {{2, 6, 4, 4}});
  for (const Integers& weight : {Integers{5, 6, 1, 2, 2}, Integers{5, 2, 3, 2, 2}}) {
    const Model picture = byRank(patchesOf("clip", weight));
    EXPECT_EQ(typesOf(picture), (Strings{"Conv", "Reshape"}));
    EXPECT_EQ(resultOf(picture, {{2, 6, 4, 4}}), expected);
  }
  const Strings clip{"Reshape", "Conv"};
  EXPECT_EQ(typesOf(byRank(patchesOf("long_clip", {5, 2, 1, 2, 2}))), clip) << "of single frames";
  EXPECT_EQ(typesOf(byRank(patchesOf("clip", {5, 1, 3, 2, 2}, 2))), clip) << "of each plane";
}

// GroupNorm of [rows, features], as PyTorch's exporter spells it.
struct GroupedRows {
  std::int64_t groups = 1;
  float scale = 1;
  Integers shift = {4};
  Integers rows = {-1, 3, 4};  // behind the norm
};

Strings typesOfGroupedRows(const GroupedRows& part) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, 3, 4});
  addReshape(proto, "x", {-1, part.groups, 4 / part.groups}, "groups");
  addConstant(proto, "ones", {part.groups},
              std::vector<float>(static_cast<std::size_t>(part.groups), part.scale));
  addConstant(proto, "zeros", {part.groups},
              std::vector<float>(static_cast<std::size_t>(part.groups), 0));
  addNode(proto, "InstanceNormalization", {"groups", "ones", "zeros"}, {"normed"});
  addReshape(proto, "normed", part.rows, "rows");
  addSome(proto, "gain", {4});
  addSome(proto, "shift", part.shift);
  addNode(proto, "Mul", {"rows", "gain"}, {"scaled"});
  addNode(proto, "Add", {"scaled", "shift"}, {"y"});
  addOutput(proto, "y");
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  const onnx::Values values(after);
  onnx::lowerByRank(after, [&](const std::string& value) { return values.dims(value); });
  after.removeDead();
  const std::vector<float> expected = resultOf(before, {{2, 3, 4}}),
                           found = resultOf(after, {{2, 3, 4}});
  EXPECT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    EXPECT_NEAR(expected[i], found[i], 1e-5) << i;
  return typesOf(after);
}

TEST(LowerByRank, ANormOfGroupsOfWhichEachRowHasOne) {
  EXPECT_EQ(typesOfGroupedRows({}), (Strings{"LayerNormalization"}));
  EXPECT_EQ(typesOfGroupedRows({.rows = {-1, 4}}), (Strings{"Reshape", "LayerNormalization"}))
      << "as onnxsim leaves them";
  EXPECT_EQ(typesOfGroupedRows({.rows = {0, 4}}).size(), 5U) << "as many as there are groups";
  EXPECT_EQ(typesOfGroupedRows({.groups = 2}).size(), 5U);
  EXPECT_EQ(typesOfGroupedRows({.scale = 2}).size(), 5U);
  EXPECT_EQ(typesOfGroupedRows({.shift = {3, 1}}).size(), 5U) << "one for each row";
}

// As PyTorch's newer exporter writes it; OpenCV has it for planes alone.
TEST(LowerByRank, ANormOfGroupsAsOneNode) {
  const auto typesOf = [](const Integers& dims, std::int64_t groups) {
    auto proto = emptyModel();
    proto.mutable_opset_import(0)->set_version(21);
    addInput(proto, "x", dims);
    addSome(proto, "gain", {4});
    addSome(proto, "shift", {4});
    auto& norm = addNode(proto, "GroupNormalization", {"x", "gain", "shift"}, {"y"});
    setAttribute(norm, "num_groups", groups);
    addOutput(proto, "y");
    Model model(std::move(proto));
    const onnx::Values values(model);
    onnx::lowerByRank(model, [&](const std::string& value) { return values.dims(value); });
    return test::typesOf(model);
  };
  EXPECT_EQ(typesOf({-1, 4}, 1), (Strings{"LayerNormalization"}));
  EXPECT_EQ(typesOf({-1, 4}, 2), (Strings{"GroupNormalization"}));
  EXPECT_EQ(typesOf({-1, 4, 5}, 1), (Strings{"GroupNormalization"})) << "over all of its places";
}

}  // namespace
}  // namespace mpm::test
