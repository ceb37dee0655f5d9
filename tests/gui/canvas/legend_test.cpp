// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QImage>

#include "gui/canvas/colour_scale.h"
#include "gui/canvas/legend_drawing.h"
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
  EXPECT_EQ(itemsOf(ViewKind::confidence)[0].atEnd, "100 %");
}

TEST(Legend, SaysHowAlikeAndHowOldAComparisonIs) {
  EXPECT_EQ(itemsOf(ViewKind::difference)[0].words, "98.77 % alike");
  EXPECT_EQ(itemsOf(ViewKind::difference).size(), 2U);
  EXPECT_EQ(itemsOf(ViewKind::difference, 0, 7300).back().words, "compared 7 s ago");
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

}  // namespace
}  // namespace mpm::gui
