// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/picture_marks.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include "gui/canvas/captions.h"
#include "gui/canvas/colour_scale.h"
#include "gui/plot/text_recorder.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

std::vector<LegendItem> itemsOf(ViewKind kind, int stage = 0, qint64 ageMs = 0) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  return legendOf(*smallResult(), painting, 0.98765, ageMs);
}

TEST(Legend, SaysWhatColoursMean) {
  EXPECT_TRUE(itemsOf(ViewKind::camera).empty());
  EXPECT_EQ(itemsOf(ViewKind::mergeMap)[0].words, "9 tokens for 12 places");
  const auto sizes = itemsOf(ViewKind::groupSize);
  ASSERT_EQ(sizes.size(), 5U);
  EXPECT_EQ(sizes[1].colour, colourAt(countScale(), 0));
  EXPECT_EQ(sizes[4].words, "4");
  EXPECT_EQ(sizes[4].colour, colourAt(countScale(), 1));
  EXPECT_EQ(itemsOf(ViewKind::groupSize, 1).size(), 3U) << "one merge makes pairs";
  EXPECT_EQ(itemsOf(ViewKind::similarity).back().mark, LegendItem::Mark::hatched);
  EXPECT_EQ(itemsOf(ViewKind::confidence)[0].atEnd, "100%");
}

TEST(Legend, SaysHowAlikeAndHowOldAComparisonIs) {
  EXPECT_EQ(itemsOf(ViewKind::difference)[0].words, "98.77% alike");
  EXPECT_EQ(itemsOf(ViewKind::difference).size(), 2U);
  EXPECT_EQ(itemsOf(ViewKind::difference, 0, 7300).back().words, "compared 7 s ago");
}

TEST(Legend, SaysHowOldTokensAndWhatWasRememberedAre) {
  EXPECT_EQ(itemsOf(ViewKind::mergeMap, 0, 900).size(), 1U);
  EXPECT_EQ(itemsOf(ViewKind::mergeMap, 0, 4200).back().words, "picture and tokens from 4 s ago");
  EXPECT_EQ(itemsOf(ViewKind::confidence, 0, 4200).size(), 1U);
  const auto computed = itemsOf(ViewKind::computed);
  ASSERT_EQ(computed.size(), 2U);
  EXPECT_EQ(computed[0].words, "3 of 12 places computed");
  EXPECT_EQ(computed[1].words, "remembered for up to 7 frames");
  EXPECT_EQ(computed[1].colour, kRememberedColour);
}

TEST(Legend, SaysThatOnlyTheFirstOfSlidingWindowsShowsItsTokens) {
  const auto result = smallResult();
  result->segmentation.windows = 3;
  Painting painting;
  painting.kind = ViewKind::groupSize;
  EXPECT_EQ(legendOf(*result, painting, 1, 0).back().words, "tokens of window 1 of 3 alone");
  painting.kind = ViewKind::confidence;
  EXPECT_EQ(legendOf(*result, painting, 1, 0).size(), 1U) << "of all windows";
}

TEST(Legend, OfWhatIsMissingIsEmpty) { EXPECT_TRUE(itemsOf(ViewKind::mergeMap, 9).empty()); }

TEST(Legend, IsDrawnWhereThereIsRoom) {
  const auto drawn = [](QSize size) {
    QImage image(size, QImage::Format_RGB32), blank;
    image.fill(Qt::white);
    blank = image;
    QPainter painter(&image);
    drawLegend(painter, image.rect(), itemsOf(ViewKind::similarity));
    painter.end();
    return image != blank;
  };
  EXPECT_TRUE(drawn({400, 200}));
  EXPECT_TRUE(drawn({180, 300})) << "in several lines";
  EXPECT_FALSE(drawn({400, 30}));
  EXPECT_FALSE(drawn({50, 300}));
}

// Seen: marks in the lowest rows of a picture were covered.
TEST(Legend, LeavesTheLowerHalfFreeWhereItIsToStandAbove) {
  QImage image(400, 200, QImage::Format_RGB32);
  image.fill(Qt::green);
  const QImage blank = image.copy();
  QPainter painter(&image);
  drawLegend(painter, image.rect(), itemsOf(ViewKind::similarity), Qt::TopEdge);
  painter.end();
  EXPECT_NE(image.copy(0, 0, 400, 100), blank.copy(0, 0, 400, 100));
  EXPECT_EQ(image.copy(0, 100, 400, 100), blank.copy(0, 100, 400, 100));
}

// Seen: "652 tokens for 1,024 places    picture and tokens from 3 s ago" began in the margin and
// ended in the picture.
TEST(Legend, LeavesAPictureFreeThatHasRoomBesideIt) {
  const auto drawn = [](double left, const std::vector<LegendItem>& items) {
    QImage image(400, 300, QImage::Format_RGB32);
    image.fill(Qt::green);
    QPainter painter(&image);
    drawLegend(painter, image.rect(), items, Qt::BottomEdge, QRectF(left, 0, 200, 300));
    painter.end();
    return image;
  };
  const auto isFree = [](const QImage& image, const QRect& part) {
    QImage green(part.size(), QImage::Format_RGB32);
    green.fill(Qt::green);
    return image.copy(part) == green;
  };
  for (const int left : {110, 199}) {  // words break, or items stand below each other
    const QImage image = drawn(left, itemsOf(ViewKind::mergeMap, 0, 3000));
    EXPECT_TRUE(isFree(image, QRect(left, 0, 400 - left, 300))) << left;
    EXPECT_FALSE(isFree(image, QRect(0, 0, left, 300))) << left;
  }
  for (const int left : {108, 130, 199}) {  // a scale stands between its words, or is shorter
    const QImage image = drawn(left, itemsOf(ViewKind::confidence));
    EXPECT_TRUE(isFree(image, QRect(left, 0, 400 - left, 300))) << left;
    EXPECT_FALSE(isFree(image, QRect(0, 0, left, 300))) << left;
  }
  // Seen above an open panel: five lines beside a picture of 190 pixels stood in it, as one.
  QImage low(400, 190, QImage::Format_RGB32);
  low.fill(Qt::green);
  QPainter painter(&low);
  drawLegend(painter, low.rect(), itemsOf(ViewKind::mergeMap, 0, 3000), Qt::BottomEdge,
             QRectF(110, 0, 200, 190));
  painter.end();
  EXPECT_TRUE(isFree(low, QRect(110, 0, 290, 190)));
  EXPECT_FALSE(isFree(low, QRect(0, 40, 110, 150)));
  EXPECT_TRUE(isFree(low, QRect(0, 0, 400, 30))) << "the title's line";
  for (const int left : {0, 40})
    EXPECT_FALSE(isFree(drawn(left, itemsOf(ViewKind::mergeMap)), QRect(left, 0, 200, 300)))
        << "no words alone in their lines, and none left out: " << left;
  // Seen in four views of a small window: "649 jetons pour 1 024 emplacements" over the edge.
  const QString longWord = "Zusammenlegungsplan";
  const double wide = QFontMetricsF(QGuiApplication::font(), &low).horizontalAdvance(longWord);
  const int justEnough = qCeil(wide) + 3 * static_cast<int>(kCaptionMargin);
  const QImage beside = drawn(justEnough, {{longWord + ' ' + longWord}});
  EXPECT_TRUE(isFree(beside, QRect(justEnough, 0, 400 - justEnough, 300)));
  EXPECT_FALSE(isFree(beside, QRect(0, 0, justEnough, 300)));
  for (const int left : {20, 40, 70})
    EXPECT_TRUE(isFree(drawn(left, itemsOf(ViewKind::mergeMap, 0, 3000)), QRect(0, 0, left, 300)))
        << "all of it in the picture: " << left;
}

TEST(Legend, StandsNotAcrossThePicturesLowerEdge) {
  for (const int height : {280, 290, 200}) {
    QImage image(400, 300, QImage::Format_RGB32);
    image.fill(Qt::green);
    const QImage blank = image.copy();
    QPainter painter(&image);
    drawLegend(painter, image.rect(), itemsOf(ViewKind::mergeMap), Qt::BottomEdge,
               QRectF(0, 0, 400, height));
    painter.end();
    const QRect below(0, height, 400, 300 - height), above(0, 0, 400, height);
    EXPECT_EQ(image.copy(below) == blank.copy(below), height != 200) << height;
    EXPECT_EQ(image.copy(above) == blank.copy(above), height == 200) << height;
  }
}

// "picture and tokens from 7" stood above "s ago".
TEST(Legend, ItsLinesDoNotEndBetweenANumberAndItsUnit) {
  for (int left = 110; left < 240; left += 5) {
    testing::TextRecorder recorder({500, 300});
    QPainter painter(&recorder);
    drawLegend(painter, {0, 0, 500, 300}, itemsOf(ViewKind::mergeMap, 0, 7000), Qt::BottomEdge,
               QRectF(left, 0, 200, 300));
    painter.end();
    const QString lines = recorder.drawn.words().join('|');
    EXPECT_TRUE(lines.contains(QStringLiteral("7\u00a0s")) || lines.contains("7 s ago"))
        << left << ": " << qPrintable(lines);
  }
}

}  // namespace
}  // namespace mpm::gui
