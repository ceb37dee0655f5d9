// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_plot.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <tuple>

#include "gui/hands.h"
#include "gui/plot/colours.h"
#include "gui/plot/opened.h"
#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using monitor::LightState;
using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::SyntheticSource;

class HeldPlot : public testing::Opened<TimePlot> {
 public:
  void hold(std::int64_t fromUtcMs, std::int64_t toUtcMs) {
    setSpan(toUtcMs - fromUtcMs);
    lookAt(fromUtcMs + (toUtcMs - fromUtcMs) / 2, {});
  }
};

class TimePlotTest : public ::testing::Test {
 protected:
  TimePlotTest() {
    source_->at("live_rows", Resolution::minute) =
        testing::syntheticBuckets(now_ - 3 * kDayMs, now_, Resolution::minute);
    source_->at("live_rows", Resolution::hour) =
        testing::syntheticBuckets(now_ - 300 * kDayMs, now_, Resolution::hour);
    plot_.setPalette(testing::lightPalette());
    plot_.resize(800, 300);
    plot_.setClock([this] { return now_; });
    plot_.setSource(source_.get());
    plot_.setLines({{"live_rows", "Live rows"}}, "rows");
  }

  std::vector<PlotBucket>& minutes() { return source_->at("live_rows", Resolution::minute); }
  bool says(const QString& words) { return plot_.says(plot_.size(), words); }
  /// Tells whether nothing happens by itself, now or later.
  bool rests() const {
    const auto timers = plot_.findChildren<QTimer*>();
    return std::none_of(timers.begin(), timers.end(), [](QTimer* one) { return one->isActive(); });
  }
  QString seconds() { return plot_.csv()[1].section(',', 1, 1); }

  std::int64_t now_ = kMonday + 15 * kHourMs;
  std::unique_ptr<SyntheticSource> source_ = std::make_unique<SyntheticSource>();
  HeldPlot plot_;
};

TEST_F(TimePlotTest, NoWordsTouchInAnySize) {
  plot_.setLines({{"live_rows", "Live rows"}, {"other", "Rows behind the first merge"}}, "rows");
  for (PlotBucket& bucket : minutes())
    if (bucket.startUtcMs > now_ - kHourMs / 2) bucket.era = 1;
  for (const std::int64_t span : {kHourMs / 60, kHourMs, kDayMs, 30 * kDayMs, 365 * kDayMs}) {
    plot_.setSpan(span);
    plot_.expectNoWordsTouch({{200, 120}, {400, 200}, {800, 300}, {1600, 400}});
  }
  // Guards against "40" reaching into "[ms]" above it.
  for (PlotBucket& bucket : minutes()) {
    bucket.smallest = 0;
    bucket.largest = 1000;
  }
  plot_.setSource(source_.get());
  plot_.setSpan(kDayMs);
  EXPECT_TRUE(plot_.says({800, 300}, "1,000"));
  plot_.expectNoWordsTouch({{800, 300}});
  for (const QSize size : {QSize(1, 1), QSize(20, 10), QSize(60, 40)}) {
    plot_.resize(size);
    EXPECT_EQ(plot_.grab().size(), size) << "smaller than its labels does no harm";
  }
}

TEST_F(TimePlotTest, TheLegendNamesTheLightThatIsSeen) {
  plot_.setSpan(kHourMs);
  EXPECT_TRUE(says(lightTitle(LightState::day)));
  EXPECT_FALSE(says(lightTitle(LightState::night)));
  plot_.setSpan(kDayMs);
  EXPECT_TRUE(says(lightTitle(LightState::night)));
}

TEST_F(TimePlotTest, MarksWhatChangedAndWhereTheClockWasSet) {
  plot_.setSpan(kDayMs);
  EXPECT_FALSE(says("clock set"));
  for (PlotBucket& bucket : minutes())
    if (bucket.startUtcMs > now_ - 5 * kHourMs) bucket.era = 1;
  plot_.setSource(source_.get());
  EXPECT_TRUE(says("clock set"));
  for (PlotBucket& bucket : minutes()) bucket.run = bucket.era;
  plot_.setSource(source_.get());
  EXPECT_FALSE(says("clock set")) << "each run counts eras anew";
  plot_.setSpan(kHourMs);
  plot_.setMarks({{now_ - 2 * kHourMs, "too early"},
                  {now_ - kHourMs / 2, "merge before 1,3"},
                  {now_ - kHourMs / 2 + 1000, "over another"}});
  EXPECT_TRUE(says("merge before 1,3"));
  EXPECT_FALSE(says("too early") || says("over another"));
  plot_.lookAt(now_ - kHourMs, "an event");
  EXPECT_TRUE(says("an event"));
  plot_.goLive();
  EXPECT_FALSE(says("an event"));
}

TEST_F(TimePlotTest, SaysWhyItIsEmptyAndOutlivesItsSource) {
  plot_.hold(now_ - 900 * kDayMs, now_ - 899 * kDayMs);
  EXPECT_TRUE(says("Nothing was measured from"));
  SyntheticSource empty;
  plot_.setSource(&empty);
  EXPECT_TRUE(says("Nothing has been measured yet"));
  plot_.setSource(nullptr);
  EXPECT_TRUE(says("Nothing is being measured"));
  plot_.setSource(source_.get());
  plot_.goLive();
  EXPECT_GT(plot_.table()->rowCount(), 0);
  source_.reset();
  plot_.grab();
  EXPECT_FALSE(plot_.summary().isEmpty());
  EXPECT_EQ(plot_.table()->rowCount(), 0);
  EXPECT_EQ(plot_.csv().size(), 2) << "the header";
}

// The word is in the line of dates while data arrives, and not on the newest values.
TEST_F(TimePlotTest, SaysThatItIsLiveBelowTheFigures) {
  plot_.setSpan(kHourMs);
  double live = 0, times = 0;
  for (const testing::DrawnText& text : plot_.drawn({800, 300}).texts) {
    if (text.text.contains("live")) live = text.place.top();
    if (QRegularExpression("^[0-9]+:[0-9]{2}").match(text.text).hasMatch())
      times = std::max(times, text.place.bottom());
  }
  EXPECT_GT(times, 200);
  EXPECT_GE(live, times - 1);
  plot_.setComing(false);
  EXPECT_FALSE(says("● live"));
  plot_.setComing(true);
  EXPECT_TRUE(says("● live"));
  plot_.hold(now_ - 2 * kHourMs, now_ - kHourMs);
  EXPECT_FALSE(says("● live"));
}

TEST_F(TimePlotTest, FollowsNowUnlessItIsHiddenOrHeld) {
  plot_.setSpan(kMinuteMs);
  EXPECT_TRUE(rests());
  plot_.show();
  now_ += 5000;
  EXPECT_TRUE(waitFor([&] { return plot_.timeWindow().to() == now_; }));
  plot_.hide();
  EXPECT_TRUE(rests());
  now_ += 5000;
  EXPECT_EQ(plot_.timeWindow().to(), now_ - 5000);
  plot_.show();
  EXPECT_EQ(plot_.timeWindow().to(), now_);
  plot_.hold(now_ - 2 * kHourMs, now_ - kHourMs);
  now_ += 5000;
  plot_.hide();
  plot_.show();
  EXPECT_EQ(plot_.timeWindow().to(), now_ - 5000 - kHourMs);
}

// A frame in every second makes few requests to the source, not a thousand.
TEST_F(TimePlotTest, AsksTheSourceOnceForWhatItDrawsAndForWhatArrivesLater) {
  plot_.setSpan(6 * kHourMs);
  plot_.grab();
  int asked = source_->asked;
  for (int i = 1; i <= 5; ++i) {
    plot_.lookAt(now_ - 3 * kHourMs - i * kMinuteMs, {});
    plot_.grab();
    plot_.table();
    plot_.summary();
  }
  EXPECT_EQ(source_->asked, asked);
  plot_.lookAt(now_ - 17 * kHourMs, {});
  plot_.grab();
  EXPECT_EQ(source_->asked, asked + 1);
  EXPECT_EQ(seconds(), "60");
  plot_.setSpan(20 * kDayMs);
  EXPECT_EQ(seconds(), "3600") << "the zoom's resolution";
  plot_.goLive();
  plot_.setSpan(kDayMs);
  const QImage before = plot_.grab().toImage();
  asked = source_->asked;
  emit source_->changed(now_ - 30 * kDayMs, now_ - 29 * kDayMs);
  EXPECT_TRUE(rests()) << "what arrives elsewhere changes nothing";
  for (PlotBucket& bucket : minutes()) bucket.largest = 900;
  for (int i = 0; i < 1000; ++i) emit source_->changed(now_ - 1000, now_);
  ASSERT_TRUE(waitFor([&] { return rests(); }));
  EXPECT_NE(plot_.grab().toImage(), before);
  EXPECT_EQ(source_->asked, asked + 1);
}

double threadMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// A window of 1200 x 300 shows at most these minutes before it changes to hours. The aim is 33 ms
// per frame; ten times that is asserted, since the machine may be busy or slow.
TEST_F(TimePlotTest, WeeksOfMinutesAreQuick) {
  minutes() = testing::syntheticBuckets(now_ - 60 * kDayMs, now_, Resolution::minute);
  ASSERT_EQ(minutes().size(), 86'400U);
  plot_.setSource(source_.get());
  plot_.resize(1200, 300);
  plot_.setSpan(20 * kDayMs);
  plot_.grab();
  ASSERT_EQ(seconds(), "60");
  constexpr int kFrames = 20;
  const int asked = source_->asked;
  const auto timed = [&](const char* what, const auto& look) {
    const double start = threadMs();
    for (int i = 1; i <= kFrames; ++i) {
      look(i);
      plot_.grab();
    }
    const double ms = (threadMs() - start) / kFrames;
    std::printf("[          ] %s: %.1f ms for a frame\n", what, ms);
    EXPECT_LT(ms, 330);
  };
  timed("pan", [&](int i) { plot_.lookAt(now_ - 10 * kDayMs - i * kHourMs, {}); });
  timed("zoom",
        [&](int i) { plot_.hold(now_ - 20 * kDayMs + 18 * i * kHourMs, now_ - 2 * i * kHourMs); });
  EXPECT_EQ(source_->asked, asked);
}

class TimePlotWords : public ::testing::Test {
 protected:
  TimePlotWords() {
    PlotBucket bucket;
    bucket.light = LightState::day;
    for (int minute = 0; minute < 10; ++minute) {
      if (minute == 4) continue;
      bucket.startUtcMs = kMonday + minute * kMinuteMs;
      bucket.era = minute < 6 ? 0 : 1;
      bucket.count = minute == 8 ? 0 : 10;
      bucket.mean = 400 + minute;
      bucket.smallest = 390;
      bucket.largest = 420;
      source_.at("live_rows", Resolution::minute).push_back(bucket);
      bucket.mean /= 100;
      bucket.smallest = 3.5;
      bucket.largest = 4.5;
      if (minute != 2) source_.at("ms", Resolution::minute).push_back(bucket);
    }
    plot_.resize(600, 200);
    plot_.setClock([] { return kMonday + kHourMs; });
    plot_.setSource(&source_);
    plot_.setLines({{"live_rows", "Live rows"}, {"ms", "Time, network"}}, "rows");
    plot_.hold(kMonday, kMonday + 10 * kMinuteMs);
  }
  std::string row(int row) {
    return QString::fromStdString(plot_.tableWords()).split('\n').value(row).toStdString();
  }

  SyntheticSource source_;
  HeldPlot plot_;
};

TEST_F(TimePlotWords, TableCsvAndSentenceSayWhatIsShown) {
  ASSERT_EQ(plot_.table()->rowCount(), 9);
  EXPECT_EQ(plot_.table()->headerData(2, Qt::Horizontal).toString(), "Live rows, mean");
  EXPECT_EQ(row(0), "Mon 3 Mar 2025 00:00|Day|400|390|420|10|4.00|3.50|4.50|10");
  EXPECT_EQ(row(2), "Mon 3 Mar 2025 00:02|Day|402|390|420|10||||") << "only one line is there";
  EXPECT_EQ(row(7), "Mon 3 Mar 2025 00:08|Day||||0||||0") << "no value was known";
  const QStringList lines = plot_.csv();
  ASSERT_EQ(lines.size(), 11);  // header, 9 buckets, the end
  EXPECT_EQ(lines[0],
            "start_utc,seconds,era,light,live_rows.mean,live_rows.smallest,live_rows.largest,"
            "live_rows.count,ms.mean,ms.smallest,ms.largest,ms.count,run");
  EXPECT_EQ(lines[2], "2025-03-03T00:01:00.000Z,60,0,day,401,390,420,10,4.01,3.5,4.5,10,1");
  EXPECT_EQ(lines[3], "2025-03-03T00:02:00.000Z,60,0,day,402,390,420,10,,,,0,1");
  EXPECT_EQ(lines[8], "2025-03-03T00:08:00.000Z,60,1,day,,,,0,,,,0,1");
  EXPECT_EQ(lines[10], "");
  EXPECT_EQ(
      plot_.summary(),
      "Mon 3 Mar 2025 00:00 to Mon 3 Mar 2025 00:10: Live rows: 404 rows on average, from 390 "
      "rows to 420 rows; Time, network: 4.04 rows on average, from 3.50 rows to 4.50 rows.");
  EXPECT_FALSE(plot_.accessibleName().isEmpty() || plot_.accessibleDescription().isEmpty());
  plot_.setLocale(QLocale(QLocale::German));
  EXPECT_TRUE(plot_.summary().contains("4,04"));
}

TEST_F(TimePlotWords, TheTableIsAGoodModelWhileTimeGoesOn) {
  const QAbstractItemModelTester tester(plot_.table(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QPersistentModelIndex five = plot_.table()->index(4, 0);
  const std::tuple<std::int64_t, std::int64_t, int> windows[]{
      {2 * kMinuteMs, 12 * kMinuteMs, 7},
      {-kHourMs, 12 * kMinuteMs, 9},
      {70'000, 90'000, 1},  // a bucket that is longer than the window
      {-2 * kDayMs, -kDayMs, 0}};
  for (const auto& [from, to, rows] : windows) {
    plot_.hold(kMonday + from, kMonday + to);
    EXPECT_EQ(plot_.table()->rowCount(), rows);
    if (rows == 7) {
      EXPECT_EQ(five.data().toString(), "Mon 3 Mar 2025 00:05");
    }
  }
}

// Another model, or a video watched twice, causes this.
TEST_F(TimePlotWords, RunsThatShareTheirTimesHaveRowsOfTheirOwn) {
  for (const char* metric : {"live_rows", "ms"}) {
    PlotBucket bucket = source_.at(metric, Resolution::minute)[1];
    bucket.run = 1;
    bucket.mean = bucket.smallest = bucket.largest = 7;
    source_.at(metric, Resolution::minute).push_back(bucket);
  }
  plot_.setSource(&source_);
  ASSERT_EQ(plot_.table()->rowCount(), 10);
  EXPECT_EQ(row(1), "Mon 3 Mar 2025 00:01|Day|401|390|420|10|4.01|3.50|4.50|10");
  EXPECT_EQ(row(9), "Mon 3 Mar 2025 00:01|Day|7.00|7.00|7.00|10|7.00|7.00|7.00|10");
  EXPECT_EQ(plot_.csv()[2], "2025-03-03T00:01:00.000Z,60,0,day,401,390,420,10,4.01,3.5,4.5,10,1");
  EXPECT_EQ(plot_.csv()[10], "2025-03-03T00:01:00.000Z,60,0,day,7,7,7,10,7,7,7,10,2");
}

}  // namespace
}  // namespace mpm::gui
