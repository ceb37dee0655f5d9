// SPDX-License-Identifier: Apache-2.0
// Heads that are stacked before they are joined.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "onnx/by_rank_case.h"
#include "onnx/facts_case.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

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

}  // namespace
}  // namespace mpm::test
