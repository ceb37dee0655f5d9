// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/pixels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace mpm::gui {
namespace {

TEST(Sampling, SameSizeIsEveryPixel) {
  Samples samples;
  sampleGrid({{0, 0, 7, 5}, {7, 5}, {7, 5}}, {7, 5}, {0, 0, 1, 1}, samples);
  EXPECT_TRUE(samples.everyColumn);
  EXPECT_EQ(samples.rows, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Sampling, TakesTheCellOfEachCentre) {
  Samples samples;
  sampleGrid({{0, 0, 100, 100}, {100, 100}, {6, 4}}, {3, 2}, {0, 0, 1, 1}, samples);
  EXPECT_FALSE(samples.everyColumn);
  EXPECT_EQ(samples.columns, (std::vector<int>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(samples.rows, (std::vector<int>{0, 0, 1, 1}));
}

TEST(Sampling, APartSeesItsOwnCells) {
  Samples samples;
  sampleGrid({{50, 0, 50, 100}, {100, 100}, {4, 2}}, {4, 2}, {0, 0, 1, 1}, samples);
  EXPECT_EQ(samples.columns, (std::vector<int>{2, 2, 3, 3}));
  EXPECT_FALSE(samples.everyColumn);
}

TEST(Sampling, OutsideTheGridIsMinusOne) {
  Samples samples;
  sampleGrid({{0, 0, 100, 100}, {100, 100}, {4, 4}}, {2, 2}, {0, 0, 0.5, 2}, samples);
  EXPECT_EQ(samples.columns, (std::vector<int>{0, 1, -1, -1}));
  EXPECT_EQ(samples.rows, (std::vector<int>{0, 0, 0, 0}));
}

QRgb expected(QRgb under, QRgb over, int alpha) {
  QRgb mixed = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const int a = static_cast<int>(under >> shift & 255), b = static_cast<int>(over >> shift & 255);
    mixed |= static_cast<QRgb>((a * (256 - alpha) + b * alpha) / 256) << shift;
  }
  return mixed;
}

TEST(Blend, MixesEachChannelAtAnyLength) {
  std::mt19937 random(7);
  for (const int alpha : {0, 1, 100, 255, 256}) {
    for (const int count : {0, 1, 2, 3, 8, 17}) {
      std::vector<QRgb> pixels, colours;
      for (int i = 0; i < count; ++i) {
        pixels.push_back(static_cast<QRgb>(random()));
        colours.push_back(static_cast<QRgb>(random()));
      }
      const QRgb one = static_cast<QRgb>(random());
      std::vector<QRgb> withOne = pixels, withEach = pixels;
      blend(withOne.data(), count, one, alpha);
      blend(withEach.data(), colours.data(), count, alpha);
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        EXPECT_EQ(withOne[i], expected(pixels[i], one, alpha));
        EXPECT_EQ(withEach[i], expected(pixels[i], colours[i], alpha));
      }
    }
  }
}

TEST(Blend, OpacityIsHeldBetweenNothingAndAll) {
  EXPECT_EQ(blendAlpha(-1), 0);
  EXPECT_EQ(blendAlpha(0.5), 128);
  EXPECT_EQ(blendAlpha(2), 256);
}

}  // namespace

}  // namespace mpm::gui
