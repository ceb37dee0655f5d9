// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/figure_tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gui/hands.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

class FigureTileTest : public ::testing::Test {
 protected:
  FigureTileTest() { tile_.setPalette(testing::lightPalette()); }
  testing::DrawnTexts drawn(QSize size) { return drawn(tile_, size); }
  static testing::DrawnTexts drawn(FigureTile& tile, QSize size) {
    tile.resize(size);
    testing::TextRecorder recorder(size);
    tile.render(&recorder, {}, {}, {});
    return recorder.drawn;
  }
  QString words(QSize size) { return drawn(size).words().join(' ').simplified(); }
  // Returns the position of the text that contains these words; empty if none does.
  QRectF placeOf(const QString& words, QSize size) {
    for (const auto& text : drawn(size).texts)
      if (text.text.contains(words)) return text.place;
    return {};
  }
  double heightOf(const QString& digits, QSize size) { return placeOf(digits, size).height(); }

  FigureTile tile_{"Frame age"};
};

TEST_F(FigureTileTest, ShowsFigureUnitTitleAndNoteAndDescribesItself) {
  EXPECT_EQ(tile_.accessibleName(), "Frame age");
  EXPECT_EQ(tile_.accessibleDescription(), "Frame age: not known.");
  tile_.setValue(1437.26, 1, "rows");
  tile_.setNote("of 2,025");
  EXPECT_EQ(tile_.figure(), "1,437.3 rows");
  const QStringList words = drawn({240, 160}).words();
  for (const char* word : {"Frame age", "1,437.3", " rows", "of 2,025"})
    EXPECT_TRUE(words.contains(word)) << word << " in " << qPrintable(words.join('|'));
}

TEST_F(FigureTileTest, TheFigureIsAsLargeAsFitsAndNoLargerThanAgreed) {
  EXPECT_EQ(tile_.fittingPixels(), 0) << "no value";
  tile_.setValue(27.4, 1);
  EXPECT_GT(heightOf("27.4", {600, 400}), 200);
  const double before = heightOf("27.4", {300, 200});
  EXPECT_GT(before, 80);
  for (const QSize size : {QSize(96, 72), QSize(180, 120), QSize(200, 400), QSize(400, 100)})
    for (const auto& text : drawn(size).texts)
      EXPECT_TRUE(QRectF({0, 0}, size).adjusted(0, -12, 0, 12).contains(text.place))
          << qPrintable(text.text) << ' ' << size.width();
  drawn({300, 200});
  const int fits = tile_.fittingPixels();
  tile_.setMostPixels(fits / 2);
  EXPECT_LT(heightOf("27.4", {300, 200}), before * 0.6);
  EXPECT_EQ(tile_.fittingPixels(), fits);
  tile_.setMostPixels(fits * 2);
  EXPECT_EQ(heightOf("27.4", {300, 200}), before);
}

// 9.9 after 10.1 is as large as 10.1.
TEST_F(FigureTileTest, DigitsKeepTheirSize) {
  tile_.setValue(10.1, 1);
  const double before = heightOf("10.1", {120, 120});
  tile_.setValue(9.9, 1);
  EXPECT_EQ(heightOf("9.9", {120, 120}), before);
}

// Guards against "Zusammengef...".
TEST_F(FigureTileTest, ATitleIsNarrowerBeforeItIsCut) {
  QString title;
  while (QFontMetrics(QFont()).horizontalAdvance(title) < 120) title += 'n';
  FigureTile tile(title);
  EXPECT_TRUE(drawn(tile, {120, 90}).words().contains(title));
  EXPECT_FALSE(drawn(tile, {90, 90}).words().contains(title));
}

TEST_F(FigureTileTest, AFigureIsWrittenAsItsLocaleDoes) {
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
  EXPECT_EQ(tile_.figure(), "–");
  for (const auto& one : figures) {
    tile_.setValue(one.value, one.decimals, one.unit);
    EXPECT_EQ(tile_.figure(), one.figure);
  }
  tile_.setLocale(QLocale(QLocale::German));
  tile_.setValue(1437.5, 1);
  EXPECT_EQ(tile_.figure(), "1.437,5");
}

// Guards against "Alter des Bil..." after the sign, in German at 900 x 600.
TEST_F(FigureTileTest, StatesAreToldByASignBelowTheTitleAndByColour) {
  tile_.setValue(38, 0, "%");
  tile_.setTrend({37, 39, 38});
  tile_.resize(180, 120);
  const auto mostColourful = [&] {
    const QImage image = tile_.grab().toImage();
    int most = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        most = std::max(most, image.pixelColor(x, y).hsvSaturation());
    return most;
  };
  const QImage plain = tile_.grab().toImage();
  const int colourful = mostColourful();
  tile_.setState(FigureTile::State::old);
  EXPECT_LT(mostColourful(), colourful / 2);
  tile_.setState(FigureTile::State::warning);
  EXPECT_NE(tile_.grab().toImage(), plain);
  EXPECT_TRUE(words({180, 120}).contains("⚠"));
  EXPECT_GT(placeOf("⚠", {96, 72}).top(), placeOf("Fram", {96, 72}).bottom());
  tile_.setState(FigureTile::State::plain);
  EXPECT_FALSE(words({180, 120}).contains("⚠"));
  EXPECT_EQ(tile_.grab().toImage(), plain);
}

// Guards against a missing line in tiles of 137 pixels, at 900 x 600.
TEST_F(FigureTileTest, ANoteTakesTwoLinesAndANarrowTileHasItsTrendAsWell) {
  tile_.setValue(62, 0, "%");
  tile_.setNote("54 ms instead of 327 ms");
  for (const auto& [size, isWhole] : {std::pair(QSize(300, 76), true),
                                      {QSize(132, 76), true},
                                      {QSize(60, 76), false}})  // three leave the figure no room
    EXPECT_EQ(words(size).contains("54 ms instead of 327 ms"), isWhole) << size.width();
  tile_.resize(137, 84);
  const QImage without = tile_.grab().toImage();
  tile_.setTrend({10, 60, 20});
  const QRect right(137 * 2 / 3, 20, 137 / 3 - 8, 30);
  EXPECT_NE(tile_.grab().toImage().copy(right), without.copy(right));
  EXPECT_LE(placeOf("62", {137, 84}).right(), right.left()) << "they overlap";
}

}  // namespace
}  // namespace mpm::gui
