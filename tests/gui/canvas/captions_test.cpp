// SPDX-License-Identifier: Apache-2.0
// Words on a picture or beside it, never across its edge: titles, hints, notices, cards, legends.
#include "gui/canvas/captions.h"

#include <gtest/gtest.h>

#include "gui/canvas/pictures.h"
#include "gui/canvas/small_result.h"
#include "gui/hands.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

const QRgb kGreen = qRgb(0, 255, 0);
using Draw = std::function<void(QPainter& painter, const QRectF& bounds, const QRectF& picture)>;

/// Draws on a green view of 400 x 300.
QImage onGreen(const Draw& draw, const QRectF& bounds = {0, 0, 400, 300},
               const QRect& picture = {}) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::green);
  QPainter painter(&image);
  draw(painter, bounds, picture);
  return image;
}

/// Returns where it is drawn: "in", "beside", "both" or "nothing".
std::string where(const QImage& image, const QRect& part) {
  bool in = false, beside = false;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) != kGreen) (part.contains(x, y) ? in : beside) = true;
  return in && beside ? "both" : in ? "in" : beside ? "beside" : "nothing";
}

Draw titled(const QString& words) {
  return [=](QPainter& painter, const QRectF& bounds, const QRectF& picture) {
    drawTitle(painter, bounds, words, picture);
  };
}
Draw hinted(const QString& words) {
  return [=](QPainter& painter, const QRectF& bounds, const QRectF& picture) {
    drawHint(painter, bounds, words, picture);
  };
}
Draw noticed(const QString& large, const QString& small) {
  return [=](QPainter& painter, const QRectF& bounds, const QRectF& picture) {
    drawNotice(painter, bounds, large, small, picture);
  };
}
Draw explained(const std::vector<LegendItem>& items, Qt::Edge edge = Qt::BottomEdge) {
  return [=](QPainter& painter, const QRectF& bounds, const QRectF& picture) {
    drawLegend(painter, bounds, items, edge, picture);
  };
}

std::vector<LegendItem> itemsOf(ViewKind kind, int stage = 0, qint64 ageMs = 0) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  return legendOf(*smallResult(), painting, 0.98765, ageMs);
}

TEST(NoticeDrawing, AgesAreSpoken) {
  EXPECT_EQ(spokenAge(-5), "0 s");
  EXPECT_EQ(spokenAge(59'999), "59 s");
  EXPECT_EQ(spokenAge(130'000), "2 min 10 s");
  EXPECT_EQ(spokenAge(3 * 3600'000 + 300'000), "3 h 5 min");
  EXPECT_EQ(spokenAge(52 * 3600'000LL), "2 d 4 h");
}

TEST(Captions, StayInsideTheirBounds) {
  const QString words = "A sentence that is a good deal longer than a line has room";
  for (const QRect& bounds : {QRect(40, 30, 320, 250), QRect(40, 30, 160, 250)})
    for (const Draw& draw : {titled(words), hinted(words), noticed(words, words)})
      EXPECT_EQ(where(onGreen(draw, bounds), bounds), "in") << bounds.width();
}

// Guards against "Segmentation" across the picture's edge in four views of a small window.
TEST(Captions, StandBesideThePictureOrInIt) {
  const Draw title = titled("Segmentation"),
             hint = hinted("Click where the first corner of a zone is, or choose one of the zones"),
             notice = noticed("5 s old", "The source is open, but sends nothing to look at."),
             file = noticed("5 s old", "There is no AFileWhoseNameIsWiderThanThePicture.mp4"),
             shortOne = noticed("5 s old", "The source sends nothing."),
             names = explained(itemsOf(ViewKind::mergeMap)),
             aged = explained(itemsOf(ViewKind::mergeMap, 0, 3000)),
             scale = explained(itemsOf(ViewKind::confidence));
  const auto isNotIn = [](const std::string& place) {
    return place == "beside" || place == "both";
  };
  const struct {
    const char* what;
    const Draw& draw;
    std::vector<QRect> pictures;
    std::string where;  // "any": not in it alone
  } cases[]{
      {"a title", title, {{40, 0, 300, 300}, {0, 15, 400, 250}}, "in"},
      {"it has room beside it", title, {{200, 0, 200, 300}}, "beside"},
      {"too narrow for words", title, {{20, 0, 60, 300}}, "any"},
      // This covers zones of a small window, in German.
      {"a hint in many lines", hint, {{80, 0, 240, 300}, {0, 0, 400, 255}}, "in"},
      {"a notice", notice, {{100, 50, 200, 200}}, "in"},
      {"a word wider than it", file, {{100, 50, 200, 200}}, "any"},
      {"a small picture", shortOne, {{160, 100, 80, 60}}, "any"},
      // Guards against "652 tokens for 1,024 places    picture and tokens from 3 s ago" from the
      // margin into the picture. Words break, or items do.
      {"a legend of two", aged, {{110, 0, 200, 300}, {199, 0, 200, 300}}, "beside"},
      {"a scale", scale, {{108, 0, 200, 300}, {130, 0, 200, 300}, {199, 0, 200, 300}}, "beside"},
      {"no words alone in their lines", names, {{0, 0, 200, 300}}, "in"},
      {"and none left out", names, {{40, 0, 200, 300}}, "in"},
      {"all of it in the picture",
       aged,
       {{20, 0, 380, 300}, {40, 0, 360, 300}, {70, 0, 330, 300}},
       "in"},
      {"not across the lower edge", names, {{0, 0, 400, 280}, {0, 0, 400, 290}}, "in"},
      {"but below it", names, {{0, 0, 400, 200}}, "beside"}};
  for (const auto& one : cases)
    for (const QRect& picture : one.pictures) {
      const std::string found = where(onGreen(one.draw, {0, 0, 400, 300}, picture), picture);
      EXPECT_TRUE(found == one.where || (one.where == "any" && isNotIn(found)))
          << one.what << ' ' << picture.left() << ' ' << picture.width() << ": " << found;
    }
}

// Guards against five lines next to a low picture drawn as one inside it, above a panel. Also
// guards against "649 jetons pour 1 024 patchs" across the edge in four views.
TEST(Captions, ALegendBesideALowPictureLeavesTheTitleItsLineAndBreaksBetweenWords) {
  const QRect low(110, 0, 200, 190);
  const QImage five =
      onGreen(explained(itemsOf(ViewKind::mergeMap, 0, 3000)), {0, 0, 400, 190}, low);
  EXPECT_EQ(where(five, {0, 30, 110, 160}), "in");
  const QString longWord = "Zusammenlegungsplan";
  const QImage device(1, 1, QImage::Format_RGB32);
  const double wide = QFontMetricsF(QGuiApplication::font(), &device).horizontalAdvance(longWord);
  const int left = qCeil(wide) + 3 * static_cast<int>(kCaptionMargin);
  const QImage two =
      onGreen(explained({{longWord + ' ' + longWord}}), {0, 0, 400, 300}, {left, 0, 200, 300});
  EXPECT_EQ(where(two, {0, 0, left, 300}), "in");
}

// Guards against a legend on top of the hint about zones, at 900 x 600.
TEST(Captions, AHintLeavesALegendItsLine) {
  const QImage hint = onGreen(hinted("What can be done now")),
               legend = onGreen(explained({{"What colours mean, at length"}}));
  int both = 0, either = 0;
  for (int y = 0; y < hint.height(); ++y)
    for (int x = 0; x < hint.width(); ++x) {
      const bool first = hint.pixel(x, y) != kGreen, second = legend.pixel(x, y) != kGreen;
      both += first && second;
      either += first || second;
    }
  EXPECT_EQ(both, 0);
  EXPECT_GT(either, 1000);
}

// Guards against "7" above "s old", and "picture and tokens from 7" above "s ago".
TEST(Captions, LinesDoNotEndBetweenANumberAndItsUnit) {
  const QString words = "The source is open, but sends nothing. Next try in 7 s.";
  const auto expectWhole = [](const Draw& draw, const QRectF& bounds, const QRectF& picture) {
    const QString lines =
        testing::recorded(bounds.size().toSize(),
                          [&](QPainter& painter) { draw(painter, bounds, picture); })
            .words()
            .join('|');
    EXPECT_TRUE(lines.contains(QStringLiteral("7\u00a0s")) || lines.contains("7 s ago"))
        << bounds.width() << ' ' << picture.left() << qPrintable(lines);
  };
  for (int width = 200; width < 500; width += 10)
    for (const Draw& draw : {noticed(words, words), hinted(words)})
      expectWhole(draw, QRectF(0, 0, width, 300), {});
  for (int left = 110; left < 240; left += 5)
    expectWhole(explained(itemsOf(ViewKind::mergeMap, 0, 7000)), {0, 0, 500, 300},
                QRectF(left, 0, 200, 300));
}

TEST(Captions, ACardStandsBesideWhatItIsAboutAndInside) {
  QImage image(400, 300, QImage::Format_RGB32);
  QPainter painter(&image);
  for (const auto& [width, corner] : {std::pair(400, QPointF(0, 0)),
                                      {400, QPointF(350, 0)},
                                      {400, QPointF(350, 250)},
                                      {400, QPointF(190, 250)},
                                      {200, QPointF(75, 100)},
                                      {200, QPointF(75, 250)}}) {
    const QRectF bounds(0, 0, width, 300), about(corner, QSizeF(50, 50)),
        card = drawCard(painter, bounds, about, {"A token of 3 patches", "wall"});
    EXPECT_TRUE(bounds.contains(card)) << corner.x() << ' ' << corner.y();
    EXPECT_FALSE(card.intersects(about)) << corner.x() << ' ' << corner.y();
  }
  EXPECT_TRUE(drawCard(painter, image.rect(), {}, {}).isEmpty());
}

TEST(Legend, SaysWhatColoursMeanAndHowOldTokensAre) {
  const auto words = [](const std::vector<LegendItem>& items) {
    QStringList all;
    for (const LegendItem& item : items)
      all << item.words + (item.atEnd.isEmpty() ? "" : " to " + item.atEnd);
    return all.join("; ").toStdString();
  };
  EXPECT_EQ(words(itemsOf(ViewKind::camera)), "");
  EXPECT_EQ(words(itemsOf(ViewKind::mergeMap, 9)), "") << "it is missing";
  EXPECT_EQ(words(itemsOf(ViewKind::mergeMap, 0, 900)), "9 tokens for 12 patches");
  EXPECT_EQ(words(itemsOf(ViewKind::mergeMap, 0, 4200)),
            "9 tokens for 12 patches; picture and tokens from 4 s ago");
  EXPECT_EQ(itemsOf(ViewKind::groupSize, 1).size(), 3U) << "one merge makes pairs";
  EXPECT_EQ(itemsOf(ViewKind::similarity).back().mark, LegendItem::Mark::hatched);
  EXPECT_EQ(itemsOf(ViewKind::confidence, 0, 4200).size(), 1U);
  EXPECT_EQ(itemsOf(ViewKind::confidence)[0].atEnd, "100%");
  EXPECT_EQ(itemsOf(ViewKind::difference)[0].words, "98.77% alike");
  EXPECT_EQ(itemsOf(ViewKind::difference).size(), 2U);
  EXPECT_EQ(itemsOf(ViewKind::difference, 0, 7300).back().words, "compared 7 s ago");
  const auto sizes = itemsOf(ViewKind::groupSize), computed = itemsOf(ViewKind::computed);
  ASSERT_EQ(sizes.size(), 5U);
  EXPECT_EQ(sizes[1].colour, colourAt(countScale(), 0));
  EXPECT_EQ(sizes[4].words, "4");
  EXPECT_EQ(sizes[4].colour, colourAt(countScale(), 1));
  EXPECT_EQ(words(computed), "3 of 12 patches recomputed; remembered for up to 7 frames");
  EXPECT_EQ(computed[1].colour, kRememberedColour);
  const auto slid = smallResult();
  slid->segmentation.windows = 3;
  Painting painting;
  painting.kind = ViewKind::groupSize;
  EXPECT_EQ(legendOf(*slid, painting, 1, 0).back().words, "tokens of window 1 of 3 only");
  painting.kind = ViewKind::confidence;
  EXPECT_EQ(legendOf(*slid, painting, 1, 0).size(), 1U) << "of all windows";
}

// Guards against marks in a picture's lowest rows that the legend above them covers.
TEST(Legend, IsDrawnWhereThereIsRoom) {
  const Draw draw = explained(itemsOf(ViewKind::similarity));
  for (const auto& [size, isDrawn] : {std::pair(QSize(400, 200), true),
                                      {QSize(180, 300), true},  // in several lines
                                      {QSize(400, 30), false},
                                      {QSize(50, 300), false}})
    EXPECT_EQ(where(onGreen(draw, QRect({}, size)), {0, 0, 400, 300}), isDrawn ? "in" : "nothing")
        << size.width() << ' ' << size.height();
  const QImage above =
      onGreen(explained(itemsOf(ViewKind::similarity), Qt::TopEdge), {0, 0, 400, 200});
  EXPECT_EQ(where(above, {0, 0, 400, 100}), "in");
}

}  // namespace
}  // namespace mpm::gui
