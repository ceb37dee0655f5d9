// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/link_drawing.h"

#include <gtest/gtest.h>

#include <QImage>

#include "small_result.h"

namespace mpm::gui {
namespace {

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
