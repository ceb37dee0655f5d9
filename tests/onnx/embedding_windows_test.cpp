// SPDX-License-Identifier: Apache-2.0
// Rows that are dealt out to windows in front of an encoder.
#include "onnx/recognise/embedding.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "onnx/embedding_case.h"

namespace mpm::test {
namespace {

// Rows 0, 3; 1, 4; 2, 5 of the grid of 2 x 3: windows of one column each.
void addWindows(ModelProto& proto, const std::string& from, const std::string& to) {
  addReshape(proto, from, {-1, 1, 2, 3, 1, kDim}, to + "_apart");
  addTranspose(proto, to + "_apart", {0, 1, 3, 2, 4, 5}, to + "_dealt");
  addReshape(proto, to + "_dealt", {-1, 2, kDim}, to);
}

constexpr onnx::Windows kColumns{1, 3, 2, 1};

TEST(Embedding, RowsThatAreDealtOutToWindows) {
  auto proto = patches();
  addSome(proto, "position", {1, kCount, kDim}, 1);
  addNode(proto, "Add", {"p", "position"}, {"placed"});
  addWindows(proto, "placed", "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "i6");
  EXPECT_EQ(found->windows, kColumns);
  EXPECT_EQ(found->batch, 2);
  // Positions stay in the order of the grid.
  EXPECT_FLOAT_EQ(found->segments[0].values.back(), 1 + 0.01F * (kCount * kDim - 1));
}

// With the axis of images and that of windows below each other as one.
TEST(Embedding, WindowsOfFiveAxes) {
  auto proto = patches();
  addSome(proto, "position", {1, kCount, kDim}, 1);
  addNode(proto, "Add", {"p", "position"}, {"placed"});
  addReshape(proto, "placed", {-1, 2, 3, 1, kDim}, "apart");
  addTranspose(proto, "apart", {0, 2, 1, 3, 4}, "dealt");
  addReshape(proto, "dealt", {-1, 2, kDim}, "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "i6");
  EXPECT_EQ(found->windows, kColumns);
}

// Windows of one patch each: column by column, where their order is row by row.
TEST(Embedding, OtherOrdersAreNoWindows) {
  for (const Integers& perm : {Integers{0, 3, 1, 2, 4, 5}, Integers{0, 1, 2, 3, 4, 5}}) {
    auto proto = patches();
    addSome(proto, "position", {1, kCount, kDim}, 1);
    addNode(proto, "Add", {"p", "position"}, {"placed"});
    addReshape(proto, "placed", {-1, 2, 1, 3, 1, kDim}, "apart");
    addTranspose(proto, "apart", perm, "dealt");
    addReshape(proto, "dealt", {-1, 1, kDim}, "y");
    EXPECT_EQ(segmentsOf(embeddingOf(std::move(proto), "y")), "none");
  }
}

// RF-DETR: each window has a class token of its own.
TEST(Embedding, ConstantRowsForEachWindow) {
  auto proto = patches();
  const std::vector<float> row = someValues({kDim}, 2);
  std::vector<float> rows = row;
  rows.insert(rows.end(), row.begin(), row.end());
  addConstant(proto, "class", {2, 1, kDim}, rows);
  addConcat(proto, {"class", "p"}, 1, "all");
  addSome(proto, "position", {1, kCount + 1, kDim}, 1);
  addNode(proto, "Add", {"all", "position"}, {"tokens"});
  addSlice(proto, "tokens", 1, 0, 1, "first");
  addSlice(proto, "tokens", 1, 1, kMax, "rest");
  addIntegers(proto, "times", {3, 1, 1});
  addNode(proto, "Tile", {"first", "times"}, {"repeated"});
  addWindows(proto, "rest", "dealt");
  addConcat(proto, {"repeated", "dealt"}, 1, "y");
  const auto found = embeddingOf(std::move(proto), "y");
  ASSERT_EQ(segmentsOf(found), "c3 i6");
  EXPECT_EQ(found->windows, kColumns);
  for (std::size_t i = 0; i < 3 * kDim; ++i) {
    const std::size_t feature = i % kDim;
    EXPECT_FLOAT_EQ(found->segments[0].values[i],
                    row[feature] + 1 + 0.01F * static_cast<float>(feature));
  }
}

TEST(Embedding, AsManyConstantRowsAsWindowsOrNone) {
  for (const std::int64_t times : {2, 3}) {
    auto proto = patches();
    addSome(proto, "position", {1, kCount, kDim}, 1);
    addNode(proto, "Add", {"p", "position"}, {"placed"});
    addWindows(proto, "placed", "dealt");
    addConstant(proto, "class", {2 * times, 1, kDim}, std::vector<float>(2 * times * kDim, 7));
    addConcat(proto, {"class", "dealt"}, 1, "y");
    EXPECT_EQ(segmentsOf(embeddingOf(std::move(proto), "y")), times == 3 ? "c3 i6" : "none");
  }
}

}  // namespace
}  // namespace mpm::test
