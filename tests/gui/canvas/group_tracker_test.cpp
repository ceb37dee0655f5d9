// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/group_tracker.h"

#include <gtest/gtest.h>

#include <QColor>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

namespace mpm::gui {
namespace {

cv::Mat map(std::initializer_list<int> rows) {
  cv::Mat made(1, static_cast<int>(rows.size()), CV_32S);
  std::copy(rows.begin(), rows.end(), made.ptr<int>());
  return made;
}

TEST(GroupTracker, NumbersGroupsAndLeavesOthersAlone) {
  GroupTracker tracker;
  const auto numbers = tracker.update(map({0, 0, 1, 2, 2, 3}));
  EXPECT_NE(numbers[0], 0U);
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_EQ(numbers[2], 0U);
  EXPECT_EQ(numbers[3], numbers[4]);
  EXPECT_NE(numbers[0], numbers[3]);
  EXPECT_EQ(numbers[5], 0U);
}

TEST(GroupTracker, AGroupKeepsItsNumberWhereverItsRowStands) {
  GroupTracker tracker;
  const auto before = tracker.update(map({0, 0, 1, 2, 2, 2}));
  const auto after = tracker.update(map({0, 1, 1, 3, 3, 3}));
  EXPECT_EQ(after[3], before[3]);
  EXPECT_EQ(after[1], before[1]) << "half of it is enough where nobody else wants it";
}

TEST(GroupTracker, OfTwoHalvesTheLargerKeepsTheNumber) {
  GroupTracker tracker;
  const auto before = tracker.update(map({0, 0, 0, 0, 0, 1}));
  const auto after = tracker.update(map({0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(after[2], before[2]);
  EXPECT_NE(after[0], before[0]);
  EXPECT_NE(after[0], 0U);
}

TEST(GroupTracker, AGroupThatComesBackIsKnown) {
  GroupTracker tracker;
  const auto before = tracker.update(map({0, 1, 1, 2}));
  EXPECT_EQ(tracker.update(map({0, 1, 2, 3}))[1], 0U);
  EXPECT_EQ(tracker.update(map({0, 1, 1, 2}))[1], before[1]);
}

TEST(GroupTracker, TwoGroupsNeverShareANumber) {
  std::mt19937 random(5);
  GroupTracker tracker;
  for (int frame = 0; frame < 50; ++frame) {
    cv::Mat made(8, 8, CV_32S);
    for (int i = 0; i < 64; ++i) made.ptr<int>()[i] = static_cast<int>(random() % 40);
    const auto numbers = tracker.update(made);
    EXPECT_EQ(tracker.update(made), numbers) << "the same map again, frame " << frame;
    std::map<std::uint32_t, int> rowOf;
    std::map<int, int> sizes;
    for (int i = 0; i < 64; ++i) ++sizes[made.ptr<int>()[i]];
    for (std::size_t i = 0; i < 64; ++i) {
      const int row = made.ptr<int>()[i];
      EXPECT_EQ(numbers[i] != 0, sizes[row] > 1);
      if (numbers[i] != 0) {
        EXPECT_EQ(rowOf.try_emplace(numbers[i], row).first->second, row);
      }
    }
  }
}

TEST(GroupTracker, AnotherGridBeginsAnew) {
  GroupTracker tracker;
  tracker.update(map({0, 0, 1}));
  EXPECT_EQ(tracker.update(map({0, 1, 1, 2, 2})).size(), 5U);
}

TEST(GroupColour, NeighboursDiffer) {
  std::set<std::uint32_t> colours;
  for (std::uint32_t i = 1; i < 200; ++i) {
    colours.insert(groupColour(i));
    const int turn = std::abs(QColor(groupColour(i)).hue() - QColor(groupColour(i + 1)).hue());
    EXPECT_GT(std::min(turn, 360 - turn), 60) << i;
  }
  EXPECT_GT(colours.size(), 150U);
}

}  // namespace
}  // namespace mpm::gui
