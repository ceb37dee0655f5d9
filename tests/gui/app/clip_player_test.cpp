// SPDX-License-Identifier: Apache-2.0
#include "gui/app/clip_player.h"

#include <gtest/gtest.h>

#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <opencv2/core.hpp>

#include "gui/wait_for.h"
#include "monitor/service/clips.h"

namespace mpm::gui {
namespace {

constexpr int kFrames = 20;

// Frames that become brighter, ten a second.
void writeClip(const QString& file) {
  monitor::ClipWriter writer(file.toStdString(), 10, 2 * kFrames);
  for (int i = 0; i < kFrames; ++i) writer.add(cv::Mat(120, 160, CV_8UC3, cv::Scalar::all(10 * i)));
}

int brightness(const QImage& picture) {
  return picture.isNull() ? -1 : qGray(picture.pixel(picture.width() / 2, picture.height() / 2));
}

class ClipPlayerTest : public ::testing::Test {
 protected:
  QPushButton* playButton() const { return player_.findChildren<QPushButton*>().front(); }

  const QTemporaryDir folder_;
  const QString file_ = folder_.filePath("a.clip.avi");
  ClipPlayer player_{nullptr};
};

TEST_F(ClipPlayerTest, PlaysToTheEndAndAgain) {
  writeClip(file_);
  player_.play(file_, "cars");
  EXPECT_TRUE(player_.isVisible() && player_.isPlaying());
  EXPECT_EQ(player_.windowTitle(), "cars");
  EXPECT_EQ(player_.frames(), kFrames);
  EXPECT_NEAR(brightness(player_.picture()), 0, 4);
  ASSERT_TRUE(waitFor([&] { return !player_.isPlaying(); }));
  EXPECT_EQ(player_.position(), kFrames - 1);
  EXPECT_NEAR(brightness(player_.picture()), 10 * (kFrames - 1), 4);
  playButton()->click();
  EXPECT_TRUE(player_.isPlaying());
  EXPECT_LT(player_.position(), kFrames - 1) << "from its beginning";
}

TEST_F(ClipPlayerTest, PausesGoesWhereTheSliderIsAndClosesWithEscape) {
  writeClip(file_);
  player_.play(file_, "cars");
  playButton()->click();
  EXPECT_FALSE(player_.isPlaying());
  auto* slider = player_.findChild<QSlider*>();
  for (const int place : {12, 3, 17}) {
    slider->setValue(place);
    EXPECT_EQ(player_.position(), place);
    EXPECT_NEAR(brightness(player_.picture()), 10 * place, 4);
  }
  playButton()->click();
  QTest::keyClick(slider, Qt::Key_Escape);
  EXPECT_FALSE(player_.isVisible() || player_.isPlaying());
}

TEST_F(ClipPlayerTest, WhatIsGoneOrNoClipIsSaid) {
  player_.play(file_, "gone");
  EXPECT_TRUE(player_.fault().contains("gone")) << qPrintable(player_.fault());
  EXPECT_FALSE(player_.isPlaying() || playButton()->isEnabled());
  QFile empty(file_);
  ASSERT_TRUE(empty.open(QIODevice::WriteOnly) && empty.write("no clip") > 0);
  empty.close();
  player_.play(file_, "broken");
  EXPECT_TRUE(player_.fault().contains("cannot be played")) << qPrintable(player_.fault());
  player_.showPicture(folder_.filePath("none.png"), "gone");
  EXPECT_FALSE(player_.fault().isEmpty());
}

TEST_F(ClipPlayerTest, APictureIsShownWithoutWhatPlays) {
  QImage picture(64, 48, QImage::Format_RGB32);
  picture.fill(Qt::gray);
  ASSERT_TRUE(picture.save(folder_.filePath("a.png")));
  writeClip(file_);
  player_.play(file_, "cars");
  player_.showPicture(folder_.filePath("a.png"), "cars");
  EXPECT_FALSE(player_.isPlaying());
  EXPECT_EQ(player_.frames(), 0);
  EXPECT_EQ(player_.picture().size(), picture.size());
  EXPECT_FALSE(playButton()->isVisible());
  player_.play(file_, "cars");
  EXPECT_TRUE(playButton()->isVisible());
}

}  // namespace
}  // namespace mpm::gui
