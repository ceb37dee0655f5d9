// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "merge/cuda/matching.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

constexpr Element kElements[] = {Element::float32, Element::bfloat16};
// Around a warp and a tile.
constexpr std::size_t kCounts[] = {0,  1,  2,   3,   15,  16,  17,  31,   32,
                                   33, 64, 127, 128, 129, 196, 197, 1024, 1025};

// Of rows that lie in a plane many have two best ones.
double clearShare(std::size_t dim) {
  if (dim == 2) return 0.7;
  return dim < 17 ? test::kMostRows : 0.99;
}

class MatchCuda : public test::OnDevice {};

TEST_F(MatchCuda, AgreesWithTheReferenceOnNormalRows) {
  for (const Element element : kElements) {
    for (const std::size_t count : kCounts) {
      for (const std::size_t dim : {2, 3, 17, 64, 129, 192}) {
        if (count > 1000 && dim != (count == 1024 ? 17 : 129)) continue;  // seconds each
        SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << count << " x " << dim
                                        << ", seed " << count + dim);
        test::expectSameWhereClear(
            test::normalRows(count, dim, static_cast<std::uint32_t>(count + dim)), {}, element,
            clearShare(dim));
      }
    }
  }
}

TEST_F(MatchCuda, AgreesWithTheReferenceOnSmoothRows) {
  for (const Element element : kElements) {
    for (const std::size_t count : kCounts) {
      for (const std::size_t dim : {16, 192, 768}) {
        if (count * dim > 160000) continue;
        SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << count << " x " << dim);
        test::expectSameWhereClear(test::smoothRows(count, dim, 5), {}, element);
      }
    }
  }
}

TEST_F(MatchCuda, SumsOfManyFeaturesStayExact) {  // tensor cores cut what they add
  for (const Element element : kElements) {
    for (const std::size_t dim : {1024, 4099}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << dim);
      OwnedRows rows = test::smoothRows(40, dim, 6);
      test::expectSameWhereClear(rows, {}, element, 0.8);
      // All similarities are close to 1: it is they that are compared, few rows are clear.
      for (float& x : rows.data) x = 1 + x / 64;
      test::expectSameWhereClear(rows, {}, element, 0);
    }
  }
}

TEST_F(MatchCuda, TiesTakeTheLowestRow) {
  for (const Element element : kElements) {
    for (const std::size_t count : kCounts) {
      for (const std::size_t dim : {1, 4, 16, 64, 256}) {
        if (count == 1024 || (count > 1000 && dim > 16)) continue;
        SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << count << " x " << dim
                                        << ", seed " << count * dim);
        test::expectSameEverywhere(
            test::signRows(count, dim, static_cast<std::uint32_t>(count * dim)), {}, element);
      }
    }
  }
}

TEST_F(MatchCuda, AllEqualRowsChooseTheFirst) {
  const auto best = test::matchOnDevice(OwnedRows(200, 48, 0.3F));
  EXPECT_EQ(best[0].row, 1);
  for (std::size_t i = 1; i < best.size(); ++i) EXPECT_EQ(best[i].row, 0) << "row " << i;
}

// A row of the second tile that resembles two equal ones, of the first and of the third: with the
// one it is a column, with the other a row.
TEST_F(MatchCuda, EqualRowsTieWhereverTheyStand) {
  constexpr std::size_t kRows = 60, kDim = 1000;
  const OwnedRows some = test::normalRows(kRows, kDim, 16),
                  noise = test::normalRows(kRows, kDim, 17);
  OwnedRows rows(256 + kRows, kDim);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kDim; ++k) {
      const float x = some.view().row(i)[k];
      rows.row(i)[k] = rows.row(256 + i)[k] = x;
      rows.row(128 + i)[k] = x + noise.view().row(i)[k] / 4;
    }
  }
  const auto best = test::matchOnDevice(rows);
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(best[128 + i].row, static_cast<std::int32_t>(i));
  }
}

TEST_F(MatchCuda, NonFiniteRowsMatchNothing) {
  for (const Element element : kElements) {
    OwnedRows rows = test::heldBy(element, test::normalRows(140, 20, 3));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    rows.row(0)[0] = nan;
    rows.row(33)[7] = infinity;
    rows.row(139)[19] = -infinity;
    const auto best = test::matchOnDevice(rows, {}, element);
    test::compareWhereClear(rows, {}, best);
    for (const Match& match : best) {
      EXPECT_TRUE(match.row != 0 && match.row != 33 && match.row != 139);
    }
    std::fill(rows.data.begin(), rows.data.end(), nan);
    for (const Match& match : test::matchOnDevice(rows, {}, element)) {
      EXPECT_EQ(match.row, kNoMatch);
    }
  }
}

TEST_F(MatchCuda, ZeroRowsHaveSimilarityZero) {
  OwnedRows rows(40, 4);  // every row zero but two opposite ones
  rows.row(10)[0] = 1, rows.row(20)[0] = -1;
  const auto best = test::matchOnDevice(rows);
  EXPECT_EQ(best[0].row, 1);
  EXPECT_EQ(best[5].row, 0);
  EXPECT_EQ(best[10].row, 0);  // 0 is more than the -1 of row 20
  EXPECT_EQ(best[10].similarity, 0);
  test::expectSameEverywhere(rows);
}

TEST_F(MatchCuda, MinusZeroIsZero) {  // row 1 is at a right angle to row 0, from the other side
  OwnedRows rows(3, 2);
  rows.row(0)[0] = 1;
  rows.row(1)[0] = -0.0F, rows.row(1)[1] = -1;
  rows.row(2)[1] = 1;
  const auto best = test::matchOnDevice(rows);
  EXPECT_EQ(best[0].row, 1);
  EXPECT_GT(matchKey(-0.0F, 1), matchKey(0.0F, 2));
}

TEST_F(MatchCuda, NegativeSimilaritiesBeatPadding) {
  OwnedRows rows(3, 2);
  rows.row(0)[0] = 1;
  rows.row(1)[0] = -0.5F, rows.row(1)[1] = 0.9F;
  rows.row(2)[0] = -0.5F, rows.row(2)[1] = -0.8F;
  test::expectSameWhereClear(rows, {}, Element::float32, 1);
}

TEST_F(MatchCuda, ScaleDoesNotMatter) {
  for (const Element element : kElements) {
    const OwnedRows rows = test::heldBy(element, test::normalRows(130, 24, 8));
    const auto expected = test::matchOnDevice(rows, {}, element);
    for (const float scale : {1e-36F, 1e30F, 1e38F}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << scale);
      OwnedRows scaled = rows;
      for (float& x : scaled.data) x *= scale / 4;
      scaled = test::heldBy(element, scaled);
      const auto actual = test::matchOnDevice(scaled, {}, element);
      test::compareWhereClear(scaled, {}, actual);
      if (element == Element::bfloat16) continue;  // which rounds again
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i].row, expected[i].row);
    }
  }
}

TEST_F(MatchCuda,
       RowsOfTheSmallestNumbersStillCompare) {  // multiples of 1.4e-45, exact as integers
  OwnedRows rows(20, 16);
  std::uint32_t state = 5;
  for (float& x : rows.data) {
    state = state * 1664525U + 1013904223U;
    x = std::numeric_limits<float>::denorm_min() * static_cast<float>(state >> 28);
  }
  test::expectSameWhereClear(rows, {}, Element::float32, 0.5);
}

TEST_F(MatchCuda, ImagesOfABatchDoNotMeet) {
  for (const Element element : kElements) {
    for (const std::size_t gap : {0, 3}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ", gaps of " << gap);
      std::vector<OwnedRows> images;
      for (const std::size_t count : {130, 0, 1, 260, 2, 77}) {  // special rows are NaN
        images.push_back(test::heldBy(
            element, test::normalRows(count + 2, 21, static_cast<std::uint32_t>(count))));
        std::fill_n(images.back().row(0), 2 * 21, std::numeric_limits<float>::quiet_NaN());
      }
      const test::Batch batch = test::batchOf(images, 2, element, gap);
      const auto matches = test::matchOnDevice(batch);
      for (std::size_t image = 0; image < images.size(); ++image) {
        test::compareWhereClear(batch.image(image), {}, matches[image], 0.95);
      }
    }
  }
}

}  // namespace
}  // namespace mpm::merge
