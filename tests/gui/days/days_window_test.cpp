// SPDX-License-Identifier: Apache-2.0
// The window as somebody uses it who looks back at three days.
#include "gui/days/days_window.h"

#include <gtest/gtest.h>

#include "gui/days/day_band.h"
#include "gui/days/day_record.h"
#include "gui/days/kept_frame.h"
#include "gui/hands.h"

namespace mpm::gui {
namespace {

using Side = DaysWindow::Side;

class DaysWindowTest : public ::testing::Test {
 protected:
  const QDate today_ = QDate::currentDate().addDays(-1);
  DayRecord record_;
  DaysWindow window_;

  void open() {
    for (int hour = 0; hour < 72; ++hour) {
      record_.minute(localMs(today_.addDays(hour / 24 - 2), hour % 24));
      record_.picture(localMs(today_.addDays(hour / 24 - 2), hour % 24));
    }
    record_.flush();
    window_.resize(900, 600);
    setRecord();
    window_.show();
    ASSERT_TRUE(showBoth(12, 0)) << at(Side::kLeft).time().hour();
  }
  void setRecord(const char* source = "gate") {
    window_.setRecord(QString::fromStdString(record_.path()), source, 4);
  }
  QDateTime at(Side side) const {
    const KeptFrame* frame = window_.shown(side);
    return frame ? QDateTime::fromMSecsSinceEpoch(frame->of.taken.utcMs) : QDateTime();
  }
  bool showBoth(int left, int right) const {
    return waitFor([&] {
      return at(Side::kLeft).time() == QTime(left, 0) && at(Side::kRight).time() == QTime(right, 0);
    });
  }
  int daysAgo() const { return static_cast<int>(at(Side::kLeft).date().daysTo(today_)); }
  QPushButton* button(const QString& text) const {
    for (QPushButton* each : window_.findChildren<QPushButton*>())
      if (QString(each->text()).remove('&') == text) return each;
    return nullptr;
  }
  QSlider* slider(Side side) const {
    return window_.findChildren<QSlider*>().at(side == Side::kLeft ? 0 : 1);
  }
  PictureTile* tile(const QString& name) const {
    for (PictureTile* each : window_.findChildren<PictureTile*>())
      if (each->accessibleName() == name) return each;
    return nullptr;
  }
};

TEST_F(DaysWindowTest, NoonAndMidnightOfTheNewestDayAreSideBySideWithWhereTheyDiffer) {
  open();
  EXPECT_EQ(daysAgo(), 0);
  EXPECT_EQ(window_.pictures().size(), 72u);
  EXPECT_NEAR(window_.difference().otherClass, 0.25, 1e-9);
  EXPECT_NEAR(window_.difference().firstAlone, 0.5, 1e-9);
  QStringList words;
  for (const QLabel* label : window_.findChildren<QLabel*>()) words << label->text();
  for (const char* said :
       {"25.0% of the pixels have a different class", "39 of 64 tokens", "19 of 64 tokens"})
    EXPECT_EQ(words.filter(said).size(), 1) << said;
}

// Guards against calling a record empty before it was read.
TEST_F(DaysWindowTest, SaysThatItReadsUntilItHasReadAndWhatCannotBeShown) {
  window_.show();
  window_.setRecord({}, "gate", 4);
  EXPECT_FALSE(window_.findChild<QSpinBox*>()->isEnabled());
  record_.flush();
  QSignalSpy read(&window_, &DaysWindow::read);
  setRecord();
  EXPECT_EQ(tile("Left")->words(), "Reading the record ...");
  ASSERT_TRUE(waitFor([&] { return read.count() == 1; }));
  EXPECT_EQ(tile("Left")->words(), "The record has no picture of this source yet");
  EXPECT_FALSE(button("Noon and midnight")->isEnabled());
  window_.setRecord(QString::fromStdString(record_.path()) + ".none", "gate", 4);
  ASSERT_TRUE(waitFor([&] { return read.count() == 2; }));
  EXPECT_TRUE(window_.pictures().empty());
}

TEST_F(DaysWindowTest, SlidersAndButtonsGoThroughAllPictures) {
  open();
  QSlider* left = slider(Side::kLeft);
  EXPECT_EQ(left->maximum(), 71);
  left->setFocus();
  hands::keys(left, "Right");
  EXPECT_TRUE(showBoth(13, 0));
  hands::keys(left, "Home");
  EXPECT_TRUE(waitFor([&] { return daysAgo() == 2; }));
  EXPECT_FALSE(left->accessibleDescription().isEmpty());
  QTest::mouseClick(button("Noon and midnight"), Qt::LeftButton);
  EXPECT_TRUE(showBoth(12, 0));
  EXPECT_EQ(daysAgo(), 2) << "of the day that was looked at";
  left->setValue(71);
  QTest::mouseClick(button("Day and night"), Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] {
    return window_.shown(Side::kLeft)->of.light == monitor::LightState::day &&
           window_.shown(Side::kRight)->of.light == monitor::LightState::night;
  }));
}

TEST_F(DaysWindowTest, AClickOnADayShowsItsNearestPicture) {
  open();
  DayBand* band = window_.band();
  ASSERT_EQ(band->grid().days.size(), 4u) << "the day that goes on is there, though it is empty";
  ASSERT_EQ(band->grid().days[3], today_.addDays(-2));
  QTest::mouseClick(band, Qt::LeftButton, {}, band->pointOf(2, 20 * 6));
  EXPECT_TRUE(showBoth(20, 0));
  EXPECT_EQ(daysAgo(), 1);
  QTest::mouseClick(slider(Side::kRight), Qt::LeftButton);
  QTest::mouseClick(band, Qt::LeftButton, {}, band->pointOf(3, 3 * 6));
  EXPECT_TRUE(showBoth(20, 3)) << "the side that was touched last";
}

// Guards against showing the previous source's pictures after closing and reopening at once.
TEST_F(DaysWindowTest, WhatIsBeingReadIsOfNoOtherSource) {
  open();
  window_.hide();
  window_.show();
  window_.hide();
  setRecord("yard");
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::sendPostedEvents();
  EXPECT_TRUE(window_.pictures().empty());
}

TEST_F(DaysWindowTest, AnotherMetricAndAnotherSpanAreReadAnewAndHowManyAreKeptIsSaid) {
  open();
  const auto isRead = [&](int parts, std::optional<double> value) {
    return waitFor([&] {
      const DayGrid& grid = window_.band()->grid();
      return grid.parts == parts && (!value || std::abs(grid.at(1, 72).value - *value) < 1e-9);
    });
  };
  EXPECT_TRUE(isRead(144, 100 * (1 - 39.0 / 64)));
  auto* metric = window_.findChildren<QComboBox*>().at(0);
  metric->setFocus();
  hands::keys(metric, "Down*2");
  EXPECT_TRUE(isRead(144, 25));
  hands::keys(window_.findChildren<QComboBox*>().at(1), "End");
  EXPECT_TRUE(isRead(24, {}));
  EXPECT_TRUE(showBoth(12, 0)) << "what was chosen stays";
  QSignalSpy wanted(&window_, &DaysWindow::picturesWanted);
  auto* perHour = window_.findChild<QSpinBox*>();
  EXPECT_EQ(perHour->value(), 4);
  perHour->setFocus();
  hands::keys(perHour, "Up");
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toInt(), 5);
}

// Guards against pictures of 204 pixels in a window of 1280 x 800, above empty room.
TEST_F(DaysWindowTest, AClickEnlargesAPictureAndEscapeBringsAllBack) {
  open();
  const auto tiles = window_.findChildren<PictureTile*>();
  const auto count = [&] {
    return std::count_if(tiles.begin(), tiles.end(),
                         [](const PictureTile* each) { return each->isVisible(); });
  };
  PictureTile &right = *tile("Right"), &left = *tiles.front();
  const auto isBeside = [&] { return right.size() == left.size() && right.x() > left.x(); };
  ASSERT_TRUE(waitFor(isBeside));
  const QSize before = right.size();
  QTest::mouseClick(&right, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] {
    return right.width() > 2 * before.width() && right.height() > 3 * before.height() / 2;
  }));
  EXPECT_EQ(count(), 1);
  slider(Side::kRight)->setValue(slider(Side::kRight)->value() + 1);
  EXPECT_TRUE(showBoth(12, 1)) << "it goes on";
  hands::keys(&right, "Esc");
  EXPECT_TRUE(window_.isVisible());
  EXPECT_EQ(count(), 6);
  EXPECT_TRUE(waitFor(isBeside));
  hands::keys(&right, "Space");
  EXPECT_EQ(count(), 1);
  hands::keys(&right, "Space");
  EXPECT_EQ(count(), 6);
  window_.resize(1280, 800);
  EXPECT_TRUE(waitFor([&] { return left.height() >= 265; })) << left.height();
}

}  // namespace
}  // namespace mpm::gui
