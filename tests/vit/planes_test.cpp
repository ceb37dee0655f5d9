// SPDX-License-Identifier: Apache-2.0
// Convolutions and bilinear upsampling of planes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "processor/pool.h"
#include "random_rows.h"
#include "vit/convolve.h"
#include "vit/references.h"
#include "vit/upsample.h"

namespace mpm::vit {
namespace {

using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct ConvolveSizes {
  std::size_t channels, height, width, outputs;
  Reach rows, columns;
  std::size_t bottom = 0, right = 0;  // padding behind the last place
};

std::size_t placesOf(const Reach& reach, std::size_t length, std::size_t behind) {
  const std::size_t span = (reach.taps - 1) * reach.dilation + 1;
  return (length + reach.padding + behind - span) / reach.stride + 1;
}

struct ConvolveCase {
  ConvolveCase(const ConvolveSizes& sizes, std::uint32_t seed)
      : filters(test::normalRows(sizes.outputs,
                                 sizes.channels * sizes.rows.taps * sizes.columns.taps, seed)),
        bias(test::normalRows(1, sizes.outputs, seed + 1)),
        planes(test::normalRows(sizes.channels, sizes.height * sizes.width, seed + 2)),
        source{planes.data.data(), sizes.channels, sizes.height, sizes.width},
        weights{{filters.view(), bias.row(0)}, sizes.rows, sizes.columns},
        height(placesOf(sizes.rows, sizes.height, sizes.bottom)),
        width(placesOf(sizes.columns, sizes.width, sizes.right)) {}

  Floats reference() const {
    Floats out(filters.count * height * width);
    convolveReference(source, weights, height, width, out.data());
    return out;
  }
  Floats cpu(Activation activation = Activation::none) const {
    Floats out(filters.count * height * width, kNan);
    convolveCpu(source, PackedConvolve(weights), activation, height, width, out.data());
    return out;
  }
  bool isTiled() const { return PackedConvolve(weights).isTiled; }

  test::OwnedRows filters, bias, planes;
  Image source;
  ConvolveWeights weights;
  std::size_t height, width;
};

// Widths around those of vectors, panels and tasks; sums of several parts; stretches of one place.
std::vector<ConvolveSizes> plainSizes() {
  std::vector<ConvolveSizes> sizes = {
      {64, 37, 37, 12, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1},
      {40, 20, 130, 21, {3, 1, 2, 2}, {3, 1, 2, 2}, 2, 2},
      {300, 9, 11, 5, {1, 1, 1, 0}, {1, 1, 1, 0}},
      {3, 70, 1, 17, {3, 1, 1, 1}, {1, 1, 1, 0}, 1, 0},
      {5, 33, 47, 12, {3, 2, 1, 1}, {3, 2, 1, 1}, 1, 1},
      {5, 33, 47, 12, {5, 3, 2, 4}, {2, 2, 5, 0}, 0, 6},
      {4, 12, 12, 9, {3, 1, 12, 12}, {3, 1, 12, 12}, 12, 12},
      {2, 3, 4, 3, {7, 1, 1, 6}, {7, 4, 1, 6}, 6, 9},
      {1, 1, 1, 1, {1, 1, 1, 0}, {1, 1, 1, 0}},
  };
  for (const std::size_t width : {1, 7, 8, 15, 16, 17, 63, 64, 65, 129}) {
    sizes.push_back({2, 3, width, 7, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1});
  }
  return sizes;
}

// The same of those that are computed in tiles; filters of 130 outputs are many.
std::vector<ConvolveSizes> tiledSizes() {
  const Reach taps = {3, 1, 1, 1}, bare = {3, 1, 1, 0}, wide = {3, 1, 1, 2};
  std::vector<ConvolveSizes> sizes = {
      {64, 37, 37, 64, taps, taps, 1, 1}, {40, 20, 130, 21, taps, taps, 1, 1},
      {16, 9, 11, 16, wide, bare, 0, 2},  {17, 70, 3, 33, bare, taps, 5, 1},
      {20, 1, 1, 16, taps, taps, 1, 1},   {64, 45, 50, 130, taps, taps, 1, 1},
  };
  for (const std::size_t width : {3, 4, 5, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 259}) {
    sizes.push_back({16, 6, width, 18, taps, taps, 1, 1});
  }
  return sizes;
}

void expectReference(const ConvolveSizes& sizes, std::uint32_t seed, bool isTiled) {
  SCOPED_TRACE(testing::Message() << sizes.channels << " x " << sizes.height << " x " << sizes.width
                                  << ", outputs " << sizes.outputs << ", taps " << sizes.rows.taps
                                  << " x " << sizes.columns.taps << ", seed " << seed);
  const ConvolveCase each(sizes, seed);
  ASSERT_EQ(each.isTiled(), isTiled);
  const Floats expected = each.reference(), is = each.cpu();
  // Sums of K products of a deviation of 1 grow to the root of K, and are rounded K times. In tiles
  // small sums are rounded as large ones.
  const auto products = static_cast<double>(each.filters.dim);
  const double most = isTiled ? 1e-5 : 1e-6 + 1e-7 * products;
  const double least = isTiled ? std::sqrt(products) : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(is[i], expected[i], most * std::max<double>(least, std::abs(expected[i]))) << i;
  }
  Floats clipped = is;
  for (float& value : clipped) value = std::max(value, 0.0F);
  ASSERT_EQ(each.cpu(Activation::relu), clipped);
}

TEST(Convolve, TheReferenceByHand) {
  const Floats planes{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};  // 2 x 2 x 3
  const Floats filters{1, 0, 0, 1, 0, 1, 0, 0};                   // 1 x 2 x 2 x 2
  const float bias = 100;
  const ConvolveWeights weights{{{filters.data(), 1, 8}, &bias}, {2}, {2}};
  Floats out(2);
  convolveReference({planes.data(), 2, 2, 3}, weights, 1, 2, out.data());
  EXPECT_EQ(out, (Floats{1 + 5 + 20 + 100, 2 + 6 + 30 + 100}));
  Floats wide(3 * 4);
  const ConvolveWeights padded{{{filters.data(), 1, 8}, nullptr}, {2, 1, 1, 1}, {2, 1, 1, 1}};
  convolveReference({planes.data(), 2, 2, 3}, padded, 3, 4, wide.data());
  EXPECT_EQ(wide, (Floats{1, 2, 3, 0, 14, 26, 38, 3, 40, 54, 65, 6}));
}

TEST(Convolve, IsTheReference) {
  for (const ConvolveSizes& sizes : plainSizes()) expectReference(sizes, 171, false);
}

TEST(Convolve, InTilesIsTheReference) {
  for (const ConvolveSizes& sizes : tiledSizes()) expectReference(sizes, 176, true);
}

// Filters of any other kind, and those that would fill the memory.
TEST(Convolve, TakesTilesForThreeTapsOfManyChannels) {
  const Reach taps = {3, 1, 1, 1};
  EXPECT_TRUE(ConvolveCase({16, 4, 4, 16, taps, taps, 1, 1}, 1).isTiled());
  EXPECT_FALSE(ConvolveCase({15, 4, 4, 16, taps, taps, 1, 1}, 1).isTiled());
  EXPECT_FALSE(ConvolveCase({16, 4, 4, 15, taps, taps, 1, 1}, 1).isTiled());
  EXPECT_FALSE(ConvolveCase({16, 6, 6, 16, taps, {3, 2, 1, 1}, 1, 1}, 1).isTiled());
  EXPECT_FALSE(ConvolveCase({16, 6, 6, 16, {3, 1, 2, 1}, taps, 1, 1}, 1).isTiled());
  EXPECT_FALSE(ConvolveCase({16, 6, 6, 16, taps, {5, 1, 1, 1}, 1, 1}, 1).isTiled());
  EXPECT_FALSE(ConvolveCase({1030, 3, 3, 1030, taps, taps, 1, 1}, 1).isTiled());
}

TEST(Convolve, WhatIsNotANumberStaysSo) {
  ConvolveCase each({1, 1, 20, 1, {1}, {1}}, 172);
  each.planes.data[3] = kNan;
  each.planes.data[18] = std::numeric_limits<float>::infinity();
  const Floats is = each.cpu(Activation::relu);
  for (std::size_t i = 0; i < is.size(); ++i) EXPECT_EQ(std::isnan(is[i]), i == 3) << i;
  EXPECT_EQ(is[18], each.filters.data[0] > 0 ? std::numeric_limits<float>::infinity() : 0);
}

TEST(Convolve, WhatIsNotFiniteStaysWithinTheTilesThatReachIt) {
  const ConvolveCase whole({16, 20, 20, 16, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1}, 177);
  ConvolveCase each({16, 20, 20, 16, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1}, 177);
  each.planes.data[5 * 20 + 10] = std::numeric_limits<float>::infinity();  // of tile (1, 2) alone
  const Floats is = each.cpu(Activation::relu), expected = whole.cpu(Activation::relu);
  for (std::size_t i = 0; i < is.size(); ++i) {
    const std::size_t y = i % 400 / 20, x = i % 20;
    if (y >= 4 && y < 8 && x >= 8 && x < 12) {
      EXPECT_TRUE(std::isnan(is[i])) << i;
    } else {
      EXPECT_EQ(is[i], expected[i]) << i;
    }
  }
}

// Nothing is read past either end of the source, and zeros do not become NaN there.
TEST(Convolve, PaddingIsZeros) {
  ConvolveCase each({1, 2, 3, 1, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1}, 173);
  std::fill(each.planes.data.begin(), each.planes.data.end(), 0.0F);
  for (const float value : each.cpu()) EXPECT_EQ(value, each.bias.data[0]);
}

TEST(Convolve, ThreadsChangeNothing) {
  const ConvolveCase few({96, 6, 7, 200, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1}, 174);
  const ConvolveCase many({8, 70, 70, 20, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1}, 175);
  processor::setThreadCount(1);
  const ConvolveCase tiled({16, 70, 70, 200, {3, 1, 1, 1}, {3, 1, 1, 1}, 1, 1}, 178);
  const Floats alone[] = {few.cpu(), many.cpu(), tiled.cpu()};
  for (const int threads : {2, 3, 8}) {
    processor::setThreadCount(threads);
    EXPECT_EQ(few.cpu(), alone[0]) << threads;
    EXPECT_EQ(many.cpu(), alone[1]) << threads;
    EXPECT_EQ(tiled.cpu(), alone[2]) << threads;
  }
  processor::setThreadCount(0);
}

// ---- Upsampling
// ----------------------------------------------------------------------------------

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

struct UpsampleSizes {
  std::size_t channels, inRows, inColumns, outRows, outColumns;
};

std::vector<UpsampleSizes> upsampledSizes() {
  std::vector<UpsampleSizes> sizes = {{2, 32, 32, 512, 512}, {1, 31, 17, 480, 640},
                                      {3, 7, 7, 5, 5},       {5, 480, 3, 31, 1},
                                      {2, 1, 40, 9, 40},     {70, 3, 2, 33, 35}};
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
  UpsampleCase(const UpsampleSizes& sizes, Places places, std::uint32_t seed)
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
  for (const UpsampleSizes& sizes : upsampledSizes()) {
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
      each.planes[i] = kNan;
    }
  }
  for (const float value : each.cpu()) ASSERT_FALSE(std::isnan(value));
}

TEST(Upsample, WhereMemoryBeginsDoesNotMatter) {
  // The second is larger than caches are.
  for (const UpsampleSizes& sizes :
       {UpsampleSizes{3, 5, 7, 21, 37}, UpsampleSizes{33, 16, 16, 509, 511}}) {
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
  for (const UpsampleSizes& sizes :
       {UpsampleSizes{5, 7, 9, 300, 257}, UpsampleSizes{40, 16, 16, 509, 512}}) {
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
