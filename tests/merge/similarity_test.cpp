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

struct SimilarityCase {
  const char* what;
  std::size_t dim;
  Floats rows;
  Ints map, regions;
  Floats told;  // of each original
};

TEST(Similarity, OfRowsWithoutAPartnerAndOfZeroRows) {
  const Floats alike = {0.3F, 0.3F, 0.3F, 0.3F}, zeros = {0, 0, 0, 0, 0.3F, 0.3F, 0.3F, 0.3F};
  for (const SimilarityCase& each :
       {SimilarityCase{"one row", 2, {1, 2}, {0, 0, 0, 0}, {}, {kNan, kNan, kNan, kNan}},
        {"alone in its region", 1, {1, 2, 3}, {0, 1, 2}, {7, 8, 7}, {1, kNan, 1}},
        {"not finite", 2, {1, 0, 1, kNan, 0, 1}, {0, 1, 2}, {}, {0, kNan, 0}},
        {"equal", 2, alike, {0, 1}, {}, {1, 1}},
        {"zero rows", 2, zeros, {0, 1, 2, 3}, {}, {0, 0, 1, 1}},
        {"no rows", 5, {}, {}, {}, {}}}) {
    SCOPED_TRACE(each.what);
    const std::size_t count = each.rows.size() / each.dim;
    OwnedRows merged(count, each.dim);
    MergeOptions options;
    if (!each.regions.empty()) options.regions = each.regions.data();
    Ints map = each.map;
    Floats told(each.map.size() + 1, 5);  // and nothing behind them
    PairMerger().merge({each.rows.data(), count, each.dim}, options, map.data(), map.size(),
                       merged.view(), told.data());
    EXPECT_EQ(told.back(), 5);
    for (std::size_t i = 0; i < each.told.size(); ++i) {
      EXPECT_EQ(std::isnan(told[i]), std::isnan(each.told[i])) << "token " << i;
      const bool isNone = std::isnan(each.told[i]);
      EXPECT_NEAR(isNone ? 0 : told[i], isNone ? 0 : each.told[i], test::kSimilarity);
    }
  }
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

}  // namespace
}  // namespace mpm
