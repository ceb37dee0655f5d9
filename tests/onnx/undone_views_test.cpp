// SPDX-License-Identifier: Apache-2.0
// Rows that become planes, and rows again.
#include "onnx/normal_form/fold.h"

#include <gtest/gtest.h>

#include <string>

#include "onnx/facts_case.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// "rows" [batch, 6, 4] as planes [batch, 4, 2, 3] and back, in this order of axes.
ModelProto thereAndBack(const Integers& order) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 6, 4});
  addNode(proto, "Relu", {"x"}, {"rows"});
  addTranspose(proto, "rows", {0, 2, 1}, "columns");
  addReshape(proto, "columns", {-1, 4, 2, 3}, "planes");
  addTranspose(proto, "planes", order, "turned");
  addReshape(proto, "turned", {-1, 6, 4}, "back");
  addNode(proto, "Neg", {"back"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

Strings typesWithout(ModelProto proto) {
  Model model(std::move(proto));
  onnx::dropUndoneViews(model, onnx::Values(model, {{"x", {2, 6, 4}}}));
  return typesOf(model);
}

TEST(UndoneViews, AreDropped) {
  EXPECT_EQ(typesWithout(thereAndBack({0, 2, 3, 1})), (Strings{"Relu", "Neg"}));
}

TEST(UndoneViews, WhatIsInAnotherOrderStays) {
  EXPECT_EQ(typesWithout(thereAndBack({0, 3, 2, 1})).size(), 6U) << "columns of the grid first";
}

// "rows" [batch, 6, 4], of which the first is cut from the others, joined again in this order.
ModelProto apartAndJoined(const Strings& order) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 6, 4});
  addNode(proto, "Relu", {"x"}, {"rows"});
  addSlice(proto, "rows", 1, 0, 1, "first");
  addSlice(proto, "rows", 1, 1, 6, "others");
  addConcat(proto, order, 1, "all");
  addNode(proto, "Neg", {"all"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

// As a class token and patches are two values between blocks.
TEST(UndoneViews, WhatWasCutApartAndJoinedAgainIsDropped) {
  EXPECT_EQ(typesWithout(apartAndJoined({"first", "others"})), (Strings{"Relu", "Neg"}));
  EXPECT_EQ(typesWithout(apartAndJoined({"others", "first"})).size(), 5U) << "in another order";
  EXPECT_EQ(typesWithout(apartAndJoined({"first", "first", "others"})).size(), 5U)
      << "one of them twice";
}

// As SAM deals out a grid that one window covers.
TEST(UndoneViews, OneWindowStays) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 6, 4});
  addNode(proto, "Relu", {"x"}, {"rows"});
  addReshape(proto, "rows", {-1, 1, 6, 1, 4}, "cut");
  addTranspose(proto, "cut", {0, 1, 3, 2, 4}, "turned");
  addReshape(proto, "turned", {-1, 6, 4}, "windows");
  addNode(proto, "Neg", {"windows"}, {"y"});
  addOutput(proto, "y");
  EXPECT_EQ(typesWithout(proto).size(), 5U);
}

TEST(UndoneViews, PlanesThatAreReadAsWellStay) {
  auto proto = thereAndBack({0, 2, 3, 1});
  addNode(proto, "Sigmoid", {"planes"}, {"map"});
  addOutput(proto, "map");
  EXPECT_EQ(typesWithout(proto), (Strings{"Relu", "Transpose", "Reshape", "Neg", "Sigmoid"}));
}

}  // namespace
}  // namespace mpm::test
