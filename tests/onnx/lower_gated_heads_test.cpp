// SPDX-License-Identifier: Apache-2.0
// Heads that are multiplied before they are joined.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "onnx/by_rank_case.h"
#include "onnx/facts_case.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

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

}  // namespace
}  // namespace mpm::test
