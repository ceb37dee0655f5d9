// SPDX-License-Identifier: Apache-2.0
// The window as somebody uses it who looks back at three days.
#include "gui/days/days_window.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QThreadPool>
#include <algorithm>
#include <cmath>

#include "gui/days/day_band.h"
#include "gui/days/day_record.h"
#include "gui/days/kept_frame.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

using Side = DaysWindow::Side;

class DaysWindowTest : public ::testing::Test {
 protected:
  const QDate today_ = QDate::currentDate().addDays(-1);
  DayRecord record_;
  DaysWindow window_;

  void open() {
    for (int day = 2; day >= 0; --day) {
      for (int hour = 0; hour < 24; ++hour) {
        record_.minute(localMs(today_.addDays(-day), hour));
        record_.picture(localMs(today_.addDays(-day), hour));
      }
    }
    record_.flush();
    window_.resize(900, 600);
    window_.setRecord(QString::fromStdString(record_.path()), "gate", 4);
    window_.show();
    ASSERT_TRUE(waitFor([&] { return bothAre(12, 0); })) << timeOf(Side::kLeft).hour();
  }
  QDateTime at(Side side) const {
    const KeptFrame* frame = window_.shown(side);
    return frame ? QDateTime::fromMSecsSinceEpoch(frame->of.taken.utcMs) : QDateTime();
  }
  QTime timeOf(Side side) const { return at(side).time(); }
  bool bothAre(int left, int right) const {
    return timeOf(Side::kLeft) == QTime(left, 0) && timeOf(Side::kRight) == QTime(right, 0);
  }
  QPushButton* button(const QString& text) const {
    for (QPushButton* each : window_.findChildren<QPushButton*>())
      if (QString(each->text()).remove('&') == text) return each;
    return nullptr;
  }
};

TEST_F(DaysWindowTest, NoonAndMidnightOfTheNewestDayAreSideBySideWithWhereTheyDiffer) {
  open();
  EXPECT_EQ(at(Side::kLeft).date(), today_);
  EXPECT_EQ(window_.pictures().size(), 72u);
  EXPECT_NEAR(window_.difference().otherClass, 0.25, 1e-9);
  EXPECT_NEAR(window_.difference().firstAlone, 0.5, 1e-9);
  QStringList words;
  for (const QLabel* label : window_.findChildren<QLabel*>()) words << label->text();
  EXPECT_EQ(words.filter("25.0% of the pixels have a different class").size(), 1);
  EXPECT_EQ(words.filter("39 of 64 tokens").size(), 1);
  EXPECT_EQ(words.filter("19 of 64 tokens").size(), 1);
}

// It said that a record has no picture, of one that was not read yet.
TEST_F(DaysWindowTest, SaysThatItReadsUntilItHasRead) {
  record_.flush();
  QSignalSpy read(&window_, &DaysWindow::read);
  window_.setRecord(QString::fromStdString(record_.path()), "gate", 4);
  const auto says = [&] {
    for (const auto* tile : window_.findChildren<PictureTile*>())
      if (tile->accessibleName() == "Left") return tile->words();
    return QString();
  };
  EXPECT_EQ(says(), "Reading the record ...");
  window_.show();
  ASSERT_TRUE(waitFor([&] { return read.count() > 0; }));
  EXPECT_EQ(says(), "The record has no picture of this source yet");
}

TEST_F(DaysWindowTest, ASliderGoesThroughAllPictures) {
  open();
  QSlider* left = window_.findChildren<QSlider*>().at(0);
  EXPECT_EQ(left->maximum(), 71);
  left->setFocus();
  QTest::keyClick(left, Qt::Key_Right);
  EXPECT_TRUE(waitFor([&] { return bothAre(13, 0); }));
  QTest::keyClick(left, Qt::Key_Home);
  EXPECT_TRUE(waitFor([&] { return at(Side::kLeft).date() == today_.addDays(-2); }));
  EXPECT_FALSE(left->accessibleDescription().isEmpty());
  QTest::mouseClick(button("Noon and midnight"), Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] { return bothAre(12, 0); }));
  EXPECT_EQ(at(Side::kLeft).date(), today_.addDays(-2)) << "of the day that was looked at";
}

TEST_F(DaysWindowTest, AClickOnADayShowsItsNearestPicture) {
  open();
  DayBand* band = window_.band();
  ASSERT_EQ(band->grid().days.size(), 4u) << "the day that goes on is there, though it is empty";
  ASSERT_EQ(band->grid().days[3], today_.addDays(-2));
  QTest::mouseClick(band, Qt::LeftButton, {}, band->pointOf(2, 20 * 6));
  EXPECT_TRUE(waitFor([&] { return timeOf(Side::kLeft) == QTime(20, 0); }));
  EXPECT_EQ(at(Side::kLeft).date(), today_.addDays(-1));
  QTest::mousePress(window_.findChildren<QSlider*>().at(1), Qt::LeftButton);
  QTest::mouseRelease(window_.findChildren<QSlider*>().at(1), Qt::LeftButton);
  QTest::mouseClick(band, Qt::LeftButton, {}, band->pointOf(3, 3 * 6));
  EXPECT_TRUE(waitFor([&] { return bothAre(20, 3); })) << "the side that was touched last";
}

// Seen: closed at once, it had the pictures of the source before when it was opened again.
TEST_F(DaysWindowTest, WhatIsBeingReadIsOfNoOtherSource) {
  open();
  window_.hide();
  window_.show();
  window_.hide();
  window_.setRecord(QString::fromStdString(record_.path()), "yard", 4);
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::sendPostedEvents();
  EXPECT_TRUE(window_.pictures().empty());
}

TEST_F(DaysWindowTest, DayAndNightGoByTheLight) {
  open();
  QSlider* left = window_.findChildren<QSlider*>().at(0);
  left->setValue(71);
  QTest::mouseClick(button("Day and night"), Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] {
    return window_.shown(Side::kLeft)->of.light == monitor::LightState::day &&
           window_.shown(Side::kRight)->of.light == monitor::LightState::night;
  }));
}

TEST_F(DaysWindowTest, AnotherMetricAndAnotherSpanAreReadAnew) {
  open();
  const double fewer = window_.band()->grid().at(1, 72).value;
  EXPECT_NEAR(fewer, 100 * (1 - 39.0 / 64), 1e-9);
  auto* metric = window_.findChildren<QComboBox*>().at(0);
  QSignalSpy read(&window_, &DaysWindow::read);
  metric->setFocus();
  QTest::keyClick(metric, Qt::Key_Down);
  QTest::keyClick(metric, Qt::Key_Down);
  EXPECT_TRUE(waitFor([&] {
    return window_.band()->grid().parts == 144 &&
           std::abs(window_.band()->grid().at(1, 72).value - 25) < 1e-9;
  }));
  QTest::keyClick(window_.findChildren<QComboBox*>().at(1), Qt::Key_End);
  EXPECT_TRUE(waitFor([&] { return window_.band()->grid().parts == 24; }));
  EXPECT_TRUE(bothAre(12, 0)) << "what was chosen stays";
}

TEST_F(DaysWindowTest, AClickEnlargesAPictureAndEscapeBringsAllBack) {
  open();
  const auto tiles = window_.findChildren<PictureTile*>();
  const auto count = [&] {
    return std::count_if(tiles.begin(), tiles.end(),
                         [](const PictureTile* each) { return each->isVisible(); });
  };
  const auto right = std::find_if(tiles.begin(), tiles.end(), [](const PictureTile* each) {
    return each->accessibleName() == "Right";
  });
  ASSERT_NE(right, tiles.end());
  PictureTile& tile = **right;
  const PictureTile& left = *tiles.front();
  ASSERT_TRUE(waitFor([&] { return tile.size() == left.size() && tile.x() > left.x(); }));
  const QSize before = tile.size();
  QTest::mouseClick(&tile, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] {
    return tile.width() > 2 * before.width() && tile.height() > 3 * before.height() / 2;
  }));
  EXPECT_EQ(count(), 1);
  QSlider* slider = window_.findChildren<QSlider*>().at(1);
  slider->setValue(slider->value() + 1);
  EXPECT_TRUE(waitFor([&] { return timeOf(Side::kRight).hour() == 1; })) << "it goes on";
  QTest::keyClick(&tile, Qt::Key_Escape);
  EXPECT_TRUE(window_.isVisible());
  EXPECT_EQ(count(), 6);
  EXPECT_TRUE(waitFor([&] { return tile.size() == left.size() && tile.x() > left.x(); }));
  QTest::keyClick(&tile, Qt::Key_Space);
  EXPECT_EQ(count(), 1);
  QTest::keyClick(&tile, Qt::Key_Space);
  EXPECT_EQ(count(), 6);
}

// Seen: pictures of 204 pixels in a window of 1280 x 800, above room that nothing stood in.
TEST_F(DaysWindowTest, PicturesHaveTheRoomThatDaysDoNotNeed) {
  open();
  window_.resize(1280, 800);
  const auto* tile = window_.findChild<PictureTile*>();
  EXPECT_TRUE(waitFor([&] { return tile->height() >= 265; })) << tile->height();
}

TEST_F(DaysWindowTest, WhatCannotBeShownIsSaid) {
  window_.show();
  window_.setRecord({}, "gate", 4);
  EXPECT_FALSE(window_.findChild<QSpinBox*>()->isEnabled());
  QSignalSpy read(&window_, &DaysWindow::read);
  record_.flush();
  window_.setRecord(QString::fromStdString(record_.path()), "gate", 4);
  ASSERT_TRUE(waitFor([&] { return read.count() == 1; }));
  EXPECT_FALSE(button("Noon and midnight")->isEnabled());
  window_.setRecord(QString::fromStdString(record_.path()) + ".none", "gate", 4);
  ASSERT_TRUE(waitFor([&] { return read.count() == 2; }));
  EXPECT_TRUE(window_.pictures().empty());
}

TEST_F(DaysWindowTest, HowManyPicturesAreKeptIsSaid) {
  open();
  QSignalSpy wanted(&window_, &DaysWindow::picturesWanted);
  auto* perHour = window_.findChild<QSpinBox*>();
  EXPECT_EQ(perHour->value(), 4);
  perHour->setFocus();
  QTest::keyClick(perHour, Qt::Key_Up);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toInt(), 5);
}

}  // namespace
}  // namespace mpm::gui
