// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/picture_marks.h"

#include <gtest/gtest.h>

#include <QImage>

#include "small_result.h"

namespace mpm::gui {
namespace {

constexpr QSizeF kView(400, 300);

class ZoneDrawing : public ::testing::Test {
 protected:
  ZoneDrawing() : image_(kView.toSize(), QImage::Format_RGB32) { image_.fill(Qt::black); }
  const ViewGeometry geometry_{kView, {80, 60}, 1, {0.5, 0.5}};
  const QRectF bounds_{{0, 0}, kView};
  QImage image_;
};

TEST_F(ZoneDrawing, DrawsBordersAndKeepsNamesInside) {
  QPainter painter(&image_);
  drawZones(painter, geometry_, bounds_, {{"Far right", {{0.9, 0.5}, {1, 0.6}, {0.9, 0.9}}}}, {});
  painter.end();
  EXPECT_GT(qGray(image_.pixel(360, 200)), 200);
  int lit = 0;  // the name's letters, left of where it would begin
  for (int y = 150; y < 180; ++y) {
    for (int x = 330; x < 355; ++x) lit += qGray(image_.pixel(x, y)) > 128;
  }
  EXPECT_GT(lit, 5);
}

TEST_F(ZoneDrawing, ALitZoneShinesAndTheOthersDoNot) {
  const std::vector<monitor::Zone> zones{
      {"left", {{0.1, 0.2}, {0.4, 0.2}, {0.4, 0.9}, {0.1, 0.9}}},
      {"right", {{0.6, 0.2}, {0.9, 0.2}, {0.9, 0.9}, {0.6, 0.9}}}};
  QPainter painter(&image_);
  drawZones(painter, geometry_, bounds_, zones, {"right"});
  painter.end();
  const QColor left = image_.pixel(100, 200), right = image_.pixel(300, 200);
  EXPECT_GT(right.red(), left.red() + 20);
  EXPECT_GT(right.red(), 2 * right.blue()) << "in a colour of its own";
  EXPECT_EQ(left.red(), left.blue());
}

TEST_F(ZoneDrawing, TheDraftGoesOnToTheCursor) {
  ZoneEditor editor;
  editor.press({0.1, 0.5}, {0.01, 0.01}, false);
  QPainter painter(&image_);
  drawEditedZones(painter, geometry_, bounds_, editor, {0.9, 0.5});
  painter.end();
  EXPECT_GT(qRed(image_.pixel(200, 150)), 200);
  EXPECT_LT(qBlue(image_.pixel(200, 150)), 100);
}

QImage drawn(QPointF position, const TokenGroup& group) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::black);
  QPainter painter(&image);
  const ViewGeometry geometry({400, 300}, {80, 60}, 1, {0.5, 0.5});
  drawLinks(painter, geometry, group, position, {0, 0, 1, 1}, LinkKind::hovered);
  return image;
}

TEST(LinkDrawing, LinesGoToEachPlaceOfTheGroup) {
  const auto result = smallResult();
  const QPointF position(0.1, 0.1);
  const TokenGroup group = groupAt(result->segmentation, 0, position, {0, 0, 1, 1});
  const QImage image = drawn(position, group);
  EXPECT_GT(qRed(image.pixel(50, 100)), 150) << "from place 0 down to place 4";
  EXPECT_GT(qRed(image.pixel(120, 50)), 150) << "and right to place 1";
  EXPECT_GT(qRed(image.pixel(200, 20)), 100) << "its outline";
  EXPECT_EQ(qRed(image.pixel(300, 250)), 0);
}

TEST(LinkDrawing, ACrossMarksAPlaceWithoutAGroup) {
  const QImage image = drawn({0.5, 0.5}, {});
  EXPECT_GT(qRed(image.pixel(204, 150)), 200);
  EXPECT_EQ(qRed(image.pixel(230, 150)), 0);
}

}  // namespace

}  // namespace mpm::gui
