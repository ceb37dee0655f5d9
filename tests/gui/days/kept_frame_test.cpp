// SPDX-License-Identifier: Apache-2.0
#include "gui/days/kept_frame.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "gui/days/day_record.h"

namespace mpm::gui {
namespace {

const QDate kDay(2026, 11, 3);

class KeptFrameTest : public ::testing::Test {
 protected:
  KeptFrameTest() {
    record_.picture(localMs(kDay, 0));
    record_.picture(localMs(kDay, 12));
    record_.flush();
    const auto found =
        monitor::dayPictures(monitor::RecordReader(record_.path()), "gate", 0, localMs(kDay, 23));
    EXPECT_EQ(found.size(), 2u);
    night_ = readKept(found.at(0));
    day_ = readKept(found.at(1));
  }
  DayRecord record_;
  KeptFrame night_, day_;
};

TEST_F(KeptFrameTest, APictureComesWithWhatItSaysOfItself) {
  EXPECT_EQ(day_.of.light, monitor::LightState::day);
  EXPECT_EQ(day_.of.liveTokens, 39);
  EXPECT_EQ(day_.of.tokens, 64);
  EXPECT_EQ(day_.of.modelHash, "5ca1ab1e");
  EXPECT_EQ(day_.of.frame, day_.of.picture);
  EXPECT_EQ(day_.shown.size(), QSize(80, 40));
  EXPECT_EQ(day_.merged.size(), QSize(80, 40));
  EXPECT_NEAR(qGray(day_.shown.pixel(40, 20)), 200, 3);
}

TEST_F(KeptFrameTest, DifferencesAreCountedAndDrawnWhereTheyAre) {
  const FrameDifference found = differenceOf(day_, night_);
  EXPECT_NEAR(found.otherClass, 0.25, 1e-9);
  const QColor other = found.classes.pixelColor(40, 5), same = found.classes.pixelColor(40, 30);
  EXPECT_GT(other.saturation(), 80);
  EXPECT_LT(same.saturation(), 10);
  EXPECT_NEAR(found.firstAlone, 0.5, 1e-9);
  EXPECT_NEAR(found.secondAlone, 0.5, 1e-9);
  EXPECT_GT(found.merging.pixelColor(10, 20).blue(), found.merging.pixelColor(10, 20).red());
  EXPECT_LT(found.merging.pixelColor(70, 20).blue(), found.merging.pixelColor(70, 20).red());
  const FrameDifference none = differenceOf(day_, day_);
  EXPECT_EQ(none.otherClass, 0);
  EXPECT_EQ(none.firstAlone, 0);
}

TEST_F(KeptFrameTest, WhatCannotBeComparedIsNotAndItIsSaid) {
  KeptFrame other = night_;
  other.of.modelHash = "another";
  EXPECT_EQ(differenceOf(day_, other).noClasses,
            "They come from two models with different classes");
  EXPECT_TRUE(differenceOf(day_, other).classes.isNull());
  other = night_;
  other.labels = other.labels.rowRange(0, 20).clone();
  EXPECT_EQ(differenceOf(day_, other).noClasses, "The pictures differ in size");
  other.mergeMap.release();
  EXPECT_TRUE(differenceOf(day_, other).merging.isNull());
}

TEST_F(KeptFrameTest, AFileThatIsGoneIsASentence) {
  std::filesystem::remove(day_.of.picture);
  EXPECT_NE(monitor::refusal([&] { readKept(day_.of); }).find("is gone, or damaged"),
            std::string::npos);
  std::filesystem::remove(night_.of.mergeMap);
  EXPECT_TRUE(readKept(night_.of).merged.isNull());
}

// Places were counted and coloured by its numbers, beyond what there was room for.
TEST_F(KeptFrameTest, AMergeMapWithRowsThatItCannotHaveIsNone) {
  const auto writes = [this](int last) {
    const cv::Mat map = (cv::Mat_<std::uint16_t>(1, 4) << 0, 1, 2, last);
    return cv::imwrite(night_.of.mergeMap, map);
  };
  for (const int strange : {4, 60000}) {
    ASSERT_TRUE(writes(strange));
    EXPECT_TRUE(readMergeMap(night_.of).empty()) << strange;
    EXPECT_TRUE(readKept(night_.of).merged.isNull()) << strange;
  }
  ASSERT_TRUE(writes(3));
  EXPECT_FALSE(readMergeMap(night_.of).empty());
}

}  // namespace
}  // namespace mpm::gui
