// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QApplication>
#include <QPainter>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include "gui/plot/synthetic_source.h"
#include "gui/plot/text_recorder.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMonday;

class TimePlotInput : public ::testing::Test {
 protected:
  void SetUp() override {
    source_.at("live_rows", Resolution::minute) =
        testing::syntheticBuckets(now_ - 10 * kDayMs, now_, Resolution::minute);
    plot_.resize(1000, 300);
    plot_.setClock([this] { return now_; });
    plot_.setSource(&source_);
    plot_.setLines({{"live_rows", "Live rows"}}, "rows");
    plot_.setSpan(10 * kHourMs);
    plot_.show();
    plot_.setFocus();
    QApplication::processEvents();  // with the focus's frame, whenever it comes
  }

  void wheel(int x, int notches, int sideways = 0) {
    const QPointF at(x, 100);
    QWheelEvent event(at, plot_.mapToGlobal(at), {}, {sideways * 120, notches * 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&plot_, &event);
  }
  const TimeWindow& window() const { return plot_.timeWindow(); }

  const std::int64_t now_ = kMonday + 15 * kHourMs;
  testing::SyntheticSource source_;
  class OpenTimePlot : public TimePlot {
   public:
    using TimePlot::draw;
  };
  OpenTimePlot plot_;
};

TEST_F(TimePlotInput, TheWheelZoomsAroundThePointer) {
  const std::int64_t span = window().span();
  wheel(500, 1);
  EXPECT_NEAR(static_cast<double>(window().span()), 0.8 * static_cast<double>(span), 2);
  EXPECT_FALSE(window().live());
  const double middle = static_cast<double>(window().from() + window().to()) / 2;
  EXPECT_NEAR(middle, static_cast<double>(now_ - span / 2), 0.03 * static_cast<double>(span));
  const std::int64_t from = window().from();
  wheel(500, 3);
  wheel(500, -3);
  EXPECT_NEAR(static_cast<double>(window().from()), static_cast<double>(from), 1000);
}

TEST_F(TimePlotInput, TheWheelSidewaysMoves) {
  wheel(500, 0, 1);
  EXPECT_EQ(window().to(), now_ - window().span() / 10);
}

TEST_F(TimePlotInput, DraggingMovesWithThePointer) {
  plot_.lookAt(now_ - 25 * kHourMs, {});
  const double msPerPixel = 10.0 * kHourMs / 950;
  QTest::mousePress(&plot_, Qt::LeftButton, {}, {300, 100});
  QTest::mouseMove(&plot_, {350, 100});
  QTest::mouseMove(&plot_, {400, 110});
  QTest::mouseRelease(&plot_, Qt::LeftButton, {}, {400, 110});
  EXPECT_NEAR(static_cast<double>(window().to()),
              static_cast<double>(now_ - 20 * kHourMs) - 100 * msPerPixel, 5 * msPerPixel);
  const std::int64_t to = window().to();
  QTest::mouseMove(&plot_, {600, 100});  // let go
  EXPECT_EQ(window().to(), to);
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, {300, 100});
  EXPECT_EQ(window().to(), to) << "a click alone changes nothing";
}

TEST_F(TimePlotInput, ADoubleClickGoesBackToLive) {
  plot_.lookAt(now_ - 25 * kHourMs, {});
  QTest::mouseDClick(&plot_, Qt::LeftButton, {}, {300, 100});
  EXPECT_TRUE(window().live());
  EXPECT_EQ(window().to(), now_);
  EXPECT_EQ(window().span(), 10 * kHourMs);
}

TEST_F(TimePlotInput, AButtonThatIsSeenGoesBackToLive) {
  plot_.show();
  auto* back = plot_.findChild<QToolButton*>();
  ASSERT_NE(back, nullptr);
  EXPECT_FALSE(back->isVisible());
  wheel(500, 0, 3);
  ASSERT_TRUE(back->isVisible());
  EXPECT_TRUE(plot_.rect().contains(back->geometry()));
  QTest::mouseClick(back, Qt::LeftButton);
  EXPECT_TRUE(window().live());
  EXPECT_FALSE(back->isVisible());
}

// Seen: on "Transition", the last word of the legend.
TEST_F(TimePlotInput, TheButtonStandsOnNoWords) {
  wheel(500, 0, 3);
  const auto* back = plot_.findChild<QToolButton*>();
  ASSERT_TRUE(back != nullptr && back->isVisible());
  for (int width = 220; width < 500; width += 10) {
    plot_.resize(width, 200);
    const auto texts =
        testing::recorded(plot_.size(), [&](QPainter& painter) { plot_.draw(painter); });
    for (const testing::DrawnText& drawn : texts.texts)
      EXPECT_FALSE(drawn.place.intersects(back->geometry()))
          << width << ": " << qPrintable(drawn.text);
  }
}

TEST_F(TimePlotInput, KeysZoomAndMove) {
  const std::int64_t span = window().span();
  QTest::keyClick(&plot_, Qt::Key_Plus);
  EXPECT_EQ(window().span(), span / 2);
  EXPECT_TRUE(window().live());
  QTest::keyClick(&plot_, Qt::Key_Minus);
  EXPECT_EQ(window().span(), span);
  QTest::keyClick(&plot_, Qt::Key_Left);
  EXPECT_EQ(window().to(), now_ - span / 10);
  QTest::keyClick(&plot_, Qt::Key_PageUp);
  EXPECT_EQ(window().to(), now_ - span);
  QTest::keyClick(&plot_, Qt::Key_Equal);
  EXPECT_EQ(window().to(), now_ - span - span / 4);  // around the middle
  QTest::keyClick(&plot_, Qt::Key_Home);
  EXPECT_EQ(window().from(), now_ - 10 * kDayMs);
  QTest::keyClick(&plot_, Qt::Key_Right);
  EXPECT_GT(window().from(), now_ - 10 * kDayMs);
  QTest::keyClick(&plot_, Qt::Key_End);
  EXPECT_TRUE(window().live());
}

TEST_F(TimePlotInput, OtherKeysAreForOthers) {
  QKeyEvent key(QEvent::KeyPress, Qt::Key_F5, Qt::NoModifier);
  key.accept();
  QApplication::sendEvent(&plot_, &key);
  EXPECT_FALSE(key.isAccepted());
}

TEST_F(TimePlotInput, ThePointerShowsValues) {
  const QImage without = plot_.grab().toImage();
  QTest::mouseMove(&plot_, {400, 100});
  EXPECT_NE(plot_.grab().toImage(), without);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&plot_, &leave);
  EXPECT_EQ(plot_.grab().toImage(), without);
}

}  // namespace
}  // namespace mpm::gui
