// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/notice_drawing.h"

#include <gtest/gtest.h>

#include <QImage>

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

}  // namespace
}  // namespace mpm::gui
