// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/series.h"

#include <gtest/gtest.h>

#include "gui/plot/colours.h"
#include "gui/plot/synthetic_source.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

using monitor::LightState;
using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::lightPalette;
using testing::syntheticBuckets;
using testing::SyntheticSource;

TEST(Series, ABucketOfOneMetric) {
  monitor::Bucket bucket;
  bucket.startUtcMs = 60'000;
  bucket.era = 2;
  bucket.frames[static_cast<std::size_t>(LightState::night)] = 3;
  bucket.tallies.resize(3);
  for (const double value : {4.0, 8.0, 6.0}) bucket.tallies[1].add(value);
  bucket.tallies[2].add(std::numeric_limits<double>::infinity());
  const PlotBucket made = plotBucket(bucket, 1);
  EXPECT_EQ(made.startUtcMs, 60'000);
  EXPECT_EQ(made.era, 2);
  EXPECT_EQ(made.light, LightState::night);
  EXPECT_EQ(made.count, 3U);
  EXPECT_EQ(made.mean, 6);
  EXPECT_EQ(made.smallest, 4);
  EXPECT_EQ(made.largest, 8);
  for (const std::size_t metric : {0U, 2U, 7U}) {  // a gap with light
    EXPECT_EQ(plotBucket(bucket, metric).count, 0U) << metric;
    EXPECT_TRUE(std::isnan(plotBucket(bucket, metric).mean));
    EXPECT_EQ(plotBucket(bucket, metric).light, LightState::night);
  }
}

constexpr std::int64_t kNow = kMonday + 2 * kDayMs;

TEST(FetchedSeries, ResolutionSuitsTheZoomAndWhatIsKept) {
  SyntheticSource full, young, empty;
  const std::int64_t kept[] = {15 * kMinuteMs, kDayMs, 31 * kDayMs, 366 * kDayMs};
  for (const Resolution resolution : monitor::kAllResolutions) {
    full.at("rows", resolution) =
        syntheticBuckets(kNow - kept[static_cast<std::size_t>(resolution)], kNow, resolution);
    young.at("rows", resolution) = syntheticBuckets(kNow - 10 * kMinuteMs, kNow, resolution);
  }
  const struct {
    SyntheticSource& source;
    std::int64_t span;
    int columns;
    Resolution resolution;
  } cases[] = {
      {full, kMinuteMs, 1200, Resolution::second},
      {full, 14 * kMinuteMs, 1200, Resolution::second},
      {full, 23 * kHourMs, 1200, Resolution::minute},
      {full, 28 * kDayMs, 1200, Resolution::hour},
      {full, 360 * kDayMs, 400, Resolution::day},
      {full, 2 * kHourMs, 1200, Resolution::minute},  // seconds do not reach back so far
      {full, 3 * kDayMs, 1200, Resolution::hour},
      {full, 300 * kDayMs, 1200, Resolution::day},
      {young, kHourMs, 1200, Resolution::second},  // minutes would add nothing
      {empty, kHourMs, 1200, Resolution::second},
  };
  for (const auto& one : cases)
    EXPECT_EQ(resolutionFor(one.source, {kNow - one.span, kNow, one.columns}), one.resolution)
        << one.span;
}

TEST(FetchedSeries, HasRoomOnBothSides) {
  SyntheticSource source;
  for (const Resolution resolution : {Resolution::minute, Resolution::day})
    source.at("rows", resolution) = syntheticBuckets(kNow - 9 * kDayMs, kNow, resolution);
  const auto fetched = fetchSeries(source, {"rows", "unknown"}, Resolution::minute,
                                   kNow - 2 * kHourMs, kNow - kHourMs);
  EXPECT_EQ(fetched->fromUtcMs, kNow - 3 * kHourMs);
  EXPECT_EQ(fetched->toUtcMs, kNow);
  ASSERT_EQ(fetched->lines.size(), 2U);
  EXPECT_EQ(fetched->lines[0].buckets().size(), 180U);
  EXPECT_TRUE(fetched->lines[1].buckets().empty());
  EXPECT_FALSE(fetched->light.empty());
  const auto days = fetchSeries(source, {"rows"}, Resolution::day, kNow - 9 * kDayMs, kNow);
  EXPECT_TRUE(days->light.empty()) << "a whole day's most frequent light is not its light";
}

class DrawSeries : public ::testing::Test {
 protected:
  DrawSeries() : image_(200, 100, QImage::Format_RGB32) {}

  void light(const std::vector<LightSpan>& spans, std::int64_t fromUtcMs, std::int64_t toUtcMs) {
    image_.fill(Qt::white);
    QPainter painter(&image_);
    drawLight(painter, spans, image_.rect(), {fromUtcMs, toUtcMs, 200}, lightPalette());
  }
  void trace(const std::vector<PlotBucket>& buckets, Resolution resolution, std::int64_t fromUtcMs,
             std::int64_t toUtcMs, const ValueAxis& axis = axisWithin(0, 100, 5)) {
    image_.fill(Qt::white);
    QPainter painter(&image_);
    painter.setRenderHint(QPainter::Antialiasing);
    drawTrace(painter, Series(buckets, monitor::lengthMs(resolution)), image_.rect(),
              {fromUtcMs, toUtcMs, 200}, axis, Qt::blue);
  }
  int coloured(int x) const {
    int count = 0;
    for (int y = 0; y < image_.height(); ++y) count += image_.pixel(x, y) != qRgb(255, 255, 255);
    return count;
  }
  /// Returns values from 25 to 75, with 50 in the middle.
  static std::vector<PlotBucket> level(std::int64_t fromUtcMs, std::int64_t toUtcMs,
                                       Resolution resolution) {
    auto buckets = syntheticBuckets(fromUtcMs, toUtcMs, resolution, 50);
    for (PlotBucket& bucket : buckets) {
      bucket.smallest = 25;
      bucket.mean = 50;
      bucket.largest = 75;
    }
    return buckets;
  }

  QImage image_;
};

TEST_F(DrawSeries, LightStandsWhereItWasAndInfraredHasAPattern) {
  light({{kMonday, kMonday + kHourMs, LightState::day},
         {kMonday + kHourMs, kMonday + 2 * kHourMs, LightState::night},
         {kMonday + 3 * kHourMs, kMonday + 4 * kHourMs, LightState::infrared}},
        kMonday, kMonday + 4 * kHourMs);
  const QColor day = lightColour(LightState::day, lightPalette()),
               night = lightColour(LightState::night, lightPalette());
  EXPECT_EQ(image_.pixelColor(25, 50), day);
  EXPECT_EQ(image_.pixelColor(75, 50), night);
  EXPECT_EQ(image_.pixelColor(125, 50), QColor(Qt::white));
  QSet<QRgb> colours;
  for (int y = 0; y < 20; ++y) colours.insert(image_.pixel(175, y));
  EXPECT_GT(colours.size(), 1);
}

TEST_F(DrawSeries, AColumnThatHasTwoLightsIsOfBoth) {
  const QColor half = mixed(lightColour(LightState::day, lightPalette()),
                            lightColour(LightState::night, lightPalette()), 0.5);
  for (const std::int64_t second : {500, 0}) {  // one after the other; a time that is there twice
    light({{kMonday, kMonday + 1000 - second, LightState::day},
           {kMonday + second, kMonday + 1000, LightState::night}},
          kMonday - 199'000, kMonday + 1000);
    EXPECT_EQ(image_.pixelColor(199, 50), half) << second;
  }
}

// Stripes that fine would hide how nights grow.
TEST_F(DrawSeries, NarrowDaysAreCalmButKeepTheirShares) {
  std::vector<LightSpan> spans;
  for (int day = 0; day < 180; ++day) {
    const std::int64_t begin = kMonday + day * kDayMs;
    spans.push_back({begin, begin + kDayMs / 2, LightState::day});
    spans.push_back({begin + kDayMs / 2, begin + kDayMs, LightState::night});
  }
  light(spans, kMonday - 180 * kDayMs, kMonday + 180 * kDayMs);
  const QColor half = mixed(lightColour(LightState::day, lightPalette()),
                            lightColour(LightState::night, lightPalette()), 0.5);
  for (const int x : {115, 150, 151, 152, 153, 195}) {
    EXPECT_NEAR(image_.pixelColor(x, 50).red(), half.red(), 3) << x;
    EXPECT_NEAR(image_.pixelColor(x, 50).blue(), half.blue(), 3) << x;
  }
  EXPECT_EQ(image_.pixelColor(50, 50), QColor(Qt::white));
}

// It tries both ways to draw: points for buckets, and points for columns.
TEST_F(DrawSeries, TheLineIsOpenWhereSomethingIsMissing) {
  for (const Resolution resolution : {Resolution::second, Resolution::hour}) {
    auto buckets = level(kMonday, kMonday + kDayMs, resolution);
    std::erase_if(buckets, [](const PlotBucket& bucket) {
      const std::int64_t hour = (bucket.startUtcMs - kMonday) / kHourMs;
      return hour >= 9 && hour < 15;
    });
    trace(buckets, resolution, kMonday, kMonday + kDayMs);
    EXPECT_GT(coloured(50), 0);
    EXPECT_EQ(coloured(100), 0);
    EXPECT_GT(coloured(150), 0);
    for (PlotBucket& bucket : buckets)
      if (bucket.startUtcMs >= kMonday + 15 * kHourMs) {
        bucket.era = 1;  // no more missing, but another era, and of no value
        bucket.count = 0;
      }
    trace(buckets, resolution, kMonday, kMonday + kDayMs);
    EXPECT_EQ(coloured(100), 0);
    EXPECT_EQ(coloured(150), 0);
  }
}

TEST_F(DrawSeries, ErasAreNotJoined) {
  auto buckets = level(kMonday, kMonday + kHourMs, Resolution::minute);
  for (std::size_t i = 30; i < 60; ++i) buckets[i].startUtcMs += kHourMs;
  for (const int era : {0, 1}) {
    for (std::size_t i = 30; i < 60; ++i) buckets[i].era = era;
    trace(buckets, Resolution::minute, kMonday, kMonday + 2 * kHourMs);
    EXPECT_EQ(coloured(100), 0) << era;
  }
  for (std::size_t i = 30; i < 60; ++i) buckets[i].startUtcMs -= 80 * kMinuteMs;  // set back
  trace(buckets, Resolution::minute, kMonday, kMonday + 2 * kHourMs);
  EXPECT_GT(coloured(30), 0) << "both are drawn";
  EXPECT_EQ(coloured(110), 0);
}

// The number of columns per bucket varies, and need not be whole.
TEST_F(DrawSeries, TheBandGoesFromSmallestToLargestWithoutHoles) {
  const auto buckets = level(kMonday, kMonday + kDayMs, Resolution::minute);
  for (const int minutes : {1300, 199, 143, 77, 61, 20}) {
    trace(buckets, Resolution::minute, kMonday + kHourMs, kMonday + kHourMs + minutes * kMinuteMs);
    for (int x = 0; x < image_.width(); ++x)
      EXPECT_NEAR(coloured(x), 50, 2) << minutes << " minutes, column " << x;
    EXPECT_EQ(image_.pixel(100, 10), qRgb(255, 255, 255));
    EXPECT_NE(image_.pixel(100, 40), qRgb(255, 255, 255));
  }
}

// A column's mean is that of its buckets, and the line passes through it.
TEST_F(DrawSeries, ColumnsHaveTheMeanOfTheirBuckets) {
  auto buckets = level(kMonday, kMonday + kDayMs, Resolution::minute);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    buckets[i].mean = i % 2 == 0 ? 20 : 40;  // 30 in any column
    buckets[i].smallest = buckets[i].largest = buckets[i].mean;
  }
  trace(buckets, Resolution::minute, kMonday, kMonday + kDayMs);
  for (const int x : {20, 100, 180}) EXPECT_LT(image_.pixelColor(x, 69).red(), 80) << x;
}

TEST_F(DrawSeries, ABucketAloneIsSeenAndOneLongerThanTheWindowToo) {
  trace(level(kMonday, kMonday + kMinuteMs, Resolution::minute), Resolution::minute,
        kMonday - kDayMs / 2, kMonday + kDayMs / 2);
  EXPECT_GT(coloured(100), 2);
  trace(level(kMonday, kMonday + kDayMs, Resolution::day), Resolution::day, kMonday + 10 * kHourMs,
        kMonday + 14 * kHourMs);
  EXPECT_GT(coloured(100), 2);
  trace(level(kMonday, kMonday + kHourMs, Resolution::minute), Resolution::minute, kMonday + kDayMs,
        kMonday + 2 * kDayMs);
  for (const int x : {0, 100, 199}) EXPECT_EQ(coloured(x), 0) << "behind a gap is nothing";
}

TEST_F(DrawSeries, ValuesThatAreFarOutsideOrNoneDoNoHarm) {
  auto buckets = level(kMonday, kMonday + kHourMs, Resolution::minute);
  buckets[10].mean = buckets[10].largest = 1e12;
  buckets[20].mean = std::nan("");
  buckets[21].largest = std::numeric_limits<double>::infinity();
  trace(buckets, Resolution::minute, kMonday, kMonday + kHourMs, axisWithin(40, 60, 5));
  EXPECT_GT(coloured(150), 0);
  EXPECT_EQ(coloured(70), 0) << "a gap";
}

}  // namespace
}  // namespace mpm::gui
