// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/figure_tile.h"

#include <gtest/gtest.h>

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

testing::DrawnTexts recorded(FigureTile& tile, QSize size) {
  tile.resize(size);
  testing::TextRecorder recorder(size);
  tile.render(&recorder, {}, {}, {});
  return recorder.drawn;
}

double heightOf(const testing::DrawnTexts& recorder, const QString& text) {
  for (const auto& drawn : recorder.texts)
    if (drawn.text == text) return drawn.place.height();
  return 0;
}

TEST(FigureTile, ShowsFigureUnitTitleAndNote) {
  FigureTile tile("Live rows");
  tile.setValue(1437.26, 1, "rows");
  tile.setNote("of 2,025");
  EXPECT_EQ(tile.figure(), "1,437.3 rows");
  const QStringList words = recorded(tile, {240, 160}).words();
  for (const char* word : {"Live rows", "1,437.3", " rows", "of 2,025"})
    EXPECT_TRUE(words.contains(word)) << word << " in " << words.join('|').toStdString();
}

TEST(FigureTile, TheFigureIsAsLargeAsFits) {
  FigureTile tile("Frames a second");
  tile.setValue(27.4, 1);
  EXPECT_GT(heightOf(recorded(tile, {300, 200}), "27.4"), 80);
  EXPECT_GT(heightOf(recorded(tile, {600, 400}), "27.4"), 200);
  for (const QSize size : {QSize(96, 72), QSize(180, 120), QSize(200, 400), QSize(400, 100)})
    for (const auto& drawn : recorded(tile, size).texts)
      EXPECT_TRUE(QRectF({0, 0}, size).adjusted(0, -12, 0, 12).contains(drawn.place))
          << drawn.text.toStdString() << ' ' << size.width();
}

// Seen: "Zusammengef...".
TEST(FigureTile, ATitleIsNarrowerBeforeItIsCut) {
  QString title;
  while (QFontMetrics(QFont()).horizontalAdvance(title) < 120) title += 'n';
  FigureTile tile(title);
  EXPECT_TRUE(recorded(tile, {120, 90}).words().contains(title));
  EXPECT_FALSE(recorded(tile, {90, 90}).words().contains(title));
}

// 9.9 after 10.1 is as large as 10.1.
TEST(FigureTile, DigitsKeepTheirSize) {
  FigureTile tile("Frames a second");
  tile.setValue(10.1, 1);
  const double before = heightOf(recorded(tile, {120, 120}), "10.1");
  tile.setValue(9.9, 1);
  EXPECT_EQ(heightOf(recorded(tile, {120, 120}), "9.9"), before);
}

TEST(FigureTile, DigitsAreNoLargerThanAgreed) {
  FigureTile tile("Frames a second");
  EXPECT_EQ(tile.fittingPixels(), 0) << "no value";
  tile.setValue(27.4, 1);
  const double before = heightOf(recorded(tile, {300, 200}), "27.4");
  const int fits = tile.fittingPixels();
  tile.setMostPixels(fits / 2);
  EXPECT_LT(heightOf(recorded(tile, {300, 200}), "27.4"), before * 0.6);
  EXPECT_EQ(tile.fittingPixels(), fits);
  tile.setMostPixels(fits * 2);
  EXPECT_EQ(heightOf(recorded(tile, {300, 200}), "27.4"), before);
}

TEST(FigureTile, AFigureIsWrittenAsItsLocaleDoes) {
  const struct {
    double value;
    int decimals;
    const char *unit, *figure;
  } figures[] = {{std::nan(""), 0, "frames", "–"},
                 {3, 0, "frames", "3 frames"},
                 {0, 0, "", "0"},
                 {36.1, 1, "%", "36.1%"},  // seen: "36.1 %" beside "9.7%" in a sentence
                 {-0.4, 0, "%", "0%"},     // seen: "-0%" of time saved
                 {-0.4, 1, "%", "-0.4%"}};
  FigureTile tile("Drops");
  EXPECT_EQ(tile.figure(), "–");
  for (const auto& one : figures) {
    tile.setValue(one.value, one.decimals, one.unit);
    EXPECT_EQ(tile.figure(), one.figure);
  }
  tile.setLocale(QLocale(QLocale::German));
  tile.setValue(1437.5, 1);
  EXPECT_EQ(tile.figure(), "1.437,5");
}

TEST(FigureTile, StatesAreToldByASignAndByColour) {
  FigureTile tile("Frame age");
  tile.setPalette(testing::lightPalette());
  tile.setValue(143, 0, "ms");
  tile.resize(180, 120);
  const QImage plain = tile.grab().toImage();
  tile.setState(FigureTile::State::warning);
  EXPECT_NE(tile.grab().toImage(), plain);
  EXPECT_TRUE(recorded(tile, {180, 120}).words().join(' ').contains("⚠"));
  tile.setState(FigureTile::State::plain);
  EXPECT_FALSE(recorded(tile, {180, 120}).words().join(' ').contains("⚠"));
}

TEST(FigureTile, WhatIsOldIsGrey) {
  FigureTile tile("Fewer tokens");
  tile.setPalette(testing::lightPalette());
  tile.setValue(38, 0, "%");
  tile.setTrend({37, 39, 38});
  tile.resize(180, 120);
  const auto mostColourful = [&] {
    const QImage image = tile.grab().toImage();
    int most = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        most = std::max(most, image.pixelColor(x, y).hsvSaturation());
    return most;
  };
  const int plain = mostColourful();
  tile.setState(FigureTile::State::old);
  EXPECT_LT(mostColourful(), plain / 2);
  tile.setState(FigureTile::State::plain);
  EXPECT_EQ(mostColourful(), plain);
}

// Seen: "Alter des Bil..." in German, at 900 x 600, behind the sign.
TEST(FigureTile, ASignLeavesTheTitleItsRoom) {
  FigureTile tile("Age");
  tile.setValue(717, 0, "ms");
  tile.setState(FigureTile::State::warning);
  double title = 0, sign = 0;
  for (const testing::DrawnText& drawn : recorded(tile, {96, 72}).texts) {
    if (drawn.text.contains("Age")) title = drawn.place.bottom();
    if (drawn.text.contains("⚠")) sign = drawn.place.top();
  }
  EXPECT_GT(sign, title);
}

TEST(FigureTile, ANoteThatIsTooLongForALineTakesTwo) {
  FigureTile tile("Less time");
  tile.setValue(62, 0, "%");
  tile.setNote("54 ms instead of 327 ms");
  const auto isWhole = [&](const QSize& size) {
    const QString words = recorded(tile, size).words().join(' ').simplified();
    return words.contains("54 ms instead of 327 ms");
  };
  EXPECT_TRUE(isWhole({300, 76}));
  EXPECT_TRUE(isWhole({132, 76}));
  EXPECT_FALSE(isWhole({60, 76})) << "three would leave no room for the figure";
}

// Seen: in a window of 900 x 600, tiles of 137 pixels, no line was drawn.
TEST(FigureTile, ANarrowTileHasItsLineAsWell) {
  FigureTile tile("Less time");
  tile.setPalette(testing::lightPalette());
  tile.setValue(62, 0, "%");
  tile.setNote("54 ms instead of 327 ms");
  tile.resize(137, 84);
  const QImage without = tile.grab().toImage();
  tile.setTrend({10, 60, 20});
  const QImage with = tile.grab().toImage();
  const QRect right(137 * 2 / 3, 20, 137 / 3 - 8, 30);
  EXPECT_NE(with.copy(right), without.copy(right));
  for (const auto& drawn : recorded(tile, {137, 84}).texts)
    EXPECT_FALSE(drawn.text == "62" && drawn.place.right() > right.left()) << "they overlap";
}

TEST(FigureTile, DescribesItself) {
  FigureTile tile("Frame age");
  EXPECT_EQ(tile.accessibleName(), "Frame age");
  EXPECT_EQ(tile.accessibleDescription(), "Frame age: not known.");
}

}  // namespace
}  // namespace mpm::gui
