// SPDX-License-Identifier: Apache-2.0
#include "merge/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "merge/matching.h"
#include "processor/pool.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

constexpr std::size_t kCounts[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 196, 197, 1024, 1025};

// Of rows that lie in a plane many have two best ones.
double clearShare(std::size_t dim) {
  if (dim == 2) return 0.8;
  return dim < 17 ? test::kMostRows : 0.99;
}

TEST(Match, AgreesWithTheReferenceOnNormalRows) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t dim : {2, 3, 17, 64, 129, 192}) {
      SCOPED_TRACE(testing::Message() << count << " x " << dim << ", seed " << count + dim);
      test::expectSameWhereClear(
          test::normalRows(count, dim, static_cast<std::uint32_t>(count + dim)), {},
          clearShare(dim));
    }
  }
}

TEST(Match, AgreesWithTheReferenceOnSmoothRows) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t dim : {16, 192, 768}) {
      if (count * dim > 200000) continue;
      SCOPED_TRACE(testing::Message() << count << " x " << dim);
      test::expectSameWhereClear(test::smoothRows(count, dim, 5));
    }
  }
}

TEST(Match, AgreesWithTheReferenceOn4096Rows) {
  test::expectSameWhereClear(test::normalRows(4096, 48, 4096));
}

TEST(Match, AgreesWithTheReferenceAcrossPackedSections) {  // 26 MiB of rows: two sections
  test::expectSameWhereClear(test::normalRows(208, 33000, 9));
}

TEST(Match, TiesTakeTheLowestRow) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t dim : {1, 4, 16, 64, 256}) {
      SCOPED_TRACE(testing::Message() << count << " x " << dim << ", seed " << count * dim);
      test::expectSameEverywhere(
          test::signRows(count, dim, static_cast<std::uint32_t>(count * dim)));
    }
  }
}

TEST(Match, AllEqualRowsChooseTheFirst) {
  const auto best = test::matchOnCpu(OwnedRows(100, 48, 0.3F).view(), {});
  EXPECT_EQ(best[0].row, 1);
  for (std::size_t i = 1; i < best.size(); ++i) EXPECT_EQ(best[i].row, 0) << "row " << i;
}

TEST(Match, NonFiniteRowsMatchNothing) {
  OwnedRows rows = test::normalRows(70, 20, 3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  rows.row(0)[0] = nan;  // the first row, which padding reads
  rows.row(33)[7] = infinity;
  rows.row(69)[19] = -infinity;
  test::expectSameWhereClear(rows);
  for (const Match& match : test::matchOnCpu(rows.view(), {})) {
    EXPECT_TRUE(match.row != 0 && match.row != 33 && match.row != 69);
  }
  std::fill(rows.data.begin(), rows.data.end(), nan);
  for (const Match& match : test::matchOnCpu(rows.view(), {})) EXPECT_EQ(match.row, kNoMatch);
}

TEST(Match, ZeroRowsHaveSimilarityZero) {
  OwnedRows rows(40, 4);  // every row zero but two opposite ones
  rows.row(10)[0] = 1, rows.row(20)[0] = -1;
  const auto best = test::matchOnCpu(rows.view(), {});
  EXPECT_EQ(best[0].row, 1);
  EXPECT_EQ(best[5].row, 0);
  EXPECT_EQ(best[10].row, 0);  // 0 is more than the -1 of row 20
  EXPECT_EQ(best[10].similarity, 0);
  test::expectSameEverywhere(rows);
}

TEST(Match, NegativeSimilaritiesBeatPadding) {  // three rows far from each other, 29 empty slots
  OwnedRows rows(3, 2);
  rows.row(0)[0] = 1;
  rows.row(1)[0] = -0.5F, rows.row(1)[1] = 0.9F;
  rows.row(2)[0] = -0.5F, rows.row(2)[1] = -0.8F;
  test::expectSameWhereClear(rows, {}, 1);
}

TEST(Match, ScaleDoesNotMatter) {
  const OwnedRows rows = test::normalRows(130, 24, 8);
  const auto expected = test::matchOnCpu(rows.view(), {});
  for (const float scale : {1e-36F, 1e30F}) {
    OwnedRows scaled = rows;
    for (float& x : scaled.data) x *= scale;
    test::expectSameWhereClear(scaled);
    const auto actual = test::matchOnCpu(scaled.view(), {});
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i].row, expected[i].row);
  }
}

TEST(Match, DoesNotDependOnTheNumberOfThreads) {
  const OwnedRows rows = test::smoothRows(600, 100, 2);
  processor::setThreadCount(1);
  const auto expected = test::matchOnCpu(rows.view(), {});
  for (const int count : {2, 3, 4, 7}) {
    processor::setThreadCount(count);
    const auto actual = test::matchOnCpu(rows.view(), {});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(actual[i].row, expected[i].row) << count << " threads, row " << i;
      ASSERT_EQ(actual[i].similarity, expected[i].similarity) << count << " threads, row " << i;
    }
  }
  processor::setThreadCount(0);
}

TEST(Match, ReadsRowsByTheirStride) {
  OwnedRows wide = test::normalRows(50, 30, 6);
  OwnedRows narrow(50, 21);
  for (std::size_t i = 0; i < 50; ++i) std::copy_n(wide.row(i), 21, narrow.row(i));
  const auto expected = test::matchOnCpu(narrow.view(), {});
  const auto actual = test::matchOnCpu({wide.data.data(), 50, 21, 30}, {});
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(actual[i].row, expected[i].row);
}

}  // namespace
}  // namespace mpm::merge
