// SPDX-License-Identifier: Apache-2.0
// The stretch of time that a plot shows, by keys, wheel, pointer and button.
#include <gtest/gtest.h>

#include "gui/hands.h"
#include "gui/plot/opened.h"
#include "gui/plot/synthetic_source.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

using testing::kHourMs;

/// A live plot of ten hours; the newest value is of now, the oldest `hours` before.
class InputPlot : public testing::Opened<TimePlot> {
 public:
  explicit InputPlot(double hours = 240) {
    source_.at("live_rows", monitor::Resolution::minute) = testing::syntheticBuckets(
        kNow - static_cast<std::int64_t>(hours * kHourMs), kNow, monitor::Resolution::minute);
    resize(1000, 300);
    setClock([] { return kNow; });
    setSource(&source_);
    setLines({{"live_rows", "Live rows"}}, "rows");
    setSpan(10 * kHourMs);
    show();
    setFocus();
    QApplication::processEvents();  // with the focus's frame, whenever it comes
  }
  /// Returns the window in hours from now: "-10 to 0, live".
  std::string shown() const {
    const auto hours = [](std::int64_t utcMs) {
      return QString::number(static_cast<double>(utcMs - kNow) / kHourMs, 'g', 5);
    };
    return (hours(timeWindow().from()) + " to " + hours(timeWindow().to()) +
            (timeWindow().live() ? ", live" : ""))
        .toStdString();
  }
  static constexpr std::int64_t kNow = testing::kMonday + 15 * kHourMs;

 private:
  testing::SyntheticSource source_;
};

TEST(TimePlotKeys, ZoomAndMoveNeitherBeyondNowNorFarBeyondTheOldest) {
  const struct {
    const char *keys, *shown;
    double hours = 240;
  } cases[]{{"+", "-5 to 0, live"},
            {"-", "-20 to 0, live"},
            {"Left", "-11 to -1"},
            {"Left Right", "-10 to 0, live"},
            {"Right", "-10 to 0, live"},
            {"Left PgUp", "-20 to -10"},
            {"Left PgUp =", "-17.5 to -12.5"},  // around the middle
            {"Left PgUp = -", "-20 to -10"},
            {"Left PgUp PgDown*2", "-10 to 0, live"},
            {"Left -", "-20 to 0, live"},  // which has now in it
            {"Home", "-240 to -230"},
            {"Home Right", "-239 to -229"},
            {"Home End", "-10 to 0, live"},
            {"Left*400", "-249 to -239"},
            {"-*100", "-17568 to 0, live"},
            {"+*100", "-0.0027778 to 0, live"},
            {"Home", "-10 to 0, live", 0.05}};  // nothing is older than what is shown
  for (const auto& one : cases) {
    InputPlot plot(one.hours);
    hands::keys(&plot, one.keys);
    EXPECT_EQ(plot.shown(), one.shown) << one.keys;
  }
  InputPlot plot;
  QKeyEvent key(QEvent::KeyPress, Qt::Key_F5, Qt::NoModifier);
  key.accept();
  QApplication::sendEvent(&plot, &key);
  EXPECT_FALSE(key.isAccepted()) << "other keys are for others";
}

TEST(TimePlotPointer, TheWheelZoomsAroundThePointerAndMovesSideways) {
  InputPlot plot;
  const TimeWindow& window = plot.timeWindow();
  const std::int64_t span = window.span();
  hands::wheel(&plot, {500, 100}, 1);
  EXPECT_NEAR(static_cast<double>(window.span()), 0.8 * static_cast<double>(span), 2);
  EXPECT_FALSE(window.live());
  const double middle = static_cast<double>(window.from() + window.to()) / 2;
  EXPECT_NEAR(middle, static_cast<double>(InputPlot::kNow - span / 2),
              0.03 * static_cast<double>(span));
  const std::int64_t from = window.from();
  hands::wheel(&plot, {500, 100}, 3);
  hands::wheel(&plot, {500, 100}, -3);
  EXPECT_NEAR(static_cast<double>(window.from()), static_cast<double>(from), 1000);
  plot.goLive();
  plot.setSpan(10 * kHourMs);
  hands::wheel(&plot, {500, 100}, 0, 1);
  EXPECT_EQ(plot.shown(), "-11 to -1");
}

TEST(TimePlotPointer, DraggingMovesAndADoubleClickGoesBackToLive) {
  InputPlot plot;
  plot.lookAt(InputPlot::kNow - 25 * kHourMs, {});
  EXPECT_EQ(plot.shown(), "-30 to -20");
  const double msPerPixel = 10.0 * kHourMs / 950;
  hands::drag(&plot, {{300, 100}, {350, 100}, {400, 110}});
  const std::int64_t to = plot.timeWindow().to();
  EXPECT_NEAR(static_cast<double>(to),
              static_cast<double>(InputPlot::kNow - 20 * kHourMs) - 100 * msPerPixel,
              5 * msPerPixel);
  QTest::mouseMove(&plot, {600, 100});  // let go
  QTest::mouseClick(&plot, Qt::LeftButton, {}, {300, 100});
  EXPECT_EQ(plot.timeWindow().to(), to) << "a click alone changes nothing";
  QTest::mouseDClick(&plot, Qt::LeftButton, {}, {300, 100});
  EXPECT_EQ(plot.shown(), "-10 to 0, live");
  hands::leave(&plot);
  const QImage without = plot.grab().toImage();
  QTest::mouseMove(&plot, {400, 100});
  EXPECT_NE(plot.grab().toImage(), without) << "it shows values";
  hands::leave(&plot);
  EXPECT_EQ(plot.grab().toImage(), without);
}

// Guards against the button on "Transition", the legend's last word.
TEST(TimePlotPointer, AButtonThatStandsOnNoWordsGoesBackToLive) {
  InputPlot plot;
  auto* back = plot.findChild<QToolButton*>();
  ASSERT_NE(back, nullptr);
  EXPECT_FALSE(back->isVisible());
  hands::wheel(&plot, {500, 100}, 0, 3);
  ASSERT_TRUE(back->isVisible());
  for (int width = 220; width < 500; width += 10)
    for (const testing::DrawnText& drawn : plot.drawn({width, 200}).texts)
      EXPECT_FALSE(drawn.place.intersects(back->geometry()))
          << width << ": " << qPrintable(drawn.text);
  EXPECT_TRUE(plot.rect().contains(back->geometry()));
  QTest::mouseClick(back, Qt::LeftButton);
  EXPECT_EQ(plot.shown(), "-10 to 0, live");
  EXPECT_FALSE(back->isVisible());
}

TEST(TimeWindow, ZoomKeepsTheAnchorInItsPlaceAndNoFactorIsNone) {
  constexpr std::int64_t kNow = InputPlot::kNow;
  TimeWindow held;
  held.follow(kNow, kNow - 48 * kHourMs);
  held.setRange(kNow - 10 * kHourMs, kNow - 6 * kHourMs);
  const std::int64_t anchor = kNow - 9 * kHourMs;  // at a quarter
  held.zoom(0.5, anchor);
  EXPECT_EQ(held.span(), 2 * kHourMs);
  EXPECT_EQ(anchor - held.from(), held.span() / 4);
  held.zoom(2, anchor);
  EXPECT_EQ(held.from(), kNow - 10 * kHourMs);
  for (const double none : {0.0, -1.0, std::nan("")}) held.zoom(none, held.to());
  EXPECT_EQ(held.span(), 4 * kHourMs);
  held.setSpan(-5);
  EXPECT_EQ(held.span(), TimeWindow::kShortestMs);
}

}  // namespace
}  // namespace mpm::gui
