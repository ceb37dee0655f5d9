// SPDX-License-Identifier: Apache-2.0
// What a merge tells of how alike the rows in front of it were.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "best_similarity.h"
#include "mpm/merge.h"
#include "random_rows.h"
#include "tolerances.h"

namespace mpm {
namespace {

using test::OwnedRows;
using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kHeight = 13, kWidth = 17;

Ints freshMap(std::size_t count) {
  Ints map(count);
  identityMap(map.data(), count);
  return map;
}

// The first original token of each live row.
std::vector<int> lowestMembers(const Ints& map, std::size_t live) {
  std::vector<int> lowest(live);
  for (std::size_t i = map.size(); i-- > 0;) {
    lowest[static_cast<std::size_t>(map[i])] = static_cast<int>(i);
  }
  return lowest;
}

std::vector<double> expectedOf(ConstRows rows, const MergeOptions& options, const Ints& map) {
  const std::vector<int> place = lowestMembers(map, rows.count);
  return test::bestSimilarities(rows, [&](std::size_t i, std::size_t j) {
    const int a = place[i], b = place[j];
    if (options.regions != nullptr && options.regions[a] != options.regions[b]) return false;
    if (options.window == 0) return true;
    return std::abs(a / kWidth - b / kWidth) <= options.window &&
           std::abs(a % kWidth - b % kWidth) <= options.window;
  });
}

void expectNear(const Floats& told, const std::vector<double>& ofRows, const Ints& map) {
  ASSERT_EQ(told.size(), map.size());
  for (std::size_t i = 0; i < map.size(); ++i) {
    const double expected = ofRows[static_cast<std::size_t>(map[i])];
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(told[i])) << "token " << i;
    } else {
      EXPECT_NEAR(told[i], expected, test::kSimilarity) << "token " << i;
    }
  }
}

// Merges three times, each time with and without asking.
void expectTold(OwnedRows rows, const MergeOptions& options) {
  const std::size_t originals = rows.count, dim = rows.dim;
  Ints map = freshMap(originals);
  std::size_t live = originals;
  PairMerger merger;
  for (int call = 0; call < 3; ++call) {
    SCOPED_TRACE(testing::Message() << "call " << call);
    const ConstRows in(rows.data.data(), live, dim);
    OwnedRows merged(live, dim), unasked(live, dim);
    Ints after = map, unaskedAfter = map;
    Floats told(originals, 12345);
    const std::size_t count =
        merger.merge(in, options, after.data(), originals, merged.view(), told.data());
    EXPECT_EQ(merger.merge(in, options, unaskedAfter.data(), originals, unasked.view()), count);
    EXPECT_EQ(after, unaskedAfter);
    EXPECT_EQ(merged.data, unasked.data);
    expectNear(told, expectedOf(in, options, map), map);
    map = after, rows = merged, live = count;
  }
}

TEST(Similarity, IsTheOneThatMatchingUsed) {
  Ints labels(kHeight * kWidth);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 5) - 2;
  for (const bool withWindow : {false, true}) {
    for (const bool withRegions : {false, true}) {
      SCOPED_TRACE(testing::Message() << "window " << withWindow << ", regions " << withRegions);
      MergeOptions options;
      if (withWindow) {
        options.window = 2, options.gridHeight = kHeight, options.gridWidth = kWidth;
      }
      if (withRegions) options.regions = labels.data();
      expectTold(test::normalRows(kHeight * kWidth, 70, 41), options);
      expectTold(test::smoothRows(kHeight * kWidth, 200, 42), options);
    }
  }
}

TEST(Similarity, ARowWithoutAPartnerHasNone) {
  PairMerger merger;
  OwnedRows rows = test::normalRows(3, 8, 43), merged(3, 8);
  Ints map = {0, 0, 0, 0};
  Floats told(4, 1);
  merger.merge({rows.data.data(), 1, 8}, {}, map.data(), 4, merged.view(), told.data());
  for (const float each : told) EXPECT_TRUE(std::isnan(each));

  const Ints labels = {7, 8, 7};
  MergeOptions options;
  options.regions = labels.data();
  map = freshMap(3), told.assign(3, 1);
  EXPECT_EQ(merger.merge(rows.view(), options, map.data(), 3, merged.view(), told.data()), 2U);
  EXPECT_TRUE(std::isnan(told[1]));
  EXPECT_EQ(told[0], told[2]);

  rows.row(1)[5] = kNan;
  map = freshMap(3), told.assign(3, 1);
  EXPECT_EQ(merger.merge(rows.view(), {}, map.data(), 3, merged.view(), told.data()), 2U);
  expectNear(told, test::bestSimilarities(rows.view()), freshMap(3));
  EXPECT_TRUE(std::isnan(told[1]));
  EXPECT_FALSE(std::isnan(told[0]));
}

// Where all features have one sign, or one of them outweighs the others, rounding goes one way.
TEST(Similarity, OfOneSidedRowsKeepsToItsBound) {
  PairMerger merger;
  double worst = 0;
  for (std::size_t dim = 1; dim <= 2048; ++dim) {
    for (const bool isEven : {false, true}) {
      OwnedRows rows = test::normalRows(2, dim, 44), merged(2, dim);
      if (isEven) std::fill(rows.data.begin(), rows.data.end(), 1.0F);
      std::copy(rows.row(0), rows.row(0) + dim, rows.row(1));
      if (!isEven) rows.row(0)[dim / 2] = rows.row(1)[dim / 2] = 1000;
      Ints map = freshMap(2);
      Floats told(2);
      merger.merge(rows.view(), {}, map.data(), 2, merged.view(), told.data());
      for (const float similarity : told) worst = std::max(worst, std::abs(similarity - 1.0));
    }
  }
  std::cout << "the farthest of 1 to 2048 features: " << worst << "\n";
  EXPECT_LE(worst, test::kOneSidedSimilarity);
}

TEST(Similarity, OfZeroRowsItIsZero) {
  PairMerger merger;
  OwnedRows rows(4, 6), merged(4, 6);
  for (std::size_t k = 0; k < 6; ++k) rows.row(2)[k] = rows.row(3)[k] = 0.3F;
  Ints map = freshMap(4);
  Floats told(4, 1);
  merger.merge(rows.view(), {}, map.data(), 4, merged.view(), told.data());
  EXPECT_EQ(told[0], 0);
  EXPECT_EQ(told[1], 0);
  EXPECT_NEAR(told[2], 1, test::kSimilarity);
  EXPECT_EQ(told[2], told[3]);
}

TEST(Similarity, NoTokensHaveNone) {
  PairMerger merger;
  float told = 5;
  EXPECT_EQ(merger.merge({nullptr, 0, 5}, {}, nullptr, 0, {nullptr, 0, 5}, &told), 0U);
  EXPECT_EQ(told, 5);
}

}  // namespace
}  // namespace mpm
