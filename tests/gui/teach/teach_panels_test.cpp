// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/teach_panels.h"

#include <gtest/gtest.h>

#include <QProgressBar>
#include <QTemporaryDir>
#include <limits>
#include <memory>
#include <vector>

#include "gui/wait_for.h"
#include "mpm/teach.h"

namespace mpm::gui {
namespace {

class FrameListTest : public testing::Test {
 protected:
  FrameListTest() : project_(folder_.path()) {
    for (int i = 0; i < 3; ++i) {
      const cv::Mat picture(90, 160, CV_8UC3, cv::Scalar(0, 0, 200));
      project_.take(picture, QDateTime({2026, 6, 1}, {12, 0, i}));
    }
    project_.setClasses({{"sky", Qt::blue}});
    cv::Mat labels(90, 160, CV_8U, cv::Scalar(kUnpainted));
    labels.rowRange(0, 45).setTo(0);
    project_.keep(project_.frames()[0], labels);
    list_.resize(160, 500);
    list_.show();
  }
  bool waitUntilRead() {
    return waitFor([&] { return list_.isRead(0) && list_.isRead(1) && list_.isRead(2); });
  }
  QImage pictureAt(int row) const {
    return list_.item(row)->icon().pixmap(list_.iconSize()).toImage();
  }

  QTemporaryDir folder_;
  PaintProject project_;
  FrameList list_;
};

// Guards against an empty list for most of a second, and then moving words.
TEST_F(FrameListTest, AnEmptyPictureHasThePlaceUntilThatOfTheFileIsThere) {
  list_.setProject(&project_);
  std::vector<QImage> before;
  std::vector<QRect> places;
  for (int row = 0; row < 3; ++row) {
    EXPECT_FALSE(list_.isRead(row));
    before.push_back(pictureAt(row));
    places.push_back(list_.visualItemRect(list_.item(row)));
    EXPECT_TRUE(list_.item(row)->text().endsWith(QString("12:00:0%1").arg(row)));
  }
  ASSERT_TRUE(waitUntilRead());
  for (int row = 0; row < 3; ++row) {
    const QImage after = pictureAt(row), empty = before[static_cast<std::size_t>(row)];
    EXPECT_EQ(empty.convertToFormat(QImage::Format_Alpha8),
              after.convertToFormat(QImage::Format_Alpha8));
    EXPECT_EQ(after.pixelColor(after.rect().center()), QColor(200, 0, 0));
    EXPECT_EQ(empty.pixel(after.rect().center()), list_.palette().color(QPalette::Midlight).rgb());
    EXPECT_EQ(list_.visualItemRect(list_.item(row)), places[static_cast<std::size_t>(row)]);
  }
  EXPECT_TRUE(list_.item(0)->text().endsWith("50% painted"));
  EXPECT_TRUE(list_.item(1)->text().endsWith("0% painted"));
}

TEST_F(FrameListTest, WhatIsPaintedNowCountsForMoreThanTheFile) {
  list_.setProject(&project_);
  list_.setShare(project_.frames()[0], 0.75);
  ASSERT_TRUE(waitUntilRead());
  EXPECT_TRUE(list_.item(0)->text().endsWith("75% painted"));
  list_.readAgain();
  EXPECT_TRUE(waitFor([&] { return list_.item(0)->text().endsWith("50% painted"); }));
}

TEST_F(FrameListTest, WhatCannotBeReadKeepsItsPlaceAndSaysWhy) {
  ASSERT_TRUE(QFile::remove(folder_.filePath("images/" + project_.frames()[1] + ".png")));
  list_.setProject(&project_);
  ASSERT_TRUE(waitUntilRead());
  EXPECT_TRUE(list_.item(1)->toolTip().contains("cannot be read"));
  EXPECT_FALSE(pictureAt(1).isNull());
}

TEST_F(FrameListTest, AnotherProjectHasNothingOfTheOneBefore) {
  const QTemporaryDir other;
  PaintProject next(other.path());
  next.take(cv::Mat(90, 160, CV_8UC3, cv::Scalar(0, 200, 0)), QDateTime({2026, 6, 1}, {12, 0, 0}));
  list_.setProject(&project_);
  list_.setProject(&next);
  ASSERT_EQ(list_.count(), 1);
  ASSERT_TRUE(waitFor([&] { return list_.isRead(0); }));
  const QImage picture = pictureAt(0);
  EXPECT_EQ(picture.pixelColor(picture.rect().center()), QColor(0, 200, 0));
  EXPECT_TRUE(list_.item(0)->text().endsWith("0% painted"));
}

TEST(LessonPanelTest, SaysWhereWhatWasTaughtIsOfItsViewAlone) {
  LessonPanel panel;
  auto taught = std::make_shared<TeachWorker::Taught>();
  taught->lesson.meanIou = std::numeric_limits<double>::quiet_NaN();
  panel.end(taught, {});
  EXPECT_FALSE(panel.told().contains("where in the picture")) << qPrintable(panel.told());
  taught->lesson.knowsPlaces = true;
  panel.end(taught, {});
  EXPECT_TRUE(panel.told().startsWith("Taught in ")) << qPrintable(panel.told());
  EXPECT_TRUE(panel.told().contains("if the camera moves"));
}

// Guards against 0% for two minutes.
TEST(LessonPanelTest, TheBarGoesOnWhileNothingIsToldAndNeverBack) {
  LessonPanel panel;
  panel.begin();
  const QProgressBar& bar = *panel.progress();
  int before = 0;
  for (const double share : {0.1, 0.6}) {
    EXPECT_TRUE(waitFor([&] { return bar.value() > before + 1; }));
    panel.showProgress(share, share + 0.2);
    before = bar.value();
    EXPECT_GE(before, 1000 * share);
  }
  panel.showProgress(0.3, 0.4);
  EXPECT_GE(bar.value(), before);
  EXPECT_TRUE(bar.format().contains("left")) << qPrintable(bar.format());
  EXPECT_LT(bar.value(), 800);
}

}  // namespace
}  // namespace mpm::gui
