// SPDX-License-Identifier: Apache-2.0
// What people write out by hand, as the nodes that a transformer is known by: Einsum, softmax by
// its exponentials. The same comes out of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/lower_case.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/recognise/parts.h"

namespace mpm::test {
namespace {

Model lowerKnown(ModelProto proto) {
  Model model(std::move(proto));
  const onnx::Values values(model);
  onnx::spellSoftmaxes(model, values);
  onnx::lower(model, [&](const std::string& value) { return values.dims(value); });
  model.removeDead();
  return model;
}

// The lowered model's nodes, after it gave what the model gives.
Strings typesOfSpelled(const ModelProto& proto, const std::vector<Integers>& sizes) {
  const Model before{ModelProto(proto)};
  const Model after = lowerKnown(proto);
  expectSameResult(before, after, sizes);
  return typesOf(after);
}

struct Product {
  std::string equation;
  Integers a, b;            // dims; -1: the batch
  bool isConstant = false;  // b
};

ModelProto einsum(const Product& product) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "a", product.a);
  if (product.isConstant) {
    addSome(proto, "b", product.b);
  } else {
    addInput(proto, "b", product.b);
  }
  setAttribute(addNode(proto, "Einsum", {"a", "b"}, {"y"}), "equation", product.equation);
  addOutput(proto, "y");
  return proto;
}

Strings typesOfProduct(const Product& product) {
  const auto sized = [](Integers dims) {
    std::replace(dims.begin(), dims.end(), std::int64_t{-1}, std::int64_t{2});
    return dims;
  };
  std::vector<Integers> sizes{sized(product.a)};
  if (!product.isConstant) sizes.push_back(sized(product.b));
  return typesOfSpelled(einsum(product), sizes);
}

TEST(LowerEinsum, ProductsOfAttention) {
  const Integers heads{-1, 3, 5, 4}, rows{-1, 5, 3, 4}, weights{-1, 3, 5, 5};
  EXPECT_EQ(typesOfProduct({"bhid,bhjd->bhij", heads, heads}), (Strings{"Transpose", "MatMul"}));
  EXPECT_EQ(typesOfProduct({"bhij,bhjd->bhid", weights, heads}), (Strings{"MatMul"}));
  EXPECT_EQ(typesOfProduct({"b i h d, b j h d -> b h i j", rows, rows}),
            (Strings{"Transpose", "Transpose", "MatMul"}));
  EXPECT_EQ(typesOfProduct({"bhij,bjhd->bihd", weights, rows}),
            (Strings{"Transpose", "MatMul", "Transpose"}));
  EXPECT_EQ(typesOfProduct({"...id,...jd->...ij", heads, heads}), (Strings{"Transpose", "MatMul"}));
  EXPECT_EQ(typesOfProduct({"bnc,bmc->bnm", {-1, 5, 4}, {-1, 6, 4}}),
            (Strings{"Transpose", "MatMul"}));
}

TEST(LowerEinsum, AHeadOfKeysThatServesAll) {
  const Strings types = typesOfProduct({"bhid,bjd->bhij", {-1, 3, 5, 4}, {-1, 5, 4}});
  EXPECT_EQ(types, (Strings{"Transpose", "Reshape", "MatMul"}));
  typesOfProduct({"bhij,bjd->bhid", {-1, 3, 5, 5}, {-1, 5, 4}});
}

TEST(LowerEinsum, ProjectionsToHeadsAndFromThem) {
  EXPECT_EQ(typesOfProduct({"btd,dhk->bthk", {-1, 5, 6}, {6, 3, 2}, true}),
            (Strings{"MatMul", "Reshape"}));
  EXPECT_EQ(typesOfProduct({"btd,dhk->bhtk", {-1, 5, 6}, {6, 3, 2}, true}),
            (Strings{"MatMul", "Reshape", "Transpose"}));
  EXPECT_EQ(typesOfProduct({"bthk,hkd->btd", {-1, 5, 3, 2}, {3, 2, 6}, true}),
            (Strings{"Reshape", "MatMul"}));
  EXPECT_EQ(typesOfProduct({"bhtk,khd->btd", {-1, 3, 5, 2}, {2, 3, 6}, true}),
            (Strings{"Transpose", "Reshape", "MatMul"}));
  EXPECT_EQ(typesOfProduct({"btd,ed->bte", {-1, 5, 6}, {4, 6}, true}), (Strings{"MatMul"}));
}

TEST(LowerEinsum, OneValueIsTurned) {
  auto proto = emptyModel();
  addInput(proto, "a", {-1, 3, 2, 4});
  setAttribute(addNode(proto, "Einsum", {"a"}, {"y"}), "equation", std::string("ncph->nhpc"));
  addOutput(proto, "y");
  EXPECT_EQ(typesOfSpelled(proto, {{2, 3, 2, 4}}), (Strings{"Transpose"}));
}

TEST(LowerEinsum, OthersStay) {
  const Product others[] = {
      {"bqc,bchw->bqhw", {-1, 3, 4}, {-1, 4, 2, 5}},      // masks, whose product has its own kernel
      {"bhid,bhjd->bhi", {-1, 3, 5, 4}, {-1, 3, 5, 4}},   // a sum over one factor's axis
      {"bhid,bhid->bhid", {-1, 3, 5, 4}, {-1, 3, 5, 4}},  // no sum at all
      {"bhid,bhid->bhi", {-1, 3, 5, 4}, {-1, 3, 5, 4}},   // no rows of the second
      {"bii,bij->bj", {-1, 4, 4}, {-1, 4, 5}},            // a diagonal
      {"bid,bjd->bij", {-1, 5, 1}, {-1, 5, 4}},           // a factor that is spread along the sum
  };
  for (const Product& product : others) {
    SCOPED_TRACE(product.equation);
    EXPECT_EQ(typesOf(lowerKnown(einsum(product))), (Strings{"Einsum"}));
  }
}

// A bias [heads, d] behind rows that were split into heads.
ModelProto headBias(const Integers& bias, const Integers& split, const Integers& order = {}) {
  auto proto = emptyModel();
  addInput(proto, "a", {-1, 5, 4});
  addSome(proto, "w", {4, 6});
  addNode(proto, "MatMul", {"a", "w"}, {"rows"});
  addReshape(proto, "rows", split, "heads");
  if (!order.empty()) addTranspose(proto, "heads", order, "turned");
  addSome(proto, "bias", bias);
  addNode(proto, "Add", {order.empty() ? "heads" : "turned", "bias"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

TEST(LowerEinsum, ABiasOfHeadsIsTheLinearLayers) {
  const Integers heads{0, 0, 3, 2};
  for (const Integers& bias : {Integers{3, 2}, {1, 1, 3, 2}, {2}, {3, 1}}) {
    EXPECT_EQ(typesOfSpelled(headBias(bias, heads), {{2, 5, 4}}),
              (Strings{"MatMul", "Add", "Reshape"}));
  }
  EXPECT_EQ(typesOfSpelled(headBias({3, 1, 2}, heads, {0, 2, 1, 3}), {{2, 5, 4}}),
            (Strings{"MatMul", "Add", "Reshape", "Transpose"}));
  const Strings asItWas{"MatMul", "Reshape", "Add"};
  EXPECT_EQ(typesOfSpelled(headBias({5, 1, 1}, heads), {{2, 5, 4}}), asItWas) << "of rows";
  EXPECT_EQ(typesOfSpelled(headBias({5, 3}, {0, 2, 5, 3}), {{2, 5, 4}}), asItWas)
      << "rows that are mixed with features";
}

// exp(x) / sum(exp(x)) of scores [B, 2, 3, 5], of which parts can be spoiled.
struct ByHand {
  bool isShifted = false;
  Integers largestAxes = {-1};
  bool takesOther = false;  // what is taken off is another value's largest
  bool isTurned = false;    // the largest less x
  Integers sumAxes = {-1};
  std::int64_t keeps = 1;
  bool sumsOther = false;
};

ModelProto softmaxByHand(const ByHand& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 2, 3, 5});
  addInput(proto, "other", {-1, 2, 3, 5});
  std::string scores = "x";
  if (part.isShifted) {
    setAttribute(addNode(proto, "ReduceMax", {part.takesOther ? "other" : "x"}, {"largest"}),
                 "axes", part.largestAxes);
    part.isTurned ? addNode(proto, "Sub", {"largest", "x"}, {"less"})
                  : addNode(proto, "Sub", {"x", "largest"}, {"less"});
    scores = "less";
  }
  addNode(proto, "Exp", {scores}, {"powers"});
  addNode(proto, "Exp", {"other"}, {"others"});
  auto& sum = addNode(proto, "ReduceSum", {part.sumsOther ? "others" : "powers"}, {"sum"});
  setAttribute(sum, "axes", part.sumAxes);
  setAttribute(sum, "keepdims", part.keeps);
  addNode(proto, "Div", {"powers", "sum"}, {"y"});
  addOutput(proto, "y");
  proto.mutable_opset_import(0)->set_version(12);
  return proto;
}

Strings typesByHand(const ByHand& part) {
  return typesOfSpelled(softmaxByHand(part), {{2, 2, 3, 5}, {2, 2, 3, 5}});
}

TEST(LowerSoftmax, ByItsExponentials) {
  EXPECT_EQ(typesByHand({}), (Strings{"Softmax"}));
  EXPECT_EQ(typesByHand({.sumAxes = {3}}), (Strings{"Softmax"}));
  EXPECT_EQ(typesByHand({.isShifted = true}), (Strings{"Softmax"}));
  EXPECT_EQ(typesByHand({.isShifted = true, .largestAxes = {2, 3}}), (Strings{"Softmax"}));
}

TEST(LowerSoftmax, NearMissesStay) {
  const auto isSoftmaxOfX = [](const ByHand& part) {
    const Strings types = typesByHand(part);
    return std::count(types.begin(), types.end(), "Softmax") == 1 &&
           std::count(types.begin(), types.end(), "Sub") == 0;
  };
  EXPECT_FALSE(isSoftmaxOfX({.sumAxes = {2}})) << "over the queries";
  EXPECT_FALSE(isSoftmaxOfX({.sumAxes = {2, 3}})) << "over all scores of a head";
  EXPECT_FALSE(isSoftmaxOfX({.sumsOther = true}));
  EXPECT_FALSE(isSoftmaxOfX({.isShifted = true, .largestAxes = {2}})) << "another number for each";
  EXPECT_FALSE(isSoftmaxOfX({.isShifted = true, .isTurned = true}));
  EXPECT_FALSE(isSoftmaxOfX({.isShifted = true, .takesOther = true}))
      << "of its own row, as far as is told";
}

TEST(LowerSoftmax, ThePowerOfItsLogarithm) {
  const auto powers = [](std::int64_t axis) {
    auto proto = emptyModel();
    addInput(proto, "x", {-1, 2, 3, 5});
    setAttribute(addNode(proto, "LogSoftmax", {"x"}, {"logs"}), "axis", axis);
    addNode(proto, "Exp", {"logs"}, {"y"});
    addOutput(proto, "y");
    return typesOfSpelled(proto, {{2, 2, 3, 5}});
  };
  EXPECT_EQ(powers(-1), (Strings{"Softmax"}));
  EXPECT_EQ(powers(1), (Strings{"LogSoftmax", "Exp"}));
}

TEST(LowerSoftmax, PowersLessTheLogarithmOfTheirSum) {
  const auto powers = [](std::int64_t axis, const char* from) {
    auto proto = emptyModel();
    proto.mutable_opset_import(0)->set_version(17);
    addInput(proto, "x", {-1, 2, 3, 5});
    addNode(proto, "Abs", {"x"}, {"sizes"});
    setAttribute(addNode(proto, "ReduceLogSumExp", {from}, {"sum"}), "axes", Integers{axis});
    addNode(proto, "Sub", {"x", "sum"}, {"less"});
    addNode(proto, "Exp", {"less"}, {"y"});
    addOutput(proto, "y");
    return typesOfSpelled(proto, {{2, 2, 3, 5}});
  };
  EXPECT_EQ(powers(-1, "x"), (Strings{"Softmax"}));
  EXPECT_EQ(powers(3, "x"), (Strings{"Softmax"}));
  EXPECT_EQ(powers(2, "x").size(), 3U) << "over the queries";
  EXPECT_EQ(powers(-1, "sizes").size(), 4U) << "of other numbers";
}

TEST(LowerSoftmax, WeightsThatStandBehindTheirValues) {
  const auto mixed = [](const Integers& order, std::int64_t axis) {
    auto proto = emptyModel();
    addInput(proto, "scores", {-1, 2, 5, 5});
    addInput(proto, "v", {-1, 2, 4, 5});
    setAttribute(addNode(proto, "Softmax", {"scores"}, {"weights"}), "axis", axis);
    addTranspose(proto, "weights", order, "turned");
    addNode(proto, "MatMul", {"v", "turned"}, {"y"});
    addOutput(proto, "y");
    const Strings types = typesOfSpelled(proto, {{2, 2, 5, 5}, {2, 2, 4, 5}});
    return types.back();
  };
  EXPECT_EQ(mixed({0, 1, 3, 2}, -1), "Transpose");
  EXPECT_EQ(mixed({0, 1, 3, 2}, 2), "MatMul") << "over the queries";
  EXPECT_EQ(mixed({0, 1, 2, 3}, -1), "MatMul") << "not turned";
}

// ONNX Runtime's optimiser puts the turn into the product.
TEST(LowerSoftmax, WeightsThatAreTurnedWithinAProduct) {
  auto proto = emptyModel();
  addInput(proto, "scores", {-1, 2, 5, 5});
  addInput(proto, "v", {-1, 2, 4, 5});
  setAttribute(addNode(proto, "Softmax", {"scores"}, {"weights"}), "axis", std::int64_t{-1});
  setAttribute(addFused(proto, "FusedMatMul", {"v", "weights"}, {"y"}), "transB", std::int64_t{1});
  addOutput(proto, "y");
  EXPECT_EQ(typesOf(lowerKnown(proto)), (Strings{"Softmax", "Transpose", "MatMul", "Transpose"}));
}

}  // namespace
}  // namespace mpm::test
