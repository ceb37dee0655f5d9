// SPDX-License-Identifier: Apache-2.0
#include "vit/convolve.h"

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

struct Sizes {
  std::size_t channels, height, width, outputs;
  Reach rows, columns;
  std::size_t bottom = 0, right = 0;  // padding behind the last place
};

std::size_t placesOf(const Reach& reach, std::size_t length, std::size_t behind) {
  const std::size_t span = (reach.taps - 1) * reach.dilation + 1;
  return (length + reach.padding + behind - span) / reach.stride + 1;
}

struct ConvolveCase {
  ConvolveCase(const Sizes& sizes, std::uint32_t seed)
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
    Floats out(filters.count * height * width, std::numeric_limits<float>::quiet_NaN());
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
std::vector<Sizes> manySizes() {
  std::vector<Sizes> sizes = {
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
std::vector<Sizes> tiledSizes() {
  const Reach taps = {3, 1, 1, 1}, bare = {3, 1, 1, 0}, wide = {3, 1, 1, 2};
  std::vector<Sizes> sizes = {
      {64, 37, 37, 64, taps, taps, 1, 1}, {40, 20, 130, 21, taps, taps, 1, 1},
      {16, 9, 11, 16, wide, bare, 0, 2},  {17, 70, 3, 33, bare, taps, 5, 1},
      {20, 1, 1, 16, taps, taps, 1, 1},   {64, 45, 50, 130, taps, taps, 1, 1},
  };
  for (const std::size_t width : {3, 4, 5, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 259}) {
    sizes.push_back({16, 6, width, 18, taps, taps, 1, 1});
  }
  return sizes;
}

void expectReference(const Sizes& sizes, std::uint32_t seed, bool isTiled) {
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
  for (const Sizes& sizes : manySizes()) expectReference(sizes, 171, false);
}

TEST(Convolve, InTilesIsTheReference) {
  for (const Sizes& sizes : tiledSizes()) expectReference(sizes, 176, true);
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
  each.planes.data[3] = std::numeric_limits<float>::quiet_NaN();
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

}  // namespace
}  // namespace mpm::vit
