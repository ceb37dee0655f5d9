// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/captions.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include "gui/canvas/pictures.h"
#include "gui/plot/text_recorder.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

const QRgb kGreen = qRgb(0, 255, 0);

/// What `draw(painter, bounds)` leaves on a green picture of that size.
template <typename Draw>
QImage onGreen(QSize size, const Draw& draw) {
  QImage image(size, QImage::Format_RGB32);
  image.fill(Qt::green);
  QPainter painter(&image);
  draw(painter, QRectF(image.rect()));
  return image;
}

/// How many pixels are drawn inside and outside of a part.
struct Drawn {
  int inside = 0, outside = 0;
};

Drawn drawnOn(const QImage& image, const QRect& part) {
  Drawn drawn;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) != kGreen) ++(part.contains(x, y) ? drawn.inside : drawn.outside);
  return drawn;
}

template <typename Draw>
Drawn drawnIn(const QRect& part, const Draw& draw) {
  return drawnOn(onGreen({400, 300}, draw), part);
}

TEST(NoticeDrawing, AgesAreSpoken) {
  EXPECT_EQ(spokenAge(-5), "0 s");
  EXPECT_EQ(spokenAge(59'999), "59 s");
  EXPECT_EQ(spokenAge(130'000), "2 min 10 s");
  EXPECT_EQ(spokenAge(3 * 3600'000 + 300'000), "3 h 5 min");
  EXPECT_EQ(spokenAge(52 * 3600'000LL), "2 d 4 h");
}

TEST(NoticeDrawing, StaysInsideItsBounds) {
  const QString words =
      QStringLiteral("A sentence that is a good deal longer than a line has room");
  for (const QRect& bounds : {QRect(40, 30, 500, 300), QRect(40, 30, 160, 300)}) {
    const Drawn drawn = drawnOn(onGreen({600, 400},
                                        [&](QPainter& painter, const QRectF&) {
                                          drawTitle(painter, bounds, words);
                                          drawHint(painter, bounds, words);
                                          drawNotice(painter, bounds, words, words);
                                        }),
                                bounds);
    EXPECT_GT(drawn.inside, 0);
    EXPECT_EQ(drawn.outside, 0);
  }
}

// Seen in a window of 900 x 600: the legend stood on what can be done with zones.
TEST(NoticeDrawing, AHintLeavesALegendItsLine) {
  const QImage hint = onGreen({400, 300}, [](QPainter& painter, const QRectF& bounds) {
    drawHint(painter, bounds, "What can be done now");
  });
  const QImage legend = onGreen({400, 300}, [](QPainter& painter, const QRectF& bounds) {
    drawLegend(painter, bounds, {{"What colours mean, at length"}});
  });
  int both = 0, either = 0;
  for (int y = 0; y < hint.height(); ++y) {
    for (int x = 0; x < hint.width(); ++x) {
      const bool first = hint.pixel(x, y) != kGreen, second = legend.pixel(x, y) != kGreen;
      both += first && second;
      either += first || second;
    }
  }
  EXPECT_EQ(both, 0);
  EXPECT_GT(either, 1000);
}

// "7" stood above "s old".
TEST(NoticeDrawing, ItsLinesDoNotEndBetweenANumberAndItsUnit) {
  const QString words = "The source is open, but sends nothing. Next try in 7 s.";
  for (int width = 200; width < 500; width += 10) {
    const QRect bounds(0, 0, width, 300);
    const auto isWhole = [&](const auto& draw) {
      const auto drawn = testing::recorded(bounds.size(), draw);
      return drawn.words().join('|').contains(QStringLiteral("7\u00a0s"));
    };
    EXPECT_TRUE(isWhole([&](QPainter& painter) { drawNotice(painter, bounds, words, words); }));
    EXPECT_TRUE(isWhole([&](QPainter& painter) { drawHint(painter, bounds, words); })) << width;
  }
}

// Seen in four views of a small window: "Segmentation" began beside the picture and ended in it.
TEST(Captions, ATitleStandsBesideThePictureOrInIt) {
  const QString title = "Segmentation";
  const auto draw = [&](const QRect& picture) {
    return drawnIn(picture, [&](QPainter& painter, const QRectF& bounds) {
      drawTitle(painter, bounds, title, picture);
    });
  };
  for (const QRect& picture : {QRect(40, 0, 300, 300), QRect(0, 15, 400, 250)}) {
    const Drawn drawn = draw(picture);
    EXPECT_GT(drawn.inside, 0);
    EXPECT_EQ(drawn.outside, 0) << picture.left() << ' ' << picture.top();
  }
  EXPECT_EQ(draw({200, 0, 200, 300}).inside, 0) << "it has room beside it";
  EXPECT_GT(draw({20, 0, 60, 300}).outside, 0) << "one that is too narrow for words";
}

// Seen over zones of a small window, in German.
TEST(Captions, AHintStandsInThePictureInAsManyLinesAsItTakes) {
  const QString hint = "Click where the first corner of a zone is, or choose one of the zones";
  for (const QRect& picture : {QRect(80, 0, 240, 300), QRect(0, 0, 400, 255)}) {
    const Drawn drawn = drawnIn(picture, [&](QPainter& painter, const QRectF& bounds) {
      drawHint(painter, bounds, hint, picture);
    });
    EXPECT_GT(drawn.inside, 0);
    EXPECT_EQ(drawn.outside, 0) << picture.left() << ' ' << picture.height();
  }
}

TEST(Captions, ANoticeStandsInThePictureWhereItHasRoom) {
  const auto draw = [](const QRect& picture, const QString& reason) {
    return drawnIn(picture, [&](QPainter& painter, const QRectF& bounds) {
      drawNotice(painter, bounds, "5 s old", reason, picture);
    });
  };
  const QRect picture(100, 50, 200, 200);
  const Drawn drawn = draw(picture, "The source is open, but sends nothing to look at.");
  EXPECT_GT(drawn.inside, 0);
  EXPECT_EQ(drawn.outside, 0);
  EXPECT_GT(draw(picture, "There is no AFileWhoseNameIsWiderThanThePicture.mp4").outside, 0)
      << "a word that is wider than it";
  EXPECT_GT(draw({160, 100, 80, 60}, "The source sends nothing.").outside, 0);
}

TEST(Captions, ACardStandsBesideWhatItIsAboutAndInside) {
  QImage image(400, 300, QImage::Format_RGB32);
  QPainter painter(&image);
  const QStringList lines{"A token of 3 places", "wall"};
  const auto expectBeside = [&](const QRectF& bounds, QPointF corner) {
    const QRectF about(corner, QSizeF(50, 50)), card = drawCard(painter, bounds, about, lines);
    EXPECT_TRUE(bounds.contains(card)) << corner.x() << ' ' << corner.y();
    EXPECT_FALSE(card.intersects(about)) << corner.x() << ' ' << corner.y();
  };
  for (const QPointF corner :
       {QPointF(0, 0), QPointF(350, 0), QPointF(350, 250), QPointF(190, 250)})
    expectBeside(image.rect(), corner);
  for (const QPointF corner : {QPointF(75, 100), QPointF(75, 250)})
    expectBeside({0, 0, 200, 300}, corner);
  EXPECT_TRUE(drawCard(painter, image.rect(), {}, {}).isEmpty());
}

std::vector<LegendItem> itemsOf(ViewKind kind, int stage = 0, qint64 ageMs = 0) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  return legendOf(*smallResult(), painting, 0.98765, ageMs);
}

TEST(Legend, SaysWhatColoursMean) {
  EXPECT_TRUE(itemsOf(ViewKind::camera).empty());
  EXPECT_TRUE(itemsOf(ViewKind::mergeMap, 9).empty()) << "it is missing";
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

TEST(Legend, IsDrawnWhereThereIsRoom) {
  const auto drawn = [](QSize size) {
    const QImage image = onGreen(size, [](QPainter& painter, const QRectF& bounds) {
      drawLegend(painter, bounds, itemsOf(ViewKind::similarity));
    });
    return drawnOn(image, image.rect()).inside > 0;
  };
  EXPECT_TRUE(drawn({400, 200}));
  EXPECT_TRUE(drawn({180, 300})) << "in several lines";
  EXPECT_FALSE(drawn({400, 30}));
  EXPECT_FALSE(drawn({50, 300}));
}

// Seen: marks in the lowest rows of a picture were covered.
TEST(Legend, LeavesTheLowerHalfFreeWhereItIsToStandAbove) {
  const QImage image = onGreen({400, 200}, [](QPainter& painter, const QRectF& bounds) {
    drawLegend(painter, bounds, itemsOf(ViewKind::similarity), Qt::TopEdge);
  });
  EXPECT_GT(drawnOn(image, {0, 0, 400, 100}).inside, 0);
  EXPECT_EQ(drawnOn(image, {0, 0, 400, 100}).outside, 0);
}

// Seen: "652 tokens for 1,024 places    picture and tokens from 3 s ago" began in the margin and
// ended in the picture.
TEST(Legend, LeavesAPictureFreeThatHasRoomBesideIt) {
  const auto beside = [](double left, const std::vector<LegendItem>& items, int height = 300) {
    return onGreen({400, height}, [&](QPainter& painter, const QRectF& bounds) {
      drawLegend(painter, bounds, items, Qt::BottomEdge, QRectF(left, 0, 200, height));
    });
  };
  const auto expectBeside = [&](int left, const std::vector<LegendItem>& items) {
    const Drawn drawn = drawnOn(beside(left, items), QRect(0, 0, left, 300));
    EXPECT_GT(drawn.inside, 0) << left;
    EXPECT_EQ(drawn.outside, 0) << left;
  };
  const auto aged = itemsOf(ViewKind::mergeMap, 0, 3000);
  for (const int left : {110, 199}) expectBeside(left, aged);  // words break, or items do
  for (const int left : {108, 130, 199}) expectBeside(left, itemsOf(ViewKind::confidence));
  // Seen above an open panel: five lines beside a picture of 190 pixels stood in it, as one.
  EXPECT_EQ(drawnOn(beside(110, aged, 190), QRect(0, 30, 110, 160)).outside, 0) << "with a title";
  for (const int left : {0, 40})
    EXPECT_GT(drawnOn(beside(left, itemsOf(ViewKind::mergeMap)), {left, 0, 200, 300}).inside, 0)
        << "no words alone in their lines, and none left out: " << left;
  // Seen in four views of a small window: "649 jetons pour 1 024 emplacements" over the edge.
  const QString longWord = "Zusammenlegungsplan";
  const QImage device(1, 1, QImage::Format_RGB32);
  const double wide = QFontMetricsF(QGuiApplication::font(), &device).horizontalAdvance(longWord);
  expectBeside(qCeil(wide) + 3 * static_cast<int>(kCaptionMargin), {{longWord + ' ' + longWord}});
  for (const int left : {20, 40, 70})
    EXPECT_EQ(drawnOn(beside(left, aged), QRect(0, 0, left, 300)).inside, 0)
        << "all of it in the picture: " << left;
}

TEST(Legend, StandsNotAcrossThePicturesLowerEdge) {
  for (const int height : {280, 290, 200}) {
    const Drawn drawn = drawnIn({0, 0, 400, height}, [&](QPainter& painter, const QRectF& bounds) {
      drawLegend(painter, bounds, itemsOf(ViewKind::mergeMap), Qt::BottomEdge,
                 QRectF(0, 0, 400, height));
    });
    EXPECT_EQ(drawn.outside == 0, height != 200) << height;
    EXPECT_EQ(drawn.inside == 0, height == 200) << height;
  }
}

// "picture and tokens from 7" stood above "s ago".
TEST(Legend, ItsLinesDoNotEndBetweenANumberAndItsUnit) {
  for (int left = 110; left < 240; left += 5) {
    const auto drawn = testing::recorded({500, 300}, [&](QPainter& painter) {
      drawLegend(painter, {0, 0, 500, 300}, itemsOf(ViewKind::mergeMap, 0, 7000), Qt::BottomEdge,
                 QRectF(left, 0, 200, 300));
    });
    const QString lines = drawn.words().join('|');
    EXPECT_TRUE(lines.contains(QStringLiteral("7\u00a0s")) || lines.contains("7 s ago"))
        << left << ": " << qPrintable(lines);
  }
}

}  // namespace
}  // namespace mpm::gui
