// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/draw_axes.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QLocale>

#include "gui/plot/palettes.h"
#include "gui/plot/synthetic_source.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

using testing::collision;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMonday;
using testing::TextRecorder;

const QPalette kPalette = testing::lightPalette();

// Every zoom, many widths, languages whose words are long or short.
TEST(DrawAxes, TimeLabelsNeverTouch) {
  const QLocale locales[] = {QLocale(QLocale::English, QLocale::UnitedStates),
                             QLocale(QLocale::German), QLocale(QLocale::Finnish),
                             QLocale(QLocale::Japanese)};
  int drawn = 0;
  for (const int width : {200, 400, 1600})
    for (const QLocale& locale : locales)
      for (std::int64_t span = 10'000; span < 730 * kDayMs; span = span * 17 / 10) {
        TextRecorder recorder({width, 200});
        QPainter painter(&recorder);
        drawTime(painter, QRect(50, 20, width - 62, 130), kMonday + 9 * kHourMs - span,
                 kMonday + 9 * kHourMs, kPalette, QTimeZone::utc(), locale);
        painter.end();
        EXPECT_EQ(collision(recorder.drawn, QRectF(0, 0, width, 200)).toStdString(), "")
            << width << ' ' << span << ' ' << locale.name().toStdString();
        EXPECT_GE(recorder.drawn.texts.size(), 1U) << width << ' ' << span;
        drawn += static_cast<int>(recorder.drawn.texts.size());
      }
  EXPECT_GT(drawn, 1000);
}

TEST(DrawAxes, TheDateIsAlwaysThere) {
  TextRecorder recorder({400, 200});
  QPainter painter(&recorder);
  drawTime(painter, QRect(50, 20, 340, 130), kMonday + 9 * kHourMs, kMonday + 10 * kHourMs,
           kPalette, QTimeZone::utc(), QLocale(QLocale::English, QLocale::UnitedKingdom));
  painter.end();
  EXPECT_TRUE(recorder.drawn.words().contains("Mon 3 Mar 2025"))
      << recorder.drawn.words().join('|').toStdString();
  EXPECT_TRUE(recorder.drawn.words().contains("09:30"));
}

TEST(DrawAxes, ValueLabelsNeverTouch) {
  const QLocale locale(QLocale::English, QLocale::UnitedKingdom);
  for (const int height : {20, 60, 130, 400})
    for (const double high : {1e-6, 0.5, 40.0, 12'345'678.0}) {
      TextRecorder recorder({800, height + 60});
      QPainter painter(&recorder);
      const QFontMetrics metrics(painter.font(), &recorder);
      const ValueAxis axis = axisAround(0, high, ticksUpwards(height, metrics));
      const int left = valueAxisWidth(axis, metrics, locale);
      drawValuesUpwards(painter, QRect(left, 20, 700, height), axis, kPalette, locale);
      painter.end();
      EXPECT_EQ(collision(recorder.drawn, QRectF(0, 0, 800, height + 60)).toStdString(), "")
          << high;
      EXPECT_GE(recorder.drawn.texts.size(), 1U);
    }
}

TEST(DrawAxes, ValuesAlongNeverTouch) {
  const QLocale locale(QLocale::English, QLocale::UnitedKingdom);
  for (const int width : {60, 130, 700})
    for (const double high : {1e-6, 0.5, 40.0, 12'345'678.0}) {
      TextRecorder recorder({width + 100, 100});
      QPainter painter(&recorder);
      const QFontMetrics metrics(painter.font(), &recorder);
      drawValuesAlong(painter, QRect(50, 20, width, 40),
                      axisAround(0, high, ticksAlong(width, metrics)), kPalette, locale);
      painter.end();
      EXPECT_EQ(collision(recorder.drawn, QRectF(0, 0, width + 100, 100)).toStdString(), "")
          << high;
    }
}

}  // namespace
}  // namespace mpm::gui
