// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/captions.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>

#include "gui/canvas/picture_marks.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

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
    QImage image(600, 400, QImage::Format_RGB32);
    image.fill(Qt::green);
    QPainter painter(&image);
    drawTitle(painter, bounds, words);
    drawHint(painter, bounds, words);
    drawNotice(painter, bounds, words, words);
    painter.end();
    bool inside = false;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (image.pixel(x, y) == qRgb(0, 255, 0)) continue;
        inside = true;
        ASSERT_TRUE(bounds.contains(x, y)) << x << ' ' << y;
      }
    }
    EXPECT_TRUE(inside);
  }
}

// Seen in a window of 900 x 600: the legend stood on what can be done with zones.
TEST(NoticeDrawing, AHintLeavesALegendItsLine) {
  const QRect bounds(0, 0, 400, 300);
  const auto drawn = [&](const auto& draw) {
    QImage image(bounds.size(), QImage::Format_RGB32);
    image.fill(Qt::green);
    QPainter painter(&image);
    draw(painter);
    painter.end();
    return image;
  };
  const QImage hint =
      drawn([&](QPainter& painter) { drawHint(painter, bounds, "What can be done now"); });
  const QImage legend = drawn(
      [&](QPainter& painter) { drawLegend(painter, bounds, {{"What colours mean, at length"}}); });
  int both = 0, either = 0;
  for (int y = 0; y < bounds.height(); ++y) {
    for (int x = 0; x < bounds.width(); ++x) {
      const bool first = hint.pixel(x, y) != qRgb(0, 255, 0);
      const bool second = legend.pixel(x, y) != qRgb(0, 255, 0);
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
  const auto isWhole = [](const testing::TextRecorder& recorder) {
    return recorder.drawn.words().join('|').contains(QStringLiteral("7\u00a0s"));
  };
  for (int width = 200; width < 500; width += 10) {
    const QRect bounds(0, 0, width, 300);
    testing::TextRecorder notice(bounds.size()), hint(bounds.size());
    QPainter first(&notice), second(&hint);
    drawNotice(first, bounds, words, words);
    drawHint(second, bounds, words);
    EXPECT_TRUE(isWhole(notice)) << width;
    EXPECT_TRUE(isWhole(hint)) << width;
  }
}

// What is drawn on green, inside and outside of a part.
struct Drawn {
  int inside = 0, outside = 0;
};

template <typename Draw>
Drawn drawnIn(const QRect& part, const Draw& draw) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::green);
  QPainter painter(&image);
  draw(painter, QRectF(image.rect()));
  painter.end();
  Drawn drawn;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (image.pixel(x, y) != qRgb(0, 255, 0))
        ++(part.contains(x, y) ? drawn.inside : drawn.outside);
    }
  }
  return drawn;
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

}  // namespace

}  // namespace mpm::gui
