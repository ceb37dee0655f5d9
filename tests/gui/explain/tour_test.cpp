// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/tour.h"

#include <gtest/gtest.h>

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

class TourTest : public testing::Test {
 protected:
  TourTest() {
    auto* layout = new QVBoxLayout(&window_);
    layout->addWidget(top_);
    layout->addWidget(below_, 1);
    window_.resize(800, 600);
    window_.show();
    EXPECT_TRUE(waitForActive(&window_));
    top_->setFocus();
    tour_ = new Tour({{nullptr, "Hello", "All of it."},
                      {top_, "Top", "A button."},
                      {below_, "Below", "The rest."}},
                     nullptr, &window_);
  }
  void key(Qt::Key pressed) { QTest::keyClick(QApplication::focusWidget(), pressed); }
  QRect card() const { return tour_->findChild<QFrame*>()->geometry(); }
  QRect about(const QWidget* widget) const { return widget->geometry(); }

  QWidget window_;
  QPushButton* top_ = new QPushButton("top");
  QLabel* below_ = new QLabel("below");
  QPointer<Tour> tour_;
};

TEST_F(TourTest, StepsWithKeysAndEndsAtTheLast) {
  QSignalSpy ended(tour_, &Tour::ended);
  key(Qt::Key_Right);
  EXPECT_EQ(tour_->stop(), 1);
  key(Qt::Key_Left);
  EXPECT_EQ(tour_->stop(), 0);
  key(Qt::Key_Return);
  key(Qt::Key_Return);
  EXPECT_EQ(tour_->stop(), 2);
  EXPECT_EQ(ended.count(), 0);
  key(Qt::Key_Return);
  EXPECT_EQ(ended.count(), 1);
  EXPECT_TRUE(waitFor([&] { return tour_.isNull(); }));
  EXPECT_EQ(QApplication::focusWidget(), top_) << "as it was before";
}

TEST_F(TourTest, EscapeAndSkipEndIt) {
  QSignalSpy ended(tour_, &Tour::ended);
  key(Qt::Key_Escape);
  EXPECT_EQ(ended.count(), 1);
  tour_ = new Tour({{nullptr, "a", "b"}, {top_, "c", "d"}}, nullptr, &window_);
  QSignalSpy skipped(tour_, &Tour::ended);
  QTest::mouseClick(tour_->findChildren<QPushButton*>().front(), Qt::LeftButton);
  EXPECT_EQ(skipped.count(), 1);
}

TEST_F(TourTest, ItsCardStandsBesideWhatItIsAbout) {
  key(Qt::Key_Right);
  EXPECT_FALSE(card().intersects(about(top_)));
  EXPECT_TRUE(tour_->rect().contains(card()));
  window_.resize(420, 500);
  QCoreApplication::processEvents();
  EXPECT_TRUE(tour_->rect().contains(card()));
  EXPECT_EQ(tour_->size(), window_.size());
}

TEST_F(TourTest, TabStaysInIt) {
  key(Qt::Key_Right);
  for (int i = 0; i < 5; ++i) {
    key(Qt::Key_Tab);
    EXPECT_TRUE(tour_->isAncestorOf(QApplication::focusWidget()));
  }
}

TEST_F(TourTest, AStopOfWhatIsHiddenIsOfTheWindow) {
  top_->hide();
  key(Qt::Key_Right);
  EXPECT_EQ(tour_->stop(), 1);
  EXPECT_TRUE(tour_->rect().contains(card()));
}

// Seen: the figures that a newcomer is shown were dim, or below the card of a bar.
TEST_F(TourTest, WhatStaysLitIsNeitherDimmedNorCovered) {
  tour_->close();
  QWidget lit(&window_);
  lit.setAutoFillBackground(true);
  lit.setPalette(QPalette(Qt::white, Qt::white));
  lit.setGeometry(0, top_->geometry().bottom() + 8, 800, 80);
  lit.show();
  tour_ = new Tour({{nullptr, "Hello", "All of it."}, {top_, "Top", "A button."}}, &lit, &window_);
  for (int stop = 0; stop < 2; ++stop) {
    EXPECT_EQ(tour_->stop(), stop);
    EXPECT_FALSE(card().intersects(lit.geometry()));
    const QImage seen = window_.grab().toImage();
    const qreal ratio = seen.devicePixelRatio();
    EXPECT_EQ(seen.pixelColor((lit.geometry().center() * ratio)), QColor(Qt::white));
    EXPECT_NE(seen.pixelColor((QPoint(5, 595) * ratio)), QColor(Qt::white));
    key(Qt::Key_Right);
  }
}

}  // namespace
}  // namespace mpm::gui
