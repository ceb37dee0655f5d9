// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/sampling.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mpm::gui
