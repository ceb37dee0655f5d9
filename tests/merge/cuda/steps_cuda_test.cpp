// SPDX-License-Identifier: Apache-2.0
// What the steps of a device add to those of one image: batches, special rows, maps and layouts.
#include "merge/steps_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "merge/cuda/on_device.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;
using Ints = std::vector<std::int32_t>;

constexpr Element kElements[] = {Element::float32, Element::bfloat16};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class StepsCuda : public test::OnDevice {};

TEST_F(StepsCuda, SumsOfManyFeaturesStayExact) {  // tensor cores cut what they add
  for (const test::Implementation& each : test::implementations()) {
    for (const std::size_t dim : {1024, 4099}) {
      SCOPED_TRACE(testing::Message() << each.name << ' ' << dim);
      OwnedRows rows = each.hold(test::smoothRows(40, dim, 6));
      test::expectSameWhereClear(each, rows.view(), {}, each.match(rows, {}), 0.8);
      // All similarities are close to 1: it is they that are compared, few rows are clear.
      for (float& x : rows.data) x = 1 + x / 64;
      rows = each.hold(rows);
      test::expectSameWhereClear(each, rows.view(), {}, each.match(rows, {}), 0);
    }
  }
}

// A row of the second tile that resembles two equal ones, of the first and of the third: with the
// one it is a column, with the other a row.
TEST_F(StepsCuda, EqualRowsTieWhereverTheyStand) {
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
  const auto best = test::implementations()[0].match(rows, {});
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(best[128 + i].row, static_cast<std::int32_t>(i));
  }
}

TEST(MatchKey, OfMinusZeroIsThatOfZero) { EXPECT_GT(matchKey(-0.0F, 1), matchKey(0.0F, 2)); }

TEST_F(StepsCuda, ImagesOfABatchDoNotMeet) {
  for (const Element element : kElements) {
    for (const std::size_t gap : {0, 3}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ", gaps of " << gap);
      std::vector<OwnedRows> images;
      for (const std::size_t count : {130, 0, 1, 260, 2, 77}) {  // special rows are NaN
        images.push_back(test::heldBy(
            element, test::normalRows(count + 2, 21, static_cast<std::uint32_t>(count))));
        std::fill_n(images.back().row(0), 2 * 21, kNan);
      }
      const test::Batch batch = test::batchOf(images, 2, element, gap);
      const auto matches = test::matchOnDevice(batch);
      for (std::size_t image = 0; image < images.size(); ++image) {
        test::expectSameWhereClear(test::implementations()[0], batch.image(image).view(), {},
                                   matches[image], 0.95);
      }
    }
  }
}

TEST_F(StepsCuda, NormsOfSpecialRowsAndPlacesBehindAnImageAreLeftAlone) {
  const auto inverse = test::inversesOnDevice(
      test::batchOf({OwnedRows(3, 4, 1), OwnedRows(5, 4, 2), OwnedRows(1, 4, 3)}, 2));
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const bool first = i == 0, second = i >= 5 && i < 8;
    if (first || second) {
      EXPECT_NEAR(inverse[i], first ? 0.5 : 0.25, test::kInverseNorm) << "place " << i;
    } else {
      EXPECT_TRUE(std::isnan(inverse[i])) << "place " << i;
    }
  }
}

TEST_F(StepsCuda, HalvesOfBfloat16AreRoundedToEven) {
  OwnedRows rows(2, 4);  // 8 bits: 1 + 2^-7 is the number behind 1
  const float next = 1 + 1.0F / 128, second = 1 + 2.0F / 128, third = 1 + 3.0F / 128;
  rows.data = {1, next, next, 1, next, second, third, 3e38F};
  const test::Batch batch = test::batchOf({rows}, 0, Element::bfloat16);
  const auto mean = test::decoded(batch.sizes, test::averageOnDevice(batch, {{0, 1}}, 1), 0, 1);
  EXPECT_EQ(mean.data,
            (std::vector<float>{1, second, second, test::fromBf16(test::toBf16(1.5e38F))}));
}

TEST_F(StepsCuda, WhatIsNotLiveOfTheMeansIsZero) {
  for (const Element element : kElements) {
    for (const std::size_t dim : {16, 19}) {
      const test::Batch batch = test::batchOf({test::normalRows(3, dim, 14)}, 0, element);
      test::Bytes expected = batch.data;
      expected.erase(expected.begin(),
                     expected.begin() + static_cast<std::ptrdiff_t>(batch.rowBytes()));
      expected.resize(9 * batch.rowBytes(), 0);
      EXPECT_EQ(test::averageOnDevice(batch, {{1, kAlone}, {2, kAlone}}, 9), expected);
    }
  }
}

// Two images of 7 original tokens, of which 4 and 2 rows are left behind 2 special ones.
test::Batch liveBatch(std::size_t dim, Element element = Element::float32) {
  test::Batch batch =
      test::batchOf({test::normalRows(6, dim, 31), test::normalRows(4, dim, 32)}, 2, element, 3);
  batch.sizes.originals = 7;
  return batch;
}
const Ints kMap = {0, 1, 0, 2, 3, 3, 3, 0, 1, 1, 1, 0, 0, 1};

TEST_F(StepsCuda, MapsNameLowestMembersComposeAndCount) {
  const test::Batch batch = liveBatch(4);
  const test::DeviceBatch live(batch);
  const test::DeviceArray<std::int32_t> map(kMap), lowest(12), counts(20), few(5);
  test::expectSuccess(
      lowestMembersCuda(batch.sizes, live.rows(), map.data(), lowest.data(), nullptr));
  const Ints values = lowest.values();
  EXPECT_EQ(Ints(values.begin(), values.begin() + 4), (Ints{0, 1, 3, 4}));
  EXPECT_EQ(Ints(values.begin() + 6, values.begin() + 8), (Ints{0, 1}));
  EXPECT_GT(values[4], 7);  // no row

  test::expectSuccess(
      multiplicitiesCuda(batch.sizes, live.rows(), map.data(), counts.data(), 20, nullptr));
  EXPECT_EQ(counts.values(), (Ints{1, 1, 2, 1, 1, 3, 0, 0, 0, 1, 1, 3, 4, 0, 0, 0, 0, 0, 0, 0}));
  test::expectSuccess(
      multiplicitiesCuda(batch.sizes, live.rows(), map.data(), few.data(), 5, nullptr));
  EXPECT_EQ(few.values(), (Ints{1, 1, 2, 1, 1}));

  Ints entries = kMap;
  entries[2] = 4, entries[9] = 2, entries[13] = -1;  // at no row of their images
  const test::DeviceArray<std::int32_t> outside(entries),
      clusterOf(Ints{5, 6, 7, 8, 0, 0, 9, 10, 0, 0, 0, 0});
  MergeCuda call;
  call.sizes = batch.sizes;
  call.tokens = live.rows();
  call.map = outside.data();
  call.mergedMap = outside.data();
  test::expectSuccess(composeMapCuda(call, clusterOf.data(), nullptr));
  EXPECT_EQ(outside.values(), (Ints{5, 6, 4, 7, 8, 8, 8, 9, 10, 2, 10, 9, 9, -1}));
}

TEST_F(StepsCuda, RestoresEveryOriginalOfABatch) {
  for (const Element element : kElements) {
    for (const std::size_t dim : {1, 3, 4, 8, 33, 264}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << dim);
      const test::Batch batch = liveBatch(dim, element);
      const test::Bytes full = test::restoreOnDevice(batch, kMap);
      for (std::size_t image = 0; image < 2; ++image) {
        OwnedRows expected(7, dim);
        restoreReference(batch.image(image).view(), kMap.data() + 7 * image, expected.view());
        EXPECT_EQ(test::decoded(batch.sizes, full, image * 9 + 2, 7).data, expected.data);
        const auto first = static_cast<std::size_t>(batch.first[image]);
        EXPECT_EQ(test::decoded(batch.sizes, full, image * 9, 2).data,
                  test::decoded(batch.sizes, batch.data, first, 2).data);
      }
    }
  }
  const test::Batch unmerged =
      test::batchOf({test::normalRows(9, 5, 33), test::normalRows(9, 5, 34)});
  EXPECT_EQ(test::restoreOnDevice(unmerged, {}), unmerged.data);
  for (const std::int32_t outside : {4, -1, std::numeric_limits<std::int32_t>::max()}) {
    Ints entries = kMap;
    entries[1] = outside;
    const test::Batch batch = liveBatch(5);
    EXPECT_EQ(test::decoded(batch.sizes, test::restoreOnDevice(batch, entries), 3, 1).data,
              std::vector<float>(5, 0));
  }
}

// Some rows choose each other, near and far; some choose others or none.
Ints someChoices(std::size_t rows, std::mt19937& random) {
  Ints best(rows, -1);
  const auto any = [&] { return static_cast<std::int32_t>(random() % rows); };
  for (std::size_t i = 0; i < rows; ++i) {
    if (random() % 8 != 0) best[i] = any();
    if (best[i] == static_cast<std::int32_t>(i)) best[i] = -1;
  }
  for (std::size_t i = 0; i < rows / 2; ++i) {
    const std::int32_t a = any(), b = random() % 2 == 0 ? (a + 1) % static_cast<int>(rows) : any();
    if (a == b) continue;
    best[static_cast<std::size_t>(a)] = b;
    best[static_cast<std::size_t>(b)] = a;
  }
  return best;
}

TEST_F(StepsCuda, PairsAreTheReferences) {
  std::mt19937 random(21);
  constexpr int kSpecial = 2;
  std::vector<Ints> images;  // around a warp, and around the rows that are numbered at a time
  for (const std::size_t rows : {0, 1, 2, 31, 32, 33, 197, 1023, 1024, 1025, 3000}) {
    images.push_back(someChoices(rows, random));
  }
  test::Batch batch;
  batch.sizes.batch = static_cast<int>(images.size());
  batch.sizes.special = kSpecial;
  batch.sizes.mostRows = 3000 + kSpecial;
  const auto most = static_cast<std::size_t>(batch.sizes.mostRows);
  std::vector<MatchKey> keys(images.size() * most);
  for (std::size_t b = 0; b < images.size(); ++b) {
    batch.first.push_back(0);  // pairing does not look at rows
    batch.count.push_back(static_cast<std::int32_t>(images[b].size()) + kSpecial);
    for (std::size_t i = 0; i < images[b].size(); ++i) {
      keys[b * most + i] = images[b][i] < 0 ? 0 : matchKey(0.5F, images[b][i]);
    }
  }
  const test::DeviceBatch tokens(batch);
  const test::DeviceArray<MatchKey> best(keys);
  const test::DeviceArray<std::int32_t> clusterOf(keys.size()), count(images.size());
  const test::DeviceArray<Cluster> clusters(keys.size());
  test::expectSuccess(pairCuda(batch.sizes, tokens.rows(), best.data(), clusterOf.data(),
                               clusters.data(), count.data(), nullptr));
  const auto actualOf = clusterOf.values();
  const auto actual = clusters.values();
  for (std::size_t b = 0; b < images.size(); ++b) {
    SCOPED_TRACE(testing::Message() << images[b].size() << " rows");
    const std::size_t rows = images[b].size();
    Ints partner(rows), expectedOf(rows);
    std::vector<Cluster> expected(rows);
    pairMutual(images[b].data(), rows, partner.data());
    const std::size_t found = compact(partner.data(), rows, expectedOf.data(), expected.data());
    EXPECT_EQ(count.values()[b], static_cast<std::int32_t>(found) + kSpecial);
    for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(actualOf[b * most + i], expectedOf[i]);
    for (std::size_t c = 0; c < found; ++c) {
      ASSERT_EQ(actual[b * most + c].first, expected[c].first);
      ASSERT_EQ(actual[b * most + c].second, expected[c].second);
    }
  }
}

struct LayoutCase {
  const char* what;
  Ints counts, tokensFirst;
  bool packed;
  int capacity;
  Ints first, fitting;
};

TEST_F(StepsCuda, ImagesAreLaidOut) {
  std::mt19937 random(22);
  LayoutCase many{
      "more than are numbered at a time", Ints(2500), Ints(2500), true, 1 << 20, {0}, {}};
  for (std::int32_t& count : many.counts) {
    count = static_cast<std::int32_t>(random() % 50);
    many.first.push_back(many.first.back() + count);
  }
  many.fitting = many.counts;
  for (const LayoutCase& each :
       {LayoutCase{
            "packed", {4, 0, 7, 1}, {0, 10, 10, 30}, true, 40, {0, 4, 4, 11, 12}, {4, 0, 7, 1}},
        {"where they began",
         {4, 0, 7, 1},
         {2, 10, 10, 30},
         false,
         40,
         {2, 10, 10, 30, 12},
         {4, 0, 7, 1}},
        {"packed, cut", {4, 0, 7, 1}, {0, 10, 10, 30}, true, 9, {0, 4, 4, 9, 12}, {4, 0, 5, 0}},
        {"where they began, cut", {4, 7, 1}, {0, 5, 30}, false, 9, {0, 5, 9, 12}, {4, 4, 0}},
        {"none", {}, {}, true, 5, {0}, {}},
        many}) {
    SCOPED_TRACE(each.what);
    const test::DeviceArray<std::int32_t> first(each.counts.size() + 1), count(each.counts),
        tokens(each.tokensFirst);
    MergeCuda call;
    call.sizes.batch = static_cast<int>(each.counts.size());
    call.tokens.first = tokens.data();
    call.packed = each.packed;
    call.capacity = each.capacity;
    call.mergedFirst = first.data();
    call.mergedCount = count.data();
    test::expectSuccess(layOutCuda(call, nullptr));
    EXPECT_EQ(first.values(), each.first);
    EXPECT_EQ(count.values(), each.fitting);
  }
}

}  // namespace
}  // namespace mpm::merge
