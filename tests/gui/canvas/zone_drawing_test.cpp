// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/zone_drawing.h"

#include <gtest/gtest.h>

#include <QImage>

namespace mpm::gui {
namespace {

constexpr QSizeF kView(400, 300);

class ZoneDrawingTest : public testing::Test {
 protected:
  ZoneDrawingTest() : image_(kView.toSize(), QImage::Format_RGB32) { image_.fill(Qt::black); }
  const ViewGeometry geometry_{kView, {80, 60}, 1, {0.5, 0.5}};
  const QRectF bounds_{{0, 0}, kView};
  QImage image_;
};

TEST_F(ZoneDrawingTest, DrawsBordersAndKeepsNamesInside) {
  QPainter painter(&image_);
  drawZones(painter, geometry_, bounds_, {{"Far right", {{0.9, 0.5}, {1, 0.6}, {0.9, 0.9}}}});
  painter.end();
  EXPECT_GT(qGray(image_.pixel(360, 200)), 200);
  int lit = 0;  // the name's letters, left of where it would begin
  for (int y = 150; y < 180; ++y) {
    for (int x = 330; x < 355; ++x) lit += qGray(image_.pixel(x, y)) > 128;
  }
  EXPECT_GT(lit, 5);
}

TEST_F(ZoneDrawingTest, TheDraftGoesOnToTheCursor) {
  ZoneEditor editor;
  editor.press({0.1, 0.5}, {0.01, 0.01}, false);
  QPainter painter(&image_);
  drawEditedZones(painter, geometry_, bounds_, editor, {0.9, 0.5});
  painter.end();
  EXPECT_GT(qRed(image_.pixel(200, 150)), 200);
  EXPECT_LT(qBlue(image_.pixel(200, 150)), 100);
}

}  // namespace
}  // namespace mpm::gui
