// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "gui/plot/colours.h"
#include "gui/plot/palettes.h"
#include "gui/plot/synthetic_source.h"
#include "gui/plot/text_recorder.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMonday;
using testing::SyntheticSource;

constexpr std::int64_t kNow = kMonday + 15 * kHourMs;

/// `draw` is for those who inherit; a test may.
class OpenTimePlot : public TimePlot {
 public:
  using TimePlot::draw;
};

class TimePlotDraw : public ::testing::Test {
 protected:
  void SetUp() override {
    source_.at("live_rows", Resolution::minute) =
        testing::syntheticBuckets(kNow - 3 * kDayMs, kNow, Resolution::minute);
    source_.at("live_rows", Resolution::hour) =
        testing::syntheticBuckets(kNow - 300 * kDayMs, kNow, Resolution::hour);
    plot_.setPalette(testing::lightPalette());
    plot_.resize(800, 300);
    plot_.setTimeZone(QTimeZone::utc());
    plot_.setClock([] { return kNow; });
    plot_.setSource(&source_);
    plot_.setLines({{"live_rows", "Live rows"}}, "rows");
  }

  testing::DrawnTexts recorded(QSize size) {
    testing::TextRecorder recorder(size);
    QPainter painter(&recorder);
    plot_.draw(painter, size);
    painter.end();
    return recorder.drawn;
  }

  SyntheticSource source_;
  OpenTimePlot plot_;
};

TEST_F(TimePlotDraw, NoWordsTouchInAnySize) {
  plot_.setLines({{"live_rows", "Live rows"}, {"other", "Rows behind the first merge"}}, "rows");
  for (PlotBucket& bucket : source_.at("live_rows", Resolution::minute))
    if (bucket.startUtcMs > kNow - kHourMs / 2) bucket.era = 1;
  for (const QSize size : {QSize(200, 120), QSize(400, 200), QSize(800, 300), QSize(1600, 400)})
    for (const std::int64_t span : {kHourMs / 60, kHourMs, kDayMs, 30 * kDayMs, 365 * kDayMs}) {
      plot_.resize(size);
      plot_.setSpan(span);
      EXPECT_EQ(testing::collision(recorded(size), QRectF({0, 0}, size)).toStdString(), "")
          << size.width() << ' ' << span;
    }
}

// Seen: "40" reached into "[ms]" above it.
TEST_F(TimePlotDraw, AValueAtTheTopLeavesTheLegendFree) {
  for (PlotBucket& bucket : source_.at("live_rows", Resolution::minute)) {
    bucket.smallest = 0;
    bucket.largest = 1000;
  }
  plot_.setSpan(kDayMs);
  const testing::DrawnTexts drawn = recorded({800, 300});
  EXPECT_TRUE(drawn.words().contains("1,000") || drawn.words().contains("1000"))
      << qPrintable(drawn.words().join('|'));
  EXPECT_EQ(testing::collision(drawn, QRectF(0, 0, 800, 300)).toStdString(), "");
}

TEST_F(TimePlotDraw, TheLegendNamesTheLightThatIsSeen) {
  plot_.setSpan(kHourMs);
  EXPECT_TRUE(recorded({800, 300}).words().contains(lightTitle(monitor::LightState::day)));
  EXPECT_FALSE(recorded({800, 300}).words().contains(lightTitle(monitor::LightState::night)));
  plot_.setSpan(kDayMs);
  EXPECT_TRUE(recorded({800, 300}).words().contains(lightTitle(monitor::LightState::night)));
}

TEST_F(TimePlotDraw, MarksWhereTheClockWasSet) {
  plot_.setSpan(kDayMs);
  EXPECT_FALSE(recorded({800, 300}).words().contains("clock set"));
  for (PlotBucket& bucket : source_.at("live_rows", Resolution::minute))
    if (bucket.startUtcMs > kNow - 5 * kHourMs) bucket.era = 1;
  plot_.setSource(&source_);
  EXPECT_TRUE(recorded({800, 300}).words().contains("clock set"));
  for (PlotBucket& bucket : source_.at("live_rows", Resolution::minute)) bucket.run = bucket.era;
  plot_.setSource(&source_);
  EXPECT_FALSE(recorded({800, 300}).words().contains("clock set")) << "each run counts eras anew";
}

TEST_F(TimePlotDraw, SaysWhyItIsEmpty) {
  plot_.showWindow(kNow - 900 * kDayMs, kNow - 899 * kDayMs);
  EXPECT_TRUE(recorded({800, 300}).words().join(' ').contains("Nothing was measured from"));
  SyntheticSource empty;
  plot_.setSource(&empty);
  EXPECT_TRUE(recorded({800, 300}).words().join(' ').contains("Nothing has been measured yet"));
  plot_.setSource(nullptr);
  EXPECT_TRUE(recorded({800, 300}).words().join(' ').contains("Nothing is being measured"));
}

TEST_F(TimePlotDraw, SaysThatItIsLive) {
  EXPECT_TRUE(recorded({800, 300}).words().join(' ').contains("live"));
  plot_.showWindow(kNow - 2 * kHourMs, kNow - kHourMs);
  EXPECT_FALSE(recorded({800, 300}).words().join(' ').contains("● live"));
}

// Seen: the word stood on the newest figures, where they were low.
TEST_F(TimePlotDraw, TheWordLiveStandsBelowTheFiguresItIsAbout) {
  plot_.setSpan(kHourMs);
  double live = 0, times = 0;
  for (const testing::DrawnText& text : recorded({800, 300}).texts) {
    if (text.text.contains("live")) live = text.place.top();
    if (QRegularExpression("^[0-9]+:[0-9]{2}").match(text.text).hasMatch())
      times = std::max(times, text.place.bottom());
  }
  EXPECT_GT(times, 200);
  EXPECT_GE(live, times - 1) << "in the line of dates";
}

TEST_F(TimePlotDraw, WhereNothingComesItIsNotCalledLive) {
  plot_.setComing(false);
  EXPECT_FALSE(recorded({800, 300}).words().join(' ').contains("● live"));
  plot_.setComing(true);
  EXPECT_TRUE(recorded({800, 300}).words().join(' ').contains("● live"));
}

TEST_F(TimePlotDraw, MarksWhatChanged) {
  plot_.setSpan(kHourMs);
  plot_.setMarks({{kNow - 2 * kHourMs, "too early"},
                  {kNow - kHourMs / 2, "merge before 1,3"},
                  {kNow - kHourMs / 2 + 1000, "over another"}});
  const QStringList words = recorded({800, 300}).words();
  EXPECT_TRUE(words.contains("merge before 1,3"));
  EXPECT_FALSE(words.contains("too early"));
  EXPECT_FALSE(words.contains("over another"));
}

TEST_F(TimePlotDraw, DarkAndLightDiffer) {
  plot_.setSpan(kDayMs);
  const QImage light = plot_.image({400, 200});
  plot_.setPalette(testing::darkPalette());
  const QImage dark = plot_.image({400, 200});
  EXPECT_EQ(light.pixelColor(399, 0), QColor(Qt::white));
  EXPECT_EQ(dark.pixelColor(399, 0), testing::darkPalette().color(QPalette::Base));
}

TEST_F(TimePlotDraw, SmallerThanItsLabelsDoesNoHarm) {
  for (const QSize size : {QSize(1, 1), QSize(20, 10), QSize(60, 40)}) {
    plot_.resize(size);
    EXPECT_EQ(plot_.image(size).size(), size);
    plot_.grab();
  }
}

double threadMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// As many minutes as a window of 1200 x 300 shows before it takes hours. Aim: 33 ms for a frame;
// asserted is ten times that, since the machine may be busy or slow.
TEST_F(TimePlotDraw, WeeksOfMinutesAreQuick) {
  source_.at("live_rows", Resolution::minute) =
      testing::syntheticBuckets(kNow - 60 * kDayMs, kNow, Resolution::minute);
  ASSERT_EQ(source_.at("live_rows", Resolution::minute).size(), 86'400U);
  plot_.setSource(&source_);
  plot_.resize(1200, 300);
  plot_.setSpan(20 * kDayMs);
  double start = threadMs();
  plot_.grab();
  ASSERT_EQ(plot_.shownResolution(), Resolution::minute);
  std::printf("[          ] fetched and drawn: %.1f ms\n", threadMs() - start);

  constexpr int kFrames = 20;
  const int asked = source_.asked;
  start = threadMs();
  for (int i = 1; i <= kFrames; ++i) {
    plot_.showWindow(kNow - 20 * kDayMs - i * kHourMs, kNow - i * kHourMs);
    plot_.grab();
  }
  const double pan = (threadMs() - start) / kFrames;
  start = threadMs();
  for (int i = 1; i <= kFrames; ++i) {
    plot_.showWindow(kNow - 20 * kDayMs + 18 * i * kHourMs, kNow - 2 * i * kHourMs);
    plot_.grab();
  }
  const double zoom = (threadMs() - start) / kFrames;
  std::printf("[          ] pan: %.1f ms, zoom: %.1f ms for a frame\n", pan, zoom);
  EXPECT_EQ(source_.asked, asked);
  EXPECT_LT(pan, 330);
  EXPECT_LT(zoom, 330);
}

}  // namespace
}  // namespace mpm::gui
