// SPDX-License-Identifier: Apache-2.0
#include "vit/upsample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "processor/pool.h"
#include "random_rows.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using Floats = std::vector<float>;
using Indices = std::vector<std::int32_t>;

// Two steps in float32, of the largest value: each a difference, a product and a sum.
constexpr double kTwoSteps = 1e-6;

Taps tapsOf(std::size_t in, std::size_t out, Places places = Places::halfPixel, float scale = 0) {
  Taps taps;
  taps.assign(places, in, out, scale);
  return taps;
}

void expectTaps(const Taps& taps, const Indices& first, const Indices& second,
                const Floats& weight) {
  EXPECT_EQ(taps.first, first);
  EXPECT_EQ(taps.second, second);
  EXPECT_EQ(taps.weight, weight);
}

TEST(UpsampleTaps, ByHand) {
  expectTaps(tapsOf(2, 4), {0, 0, 0, 1}, {1, 1, 1, 1}, {0, 0.25F, 0.75F, 0});
  expectTaps(tapsOf(4, 2), {0, 2}, {1, 3}, {0.5F, 0.5F});
  expectTaps(tapsOf(3, 1), {1}, {2}, {0});
  expectTaps(tapsOf(3, 1, Places::pytorchHalfPixel), {0}, {1}, {0});
  expectTaps(tapsOf(4, 2, Places::pytorchHalfPixel), {0, 2}, {1, 3}, {0.5F, 0.5F});
  expectTaps(tapsOf(2, 3, Places::alignCorners), {0, 0, 1}, {1, 1, 1}, {0, 0.5F, 0});
  expectTaps(tapsOf(3, 1, Places::alignCorners), {0}, {1}, {0});
  expectTaps(tapsOf(2, 4, Places::asymmetric), {0, 0, 1, 1}, {1, 1, 1, 1}, {0, 0.5F, 0, 0});
  expectTaps(tapsOf(1, 3), {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
}

// 3 times 1.5 is 4 places, which lie as if they were 4.5.
TEST(UpsampleTaps, OfAScaleThatIsRoundedDown) {
  const Taps taps = tapsOf(3, 4, Places::asymmetric, 1.5F);
  expectTaps(taps, {0, 0, 1, 2}, {1, 1, 2, 2}, {0, 1 / 1.5F, 2 / 1.5F - 1, 0});
}

struct Sizes {
  std::size_t channels, inRows, inColumns, outRows, outColumns;
};

std::vector<Sizes> manySizes() {
  std::vector<Sizes> sizes = {{2, 32, 32, 512, 512}, {1, 31, 17, 480, 640}, {3, 7, 7, 5, 5},
                              {5, 480, 3, 31, 1},    {2, 1, 40, 9, 40},     {70, 3, 2, 33, 35}};
  for (const std::size_t in : {1, 2, 3, 15, 16, 17}) {
    for (const std::size_t out : {1, 2, 3, 15, 16, 17, 33}) {
      sizes.push_back({3, in, out, out, in});
      sizes.push_back({3, out, in, in, out});
      sizes.push_back({1, in, in, out, out});
    }
  }
  return sizes;
}

struct UpsampleCase {
  UpsampleCase(const Sizes& sizes, Places places, std::uint32_t seed)
      : channels(sizes.channels),
        rows(tapsOf(sizes.inRows, sizes.outRows, places)),
        columns(tapsOf(sizes.inColumns, sizes.outColumns, places)),
        planes(test::normalRows(channels * sizes.inRows, sizes.inColumns, seed).data),
        scores(planes.size()) {
    const std::size_t count = sizes.inRows * sizes.inColumns;
    for (std::size_t i = 0; i < planes.size(); ++i) {
      scores[i % count * channels + i / count] = planes[i];
    }
  }

  UpsampleSource source(bool isRows) const {
    return {(isRows ? scores : planes).data(), channels, isRows};
  }
  std::size_t outCount() const { return channels * rows.out() * columns.out(); }
  Floats reference(bool isRows = false) const {
    Floats out(outCount());
    upsampleReference(source(isRows), rows, columns, out.data());
    return out;
  }
  Floats cpu(bool isRows = false) const {
    Floats out(outCount());
    upsampleCpu(source(isRows), rows, columns, out.data());
    return out;
  }

  std::size_t channels;
  Taps rows, columns;
  Floats planes, scores;
};

TEST(Upsample, TheReferenceByHand) {
  const Floats planes{0, 1, 2, 3, 0, 10, 20, 30};
  const Taps taps = tapsOf(2, 4), columns = tapsOf(2, 2);
  Floats out(2 * 4 * 2);
  upsampleReference({planes.data(), 2, false}, taps, columns, out.data());
  EXPECT_EQ(out, (Floats{0, 1, 0.5F, 1.5F, 1.5F, 2.5F, 2, 3, 0, 10, 5, 15, 15, 25, 20, 30}));
  const Floats rows{0, 0, 1, 10, 2, 20, 3, 30};
  Floats fromRows(out.size());
  upsampleReference({rows.data(), 2, true}, taps, columns, fromRows.data());
  EXPECT_EQ(fromRows, out);
  Floats both(16);
  upsampleReference({planes.data(), 1, false}, taps, taps, both.data());
  EXPECT_EQ(both, (Floats{0, 0.25F, 0.75F, 1, 0.5F, 0.75F, 1.25F, 1.5F, 1.5F, 1.75F, 2.25F, 2.5F, 2,
                          2.25F, 2.75F, 3}));
}

TEST(Upsample, IsTheReference) {
  for (const Sizes& sizes : manySizes()) {
    for (const Places places :
         {Places::halfPixel, Places::pytorchHalfPixel, Places::alignCorners, Places::asymmetric}) {
      const std::uint32_t seed = 151;
      SCOPED_TRACE(testing::Message()
                   << sizes.channels << " x " << sizes.inRows << " x " << sizes.inColumns << " to "
                   << sizes.outRows << " x " << sizes.outColumns << ", places "
                   << static_cast<int>(places) << ", seed " << seed);
      const UpsampleCase each(sizes, places, seed);
      const Floats expected = each.reference(), is = each.cpu();
      ASSERT_EQ(each.reference(true), expected);
      ASSERT_EQ(each.cpu(true), is);
      float largest = 1;
      for (const float value : expected) largest = std::max(largest, std::abs(value));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(is[i], expected[i], kTwoSteps * largest) << i;
      }
    }
  }
}

TEST(Upsample, TheSameSizeIsTheSameToTheBit) {
  const UpsampleCase same({3, 17, 19, 17, 19}, Places::halfPixel, 152);
  EXPECT_EQ(same.cpu(), same.planes);
  EXPECT_EQ(same.cpu(true), same.planes);
}

TEST(Upsample, OneValueStaysIt) {
  UpsampleCase flat({2, 5, 7, 48, 50}, Places::halfPixel, 153);
  std::fill(flat.planes.begin(), flat.planes.end(), 0.1F);
  EXPECT_EQ(flat.cpu(), Floats(flat.outCount(), 0.1F));
}

TEST(Upsample, ReadsNoPlaceThatNoTapNames) {
  UpsampleCase each({2, 9, 12, 3, 4}, Places::asymmetric,
                    154);  // every third place; its neighbour too
  for (std::size_t i = 0; i < each.planes.size(); ++i) {
    if (i / 12 % 9 % 3 == 2 || i % 12 % 3 == 2) {
      each.planes[i] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  for (const float value : each.cpu()) ASSERT_FALSE(std::isnan(value));
}

TEST(Upsample, WhereMemoryBeginsDoesNotMatter) {
  // The second is larger than caches are.
  for (const Sizes& sizes : {Sizes{3, 5, 7, 21, 37}, Sizes{33, 16, 16, 509, 511}}) {
    const UpsampleCase each(sizes, Places::halfPixel, 155);
    const Floats expected = each.cpu();
    for (const std::size_t offset : {1, 3, 16}) {
      Floats out(expected.size() + 32, -77);
      upsampleCpu(each.source(false), each.rows, each.columns, out.data() + offset);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + offset)) << offset;
      EXPECT_TRUE(std::all_of(out.begin(), out.begin() + offset, [](float x) { return x == -77; }));
      EXPECT_TRUE(std::all_of(out.begin() + offset + expected.size(), out.end(),
                              [](float x) { return x == -77; }));
    }
  }
}

TEST(Upsample, MorePlanesThanCachesHoldAreEachAsAlone) {
  const UpsampleCase many({40, 32, 32, 512, 512}, Places::halfPixel, 156);
  const Floats all = many.cpu();
  for (const std::size_t channel : {0, 1, 17, 39}) {
    Floats alone(512 * 512);
    upsampleCpu({many.planes.data() + channel * 32 * 32, 1, false}, many.rows, many.columns,
                alone.data());
    ASSERT_TRUE(std::equal(alone.begin(), alone.end(), all.begin() + channel * alone.size()))
        << channel;
  }
}

TEST(Upsample, IsTheSameToTheBitOnAnyNumberOfThreads) {
  for (const Sizes& sizes : {Sizes{5, 7, 9, 300, 257}, Sizes{40, 16, 16, 509, 512}}) {
    const UpsampleCase each(sizes, Places::halfPixel, 157);
    processor::setThreadCount(1);
    const Floats alone = each.cpu(true);
    for (const int count : {2, 3, 5}) {
      processor::setThreadCount(count);
      EXPECT_EQ(each.cpu(true), alone) << count << " threads";
    }
    processor::setThreadCount(0);
  }
}

}  // namespace
}  // namespace mpm::vit
