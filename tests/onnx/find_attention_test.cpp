// SPDX-License-Identifier: Apache-2.0
// Self-attention in the layouts that exporters write, and near misses that are something else.
#include "onnx/recognise/parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "onnx/attention_case.h"

namespace mpm::test::attention {
namespace {

using onnx::FoundAttention;

TEST(FindAttention, AnyLayoutOfQueriesKeysAndValues) {
  const std::pair<Layout, std::vector<Integers>> cases[] = {
      {Layout::packed, {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}, {12, 13, 14, 15, 16, 17}}},
      {Layout::interleaved, {{0, 1, 2, 9, 10, 11}, {3, 4, 5, 12, 13, 14}, {6, 7, 8, 15, 16, 17}}},
      {Layout::separate, {{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}}}};
  for (const auto& [layout, features] : cases) {
    for (const bool rowsFirst : {false, true}) {
      for (const bool rankThree : {false, true}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(layout) << rowsFirst << rankThree);
        const auto finding =
            find({.layout = layout, .rowsFirst = rowsFirst, .rankThree = rankThree});
        ASSERT_TRUE(finding.found) << finding.obstacle;
        const FoundAttention& found = *finding.found;
        EXPECT_EQ(found.input, "x");
        EXPECT_EQ(found.heads, kHeads);
        EXPECT_EQ(found.headDim, kWidth);
        EXPECT_EQ(found.rowsFirst, rowsFirst);
        EXPECT_EQ(found.q.features, features[0]);
        EXPECT_EQ(found.k.features, features[1]);
        EXPECT_EQ(found.v.features, features[2]);
        EXPECT_FLOAT_EQ(found.scale, 1);
      }
    }
  }
}

// As many images as heads, of which dims alone do not tell which is which, or one.
TEST(FindAttention, HeadsInFrontOfImages) {
  for (const std::int64_t batch : {2, 1, 3}) {
    for (const bool rowsFirst : {false, true}) {
      for (const bool rankThree : {false, true}) {
        SCOPED_TRACE(testing::Message() << batch << rowsFirst << rankThree);
        const Case part{.rowsFirst = rowsFirst, .rankThree = rankThree, .headsFirst = true};
        const auto finding = find(part, batch);
        ASSERT_TRUE(finding.found) << finding.obstacle;
        EXPECT_EQ(finding.found->heads, kHeads);
        EXPECT_EQ(finding.found->headDim, kWidth);
        EXPECT_EQ(finding.found->q.features, (Integers{0, 1, 2, 3, 4, 5}));
        EXPECT_EQ(finding.found->v.features, (Integers{12, 13, 14, 15, 16, 17}));
        EXPECT_EQ(finding.found->rowsFirst.value_or(rowsFirst), rowsFirst);
      }
    }
  }
  EXPECT_NE(obstacle({.headsFirst = true, .outPerm = {0, 2, 1, 3}}), "found");
  EXPECT_NE(obstacle({.outPerm = {1, 2, 0, 3}}), "found");
}

TEST(FindAttention, TakesQueriesAndKeysAsTheProductHasThem) {
  const auto finding = find({.swapsQueriesAndKeys = true});
  ASSERT_TRUE(finding.found);
  EXPECT_EQ(finding.found->q.features.front(), 6);
  EXPECT_EQ(finding.found->k.features.front(), 0);
}

TEST(FindAttention, CollectsTheScale) {
  EXPECT_FLOAT_EQ(find({.scaleProduct = 0.25F}).found->scale, 0.25F);
  EXPECT_FLOAT_EQ(find({.scaleProduct = 4, .productScale = "Div"}).found->scale, 0.25F);
  EXPECT_FLOAT_EQ(find({.scaleQ = 0.5F}).found->scale, 0.5F);
  EXPECT_FLOAT_EQ(find({.scaleQ = 0.5F, .scaleK = 0.25F, .scaleProduct = 3}).found->scale, 0.375F);
}

TEST(FindAttention, AMaskOfZerosIsNone) {
  EXPECT_TRUE(find({.mask = 0.0F}).found);
  const auto finding = find({.scaleProduct = 0.5F, .mask = 0.0F});
  ASSERT_TRUE(finding.found);
  EXPECT_EQ(finding.found->bias, "");
  EXPECT_TRUE(finding.found->isPlain());
}

TEST(FindAttention, NearMisses) {
  EXPECT_EQ(obstacle({.softmaxAxis = 2}), "") << "over the queries: nothing of the kind";
  EXPECT_EQ(obstacle({.softmaxAxis = 3}), "found");
  EXPECT_EQ(obstacle({.layout = Layout::separate, .keysFrom = "other"}),
            "q, k and v are made from different values");
  EXPECT_EQ(obstacle({.layout = Layout::separate, .valuesFrom = "other"}),
            "q, k and v are made from different values");
  EXPECT_EQ(obstacle({.layout = Layout::separate, .keysFrom = "other", .valuesFrom = "other"}),
            "q, k and v are made from different values")
      << "cross attention";
  EXPECT_EQ(obstacle({.normalisesQueries = true}),
            "q and k that are normalised or turned by their position differently");
}

// Values that are mixed with those of another block are products that are added, too.
TEST(FindAttention, TellsRotaryPositionsFromOtherSums) {
  EXPECT_EQ(obstacle({.addsProducts = true}), "not made by a linear layer");
  EXPECT_EQ(obstacle({.turnsValues = true}), "rotary positions");
}

TEST(FindAttention, QueriesThatAreConvolved) {
  EXPECT_EQ(obstacle({.layout = Layout::separate, .convolvesQueries = true}),
            "made by a convolution of its tokens");
}

// A layer takes 0 for "the usual scale".
TEST(FindAttention, AScaleOfNothing) {
  EXPECT_EQ(obstacle({.scaleProduct = 0}), "a scale of q k that is 0 or not finite");
}

TEST(FindAttention, HeadsHaveToStandSideBySide) {
  const std::string obstacleOfLayout = "the layout of its result is not understood";
  EXPECT_EQ(obstacle({.outPerm = {0, 1, 2, 3}}), obstacleOfLayout) << "heads never brought back";
  EXPECT_EQ(obstacle({.outPerm = {0, 2, 3, 1}}), obstacleOfLayout) << "features in front of heads";
}

// [N, B, H d] read as [B, N, H d]: with one image nothing is wrong with it.
TEST(FindAttention, SeesOnlyWithTwoImagesThatTheyAreMixed) {
  const Case mixed{.outPerm = {2, 0, 1, 3}};
  EXPECT_EQ(obstacle(mixed), "the layout of its result is not understood");
  EXPECT_TRUE(find(mixed, 1).found);
  EXPECT_EQ(obstacle({.rowsFirst = true, .outPerm = {0, 2, 1, 3}}),
            "the layout of its result is not understood");
}

// As transformers' MLCD has it.
TEST(FindAttention, AResultWithRowsAndImagesSwapped) {
  for (const std::int64_t batch : {1, 2}) {
    const auto finding = find({.outPerm = {2, 0, 1, 3}, .swapsResult = true}, batch);
    ASSERT_TRUE(finding.found) << finding.obstacle;
    EXPECT_TRUE(finding.found->swapsResult);
  }
  EXPECT_TRUE(find({.rowsFirst = true, .outPerm = {0, 2, 1, 3}, .swapsResult = true}).found);
}

}  // namespace
}  // namespace mpm::test::attention
