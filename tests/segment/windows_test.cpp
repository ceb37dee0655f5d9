// SPDX-License-Identifier: Apache-2.0
#include "segment/windows.h"

#include <gtest/gtest.h>

#include <random>

namespace mpm::segment {
namespace {

using Starts = std::vector<int>;

TEST(Windows, StandAtMultiplesOfTheStrideTheLastOneAtTheBorder) {
  EXPECT_EQ(windowStarts(512, 512, 512), Starts{0});
  EXPECT_EQ(windowStarts(1024, 512, 512), (Starts{0, 512}));
  EXPECT_EQ(windowStarts(683, 512, 512), (Starts{0, 171}));
  EXPECT_EQ(windowStarts(683, 512, 100), (Starts{0, 100, 171}));
  EXPECT_EQ(windowStarts(712, 512, 100), (Starts{0, 100, 200}));
  EXPECT_EQ(windowStarts(513, 512, 512), (Starts{0, 1}));
}

TEST(Windows, AFrameSmallerThanAWindowHasOne) {
  EXPECT_EQ(windowStarts(300, 512, 512), Starts{0});
  const std::vector<Span> spans = windowSpans({0}, 512, 300, 600);
  EXPECT_EQ(spans[0].begin, 0);
  EXPECT_DOUBLE_EQ(spans[0].end, 1024);
}

TEST(Windows, TheShortSideIsGivenTheLongOneIsRounded) {
  const auto expectSize = [](const Resized& resized, int width, int height) {
    EXPECT_EQ(resized.width, width);
    EXPECT_EQ(resized.height, height);
  };
  expectSize(resizedTo(512, 640, 480), 683, 512);
  expectSize(resizedTo(512, 480, 640), 512, 683);
  expectSize(resizedTo(512, 1920, 1080), 910, 512);
  expectSize(resizedTo(512, 1, 1), 512, 512);
  expectSize(resizedTo(1, 3, 2), 2, 1);
}

// Rounding may not let a pixel fall between two windows.
TEST(Windows, EveryPixelOfTheFrameLiesInOne) {
  std::mt19937 random(11);
  const auto below = [&](int limit) { return 1 + static_cast<int>(random() % limit); };
  for (int round = 0; round < 300; ++round) {
    const int length = below(900), size = below(400), frame = below(2000);
    const auto spans = windowSpans(windowStarts(length, size, below(size)), size, length, frame);
    for (int i = 0; i < frame; ++i) {
      bool isHeld = false;
      for (const Span& span : spans) isHeld = isHeld || span.holds(i + 0.5);
      ASSERT_TRUE(isHeld) << "pixel " << i << " of " << frame << ", resized to " << length
                          << ", windows of " << size;
    }
  }
}

}  // namespace
}  // namespace mpm::segment
