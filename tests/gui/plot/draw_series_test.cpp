// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <gtest/gtest.h>

#include "gui/plot/colours.h"
#include "gui/plot/palettes.h"
#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using monitor::LightState;
using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::lightPalette;

QImage canvas() {
  QImage made(200, 100, QImage::Format_RGB32);
  made.fill(Qt::white);
  return made;
}

int coloured(const QImage& image, int x) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    if (image.pixel(x, y) != qRgb(255, 255, 255)) ++count;
  return count;
}

TEST(DrawSeries, LightStandsWhereItWas) {
  QImage image = canvas();
  QPainter painter(&image);
  drawLight(painter,
            {{kMonday, kMonday + kHourMs, LightState::day},
             {kMonday + kHourMs, kMonday + 2 * kHourMs, LightState::night}},
            image.rect(), {kMonday, kMonday + 4 * kHourMs, 200}, lightPalette());
  painter.end();
  EXPECT_EQ(image.pixelColor(25, 50), lightColour(LightState::day, lightPalette()));
  EXPECT_EQ(image.pixelColor(75, 50), lightColour(LightState::night, lightPalette()));
  EXPECT_EQ(image.pixelColor(125, 50), QColor(Qt::white));
}

TEST(DrawSeries, InfraredHasAPattern) {
  QImage image = canvas();
  QPainter painter(&image);
  drawLight(painter, {{kMonday, kMonday + kHourMs, LightState::infrared}}, image.rect(),
            {kMonday, kMonday + kHourMs, 200}, lightPalette());
  painter.end();
  QSet<QRgb> colours;
  for (int y = 0; y < 20; ++y) colours.insert(image.pixel(100, y));
  EXPECT_GT(colours.size(), 1);
}

// Both ways to draw: points for buckets, and points for columns.
TEST(DrawSeries, AGapStaysOpen) {
  for (const Resolution resolution : {Resolution::second, Resolution::hour}) {
    const std::int64_t length = monitor::lengthMs(resolution), span = 24 * kHourMs;
    auto buckets = testing::syntheticBuckets(kMonday, kMonday + span, resolution, 50);
    std::erase_if(buckets, [](const PlotBucket& bucket) {
      return bucket.startUtcMs >= kMonday + 9 * kHourMs &&
             bucket.startUtcMs < kMonday + 15 * kHourMs;
    });
    QImage image = canvas();
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    drawTrace(painter, GroupedSeries(buckets, length), image.rect(), {kMonday, kMonday + span, 200},
              axisWithin(40, 60, 5), Qt::blue);
    painter.end();
    EXPECT_GT(coloured(image, 50), 0);
    EXPECT_EQ(coloured(image, 100), 0);
    EXPECT_GT(coloured(image, 150), 0);
  }
}

TEST(DrawSeries, TheBandGoesFromSmallestToLargest) {
  auto buckets = testing::syntheticBuckets(kMonday, kMonday + kDayMs, Resolution::minute, 50);
  for (PlotBucket& bucket : buckets) {
    bucket.smallest = 25;
    bucket.mean = 50;
    bucket.largest = 75;
  }
  QImage image = canvas();
  QPainter painter(&image);
  drawTrace(painter, GroupedSeries(buckets, kMinuteMs), image.rect(),
            {kMonday, kMonday + kDayMs, 200}, axisWithin(0, 100, 5), Qt::blue);
  painter.end();
  EXPECT_NEAR(coloured(image, 100), 50, 2);
  EXPECT_EQ(image.pixel(100, 10), qRgb(255, 255, 255));
  EXPECT_NE(image.pixel(100, 40), qRgb(255, 255, 255));
}

// Buckets from one column to some of them wide, which need not be whole columns.
TEST(DrawSeries, TheBandHasNoHolesWhereBucketsAreALittleWiderThanColumns) {
  auto buckets = testing::syntheticBuckets(kMonday, kMonday + kDayMs, Resolution::minute, 50);
  for (PlotBucket& bucket : buckets) {
    bucket.smallest = 25;
    bucket.mean = 50;
    bucket.largest = 75;
  }
  for (const int minutes : {199, 143, 77, 61}) {
    QImage image = canvas();
    QPainter painter(&image);
    drawTrace(painter, GroupedSeries(buckets, kMinuteMs), image.rect(),
              {kMonday + kHourMs, kMonday + kHourMs + minutes * kMinuteMs, 200},
              axisWithin(0, 100, 5), Qt::blue);
    painter.end();
    for (int x = 0; x < image.width(); ++x)
      EXPECT_NEAR(coloured(image, x), 50, 2) << minutes << " minutes, column " << x;
  }
}

TEST(DrawSeries, ABucketAloneIsSeen) {
  QImage image = canvas();
  QPainter painter(&image);
  drawTrace(
      painter,
      GroupedSeries(testing::syntheticBuckets(kMonday, kMonday + kMinuteMs, Resolution::minute, 50),
                    kMinuteMs),
      image.rect(), {kMonday - kDayMs / 2, kMonday + kDayMs / 2, 200}, axisWithin(40, 60, 5),
      Qt::blue);
  painter.end();
  EXPECT_GT(coloured(image, 100), 2);
}

TEST(DrawSeries, ValuesFarOutsideAFixedRangeDoNoHarm) {
  auto buckets = testing::syntheticBuckets(kMonday, kMonday + kHourMs, Resolution::minute, 50);
  buckets[10].mean = buckets[10].largest = 1e12;
  QImage image = canvas();
  QPainter painter(&image);
  painter.setClipRect(image.rect());
  drawTrace(painter, GroupedSeries(buckets, kMinuteMs), image.rect(),
            {kMonday, kMonday + kHourMs, 200}, axisWithin(40, 60, 5), Qt::blue);
  painter.end();
  EXPECT_GT(coloured(image, 150), 0);
}

}  // namespace
}  // namespace mpm::gui
