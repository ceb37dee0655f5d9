// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "merge/cuda/batch.h"
#include "merge/steps.h"
#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

using Ints = std::vector<std::int32_t>;

class PairCuda : public test::OnDevice {};

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

TEST_F(PairCuda, AgreesWithTheReference) {
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

// What layOutCuda makes of images with `counts` rows.
std::pair<Ints, Ints> laidOut(const Ints& counts, const Ints& tokensFirst, bool packed,
                              int capacity) {
  const test::DeviceArray<std::int32_t> first(counts.size() + 1), count(counts),
      tokens(tokensFirst);
  MergeCuda call;
  call.sizes.batch = static_cast<int>(counts.size());
  call.tokens.first = tokens.data();
  call.packed = packed;
  call.capacity = capacity;
  call.mergedFirst = first.data();
  call.mergedCount = count.data();
  test::expectSuccess(layOutCuda(call, nullptr));
  return {first.values(), count.values()};
}

TEST_F(PairCuda, ImagesAreLaidOutOneBehindTheOther) {
  const auto [first, count] = laidOut({4, 0, 7, 1}, {0, 10, 10, 30}, true, 40);
  EXPECT_EQ(first, (Ints{0, 4, 4, 11, 12}));
  EXPECT_EQ(count, (Ints{4, 0, 7, 1}));
}

TEST_F(PairCuda, ImagesStayWhereTheyBegan) {
  const auto [first, count] = laidOut({4, 0, 7, 1}, {2, 10, 10, 30}, false, 40);
  EXPECT_EQ(first, (Ints{2, 10, 10, 30, 12}));
  EXPECT_EQ(count, (Ints{4, 0, 7, 1}));
}

TEST_F(PairCuda, WhatDoesNotFitIsLeftOut) {
  const auto [first, count] = laidOut({4, 0, 7, 1}, {0, 10, 10, 30}, true, 9);
  EXPECT_EQ(first, (Ints{0, 4, 4, 9, 12}));  // the last one tells
  EXPECT_EQ(count, (Ints{4, 0, 5, 0}));
  const auto [stayedFirst, stayedCount] = laidOut({4, 7, 1}, {0, 5, 30}, false, 9);
  EXPECT_EQ(stayedFirst, (Ints{0, 5, 9, 12}));
  EXPECT_EQ(stayedCount, (Ints{4, 4, 0}));
}

TEST_F(PairCuda, ManyImagesAreLaidOut) {  // more than are numbered at a time
  std::mt19937 random(22);
  Ints counts(2500), expected{0};
  for (std::int32_t& count : counts) {
    count = static_cast<std::int32_t>(random() % 50);
    expected.push_back(expected.back() + count);
  }
  const auto [first, count] = laidOut(counts, Ints(2500), true, 1 << 20);
  EXPECT_EQ(first, expected);
  EXPECT_EQ(count, counts);
}

TEST_F(PairCuda, ABatchOfNoImagesHasNoRows) { EXPECT_EQ(laidOut({}, {}, true, 5).first, Ints{0}); }

}  // namespace
}  // namespace mpm::merge
