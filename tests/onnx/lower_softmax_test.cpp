// SPDX-License-Identifier: Apache-2.0
// Attention whose keys stand in front of its queries.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "onnx/by_rank_case.h"
#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
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
  return sameByRank(keysFirst(part), {{2, 2, 5, 4}, {2, 2, 6, 4}}).changes > 0;
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

}  // namespace
}  // namespace mpm::test
