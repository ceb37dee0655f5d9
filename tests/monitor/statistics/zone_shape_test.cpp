// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/zones.h"

#include <gtest/gtest.h>

#include <vector>

namespace mpm::test {
namespace {

using namespace monitor;
using Corners = std::vector<cv::Point2d>;

std::vector<double> crossings(const Corners& corners, double y) {
  std::vector<double> places;
  crossingsAt(corners, y, places);
  return places;
}

TEST(ZoneShape, EdgesAreCrossedFromLeftToRight) {
  const Corners square{{0.75, 0.25}, {0.25, 0.25}, {0.25, 0.75}, {0.75, 0.75}};
  EXPECT_EQ(crossings(square, 0.5), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(crossings(square, 0.25), (std::vector<double>{0.25, 0.75})) << "the upper end is in";
  EXPECT_TRUE(crossings(square, 0.75).empty()) << "the lower one is not";
  EXPECT_TRUE(crossings(square, 0.2).empty());
  const Corners letterV{{0, 0}, {0.5, 1}, {1, 0}, {0.5, 0.5}};
  EXPECT_EQ(crossings(letterV, 0.25), (std::vector<double>{0.125, 0.25, 0.75, 0.875}));
}

TEST(ZoneShape, ASharedEdgeIsInOnePlace) {
  const Corners left{{0, 0}, {0.3, 0.1}, {0.7, 0.9}, {0, 1}};
  const Corners right{{1, 1}, {0.7, 0.9}, {0.3, 0.1}, {1, 0}};
  for (int i = 1; i < 80; ++i) {
    const double y = 0.1 + i / 100.0;
    EXPECT_EQ(crossings(left, y).back(), crossings(right, y).front());
  }
}

TEST(ZoneShape, HasAreaWhereSomethingIsInside) {
  EXPECT_TRUE(hasArea({{0, 0}, {1, 0}, {0, 1}}));
  EXPECT_TRUE(hasArea({{0, 0}, {1, 0}, {0, 1}, {1, 1}})) << "edges that cross";
  EXPECT_TRUE(hasArea({{0, 0}, {1, 1}, {1, 0}, {0, 1}}));
  EXPECT_TRUE(hasArea({{0, 0.5}, {1, 0.5001}, {1, 0.5002}}));
}

TEST(ZoneShape, LinesAndWhatIsDrawnTwiceHaveNone) {
  EXPECT_FALSE(hasArea({{0.1, 0.1}, {0.1, 0.1}, {0.1, 0.1}}));
  EXPECT_FALSE(hasArea({{0, 0}, {0.3, 0.3}, {1, 1}}));
  EXPECT_FALSE(hasArea({{0, 0.5}, {0.5, 0.5}, {1, 0.5}}));
  EXPECT_FALSE(hasArea({{0.2, 0}, {0.2, 0.5}, {0.2, 1}}));
  EXPECT_FALSE(hasArea({{0, 0}, {1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}}));
}

TEST(ZoneShape, AColumnIsInFromItsCentreOn) {
  EXPECT_EQ(firstColumn(0, 10), 0);
  EXPECT_EQ(firstColumn(0.05, 10), 0);
  EXPECT_EQ(firstColumn(0.0500001, 10), 1);
  EXPECT_EQ(firstColumn(0.95, 10), 9);
  EXPECT_EQ(firstColumn(1, 10), 10);
  for (int width = 1; width < 700; ++width) {
    for (int column = 0; column < width; ++column) {
      ASSERT_EQ(firstColumn((column + 0.5) / width, width), column);
    }
  }
}

}  // namespace
}  // namespace mpm::test
