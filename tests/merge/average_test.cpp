// SPDX-License-Identifier: Apache-2.0
#include "merge/average.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_rows.h"
#include "tolerances.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

TEST(Average, AgreesWithTheReference) {
  for (const std::size_t dim : {1, 3, 4, 15, 16, 17, 64, 193}) {
    SCOPED_TRACE(dim);
    const OwnedRows rows = test::normalRows(200, dim, 11);
    std::vector<Cluster> clusters;
    for (std::int32_t i = 0; i < 150; ++i) clusters.push_back({i, i % 3 == 0 ? kAlone : 199 - i});
    OwnedRows expected(150, dim), actual(150, dim);
    averageReference(rows.view(), clusters.data(), 150, expected.view());
    averageCpu(rows.view(), clusters.data(), 150, actual.view());
    for (std::size_t i = 0; i < expected.data.size(); ++i) {
      EXPECT_NEAR(actual.data[i], expected.data[i], test::kMergedRow * 4);
    }
  }
}

TEST(Average, ALoneRowIsCopiedToTheBit) {
  OwnedRows rows(1, 19, std::numeric_limits<float>::denorm_min());
  rows.row(0)[3] = std::numeric_limits<float>::quiet_NaN();
  const Cluster alone{0, kAlone};
  for (const auto average : {averageReference, averageCpu}) {
    OwnedRows merged(1, 19);
    average(rows.view(), &alone, 1, merged.view());
    EXPECT_TRUE(std::isnan(merged.data[3]));
    EXPECT_EQ(merged.data[18], rows.data[18]);
  }
}

TEST(Average, LargeRowsDoNotOverflow) {
  const OwnedRows rows(2, 21, 3e38F);
  const Cluster pair{0, 1};
  for (const auto average : {averageReference, averageCpu}) {
    OwnedRows merged(1, 21);
    average(rows.view(), &pair, 1, merged.view());
    for (const float x : merged.data) EXPECT_EQ(x, 3e38F);
  }
}

}  // namespace
}  // namespace mpm::merge
