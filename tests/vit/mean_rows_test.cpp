// SPDX-License-Identifier: Apache-2.0
#include "vit/mean_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "vit/poisoned_rows.h"
#include "vit/shapes.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

// A double sum rounded once: half a unit of the last place.
constexpr double kRounding = 1e-7;

OwnedRows restored(const OwnedRows& live, const std::vector<std::int32_t>& map) {
  OwnedRows full(map.size(), live.dim);
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::copy_n(live.view().row(static_cast<std::size_t>(map[i])), live.dim, full.row(i));
  }
  return full;
}

/// Every live row at least once; some of them often.
std::vector<std::int32_t> randomMap(std::size_t originals, std::size_t live, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> map(originals);
  for (std::size_t i = 0; i < originals; ++i) {
    map[i] = static_cast<std::int32_t>(i < live ? i : random() % (1 + random() % live));
  }
  return map;
}

OwnedRows mean(ConstRows rows, const std::int32_t* counts) {
  OwnedRows result(1, rows.dim);
  meanRows(rows, counts, result.row(0));
  return result;
}

TEST(MeanRows, OfAHandfulByHand) {
  const std::vector<float> rows{1, 10, 2, 20, 6, 60};
  EXPECT_EQ(mean({rows.data(), 3, 2}, nullptr).data, (std::vector<float>{3, 30}));
  const std::vector<std::int32_t> counts{1, 0, 4};
  EXPECT_EQ(mean({rows.data(), 3, 2}, counts.data()).data, (std::vector<float>{5, 50}));
}

TEST(MeanRows, WithMultiplicitiesIsTheMeanOfTheRowsRestored) {
  for (const test::VitShape& shape : test::vitShapes()) {
    if (shape.heads != 1) continue;
    const std::uint32_t seed = 141;
    SCOPED_TRACE(testing::Message() << shape << ", seed " << seed);
    const OwnedRows live = test::normalRows(shape.rows, shape.dim, seed);
    const auto map = randomMap(3 * shape.rows, shape.rows, seed + 1);
    std::vector<std::int32_t> counts(shape.rows, 0);
    for (const std::int32_t row : map) ++counts[static_cast<std::size_t>(row)];
    PoisonedRows padded(live);
    test::expectNear(mean(padded.view(), counts.data()).view(),
                     mean(restored(live, map).view(), nullptr).view(), kRounding);
  }
}

TEST(MeanRows, OfMoreFeaturesThanFitTheStackAtOnce) {
  for (const std::size_t dim : {1, 255, 256, 257, 768, 1000}) {
    const OwnedRows rows = test::normalRows(3, dim, 142);
    const OwnedRows result = mean(rows.view(), nullptr);
    for (std::size_t k = 0; k < dim; ++k) {
      const double sum =
          0.0 + rows.view().row(0)[k] + rows.view().row(1)[k] + rows.view().row(2)[k];
      ASSERT_NEAR(result.data[k], sum / 3, kRounding) << "dim " << dim << ", feature " << k;
    }
  }
}

TEST(MeanRows, DoesNotReadARowThatCountsZeroTimes) {
  OwnedRows rows = test::normalRows(3, 24, 143);
  std::fill_n(rows.row(1), 24, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::int32_t> counts{1, 0, 0};
  EXPECT_EQ(mean(rows.view(), counts.data()).data,
            std::vector<float>(rows.row(0), rows.row(0) + 24));
}

TEST(MeanRows, KeepsSmallDifferencesOnALargeOffset) {
  OwnedRows rows(4096, 1, 1e6F);
  rows.row(17)[0] = 1e6F + 512;
  EXPECT_EQ(mean(rows.view(), nullptr).data[0], 1e6F + 0.125F);
}

}  // namespace
}  // namespace mpm::vit
