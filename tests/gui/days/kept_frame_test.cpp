// SPDX-License-Identifier: Apache-2.0
#include "gui/days/kept_frame.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(differenceOf(day_, other).noClasses, "The two models have different classes");
  EXPECT_TRUE(differenceOf(day_, other).classes.isNull());
  other = night_;
  other.labels = other.labels.rowRange(0, 20).clone();
  EXPECT_EQ(differenceOf(day_, other).noClasses, "The pictures differ in size");
  other.mergeMap.release();
  EXPECT_TRUE(differenceOf(day_, other).merging.isNull());
}

TEST_F(KeptFrameTest, AFileThatIsGoneIsASentence) {
  std::filesystem::remove(day_.of.picture);
  EXPECT_NE(refusal([&] { readKept(day_.of); }).find("is gone or damaged"), std::string::npos);
  std::filesystem::remove(night_.of.mergeMap);
  EXPECT_TRUE(readKept(night_.of).merged.isNull());
}

// The map's values are indices, and must not exceed the number of patches.
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

QImage plain(QSize size, const QColor& colour) {
  QImage image(size, QImage::Format_RGB32);
  image.fill(colour);
  return image;
}

QSize sizeOfRed(PictureTile& tile) {
  const QImage image = tile.grab().toImage();
  QRect red;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) == qRgb(255, 0, 0)) red |= QRect(x, y, 1, 1);
  return red.size();
}

// Guards against 232 pixels above 205, in a tile with a longer title.
TEST(PictureTile, PicturesOfPeersAreOfOneSizeWhateverTheirTitles) {
  const QStringList titles{"L", "Where merging differs"};
  QSize sizes[2];
  for (const bool peers : {false, true}) {
    for (int i = 0; i < 2; ++i) {
      PictureTile tile(titles[i]);
      if (peers) tile.setPeers(titles);
      tile.resize(300, 180);
      tile.show(plain({64, 64}, Qt::red), "red");
      sizes[i] = sizeOfRed(tile);
    }
    EXPECT_EQ(sizes[0] == sizes[1], peers) << sizes[0].width() << ' ' << sizes[1].width();
  }
}

// Guards against losing some lines of a merge map.
TEST(PictureTile, NoFineLineIsLostWhereAPictureIsShrunk) {
  constexpr int kSide = 512, kCell = 16, kShown = 129;
  QImage image = plain({kSide, kSide}, Qt::white);
  for (int x = 0; x < kSide; x += kCell)
    for (int y = 0; y < kSide; ++y) image.setPixel(x, y, qRgb(0, 0, 0));
  PictureTile tile("L");
  tile.resize(400, kShown);
  tile.show(image, "lines");
  const QImage shown = tile.grab().toImage();
  const int left = (400 - kShown) / 2;
  for (int line = 1; line < kSide / kCell; ++line) {
    const int x = left + line * kCell * kShown / kSide;
    int darkest = 255;
    for (int near = x - 2; near <= x + 2; ++near)
      darkest = std::min(darkest, qGray(shown.pixel(near, kShown / 2)));
    EXPECT_LT(darkest, 235) << line;
  }
}

}  // namespace
}  // namespace mpm::gui
