// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/painted_view.h"

#include <gtest/gtest.h>

#include "small_result.h"

namespace mpm::gui {
namespace {

class PaintedViewTest : public testing::Test {
 protected:
  PaintedViewTest() : image_(160, 160, QImage::Format_RGB32) {
    giveSmallClasses(classes_);
    painting_.kind = ViewKind::segmentation;
  }
  quint64 draw(double zoom = 1, double ratio = 1) {
    image_.fill(Qt::black);
    image_.setDevicePixelRatio(ratio);
    QPainter painter(&image_);
    const QSizeF size = QSizeF(image_.size()) / ratio;
    const ViewGeometry geometry(size, {80, 60}, zoom, {0.5, 0.5});
    view_.draw(painter, result_, painting_, classes_, geometry, QRectF({}, size), ratio);
    return view_.paintings();
  }
  QImage image_;
  monitor::FrameResultPtr result_ = smallResult();
  Painting painting_;
  ClassSettings classes_;
  PaintedView view_;
};

TEST_F(PaintedViewTest, PaintsAnewOnlyWhatChanged) {
  EXPECT_EQ(draw(), 1U);
  EXPECT_EQ(draw(), 1U);
  EXPECT_EQ(draw(2), 2U);
  classes_.setVisible(1, false);
  EXPECT_EQ(draw(2), 3U);
  painting_.opacity = 0.1;
  EXPECT_EQ(draw(2), 4U);
  result_ = smallResult();
  EXPECT_EQ(draw(2), 5U);
  painting_.kind = ViewKind::camera;
  EXPECT_EQ(draw(2), 6U);
  classes_.setVisible(1, true);
  EXPECT_EQ(draw(2), 6U) << "the camera's picture has no classes";
}

TEST_F(PaintedViewTest, LiesWhereItsGeometrySays) {
  painting_.kind = ViewKind::camera;
  for (const double ratio : {1.0, 2.0}) {
    draw(1, ratio);
    EXPECT_EQ(image_.pixel(80, 18), qRgb(0, 0, 0)) << "above the picture";
    EXPECT_EQ(image_.pixel(10, 22), qRgb(200, 0, 0));
    EXPECT_EQ(image_.pixel(150, 138), qRgb(0, 0, 200));
    EXPECT_EQ(image_.pixel(80, 141), qRgb(0, 0, 0));
  }
}

TEST_F(PaintedViewTest, LinesAreAsWideAsALogicalPixel) {
  painting_.opacity = 0;
  for (const auto& [ratio, wanted] : {std::pair{1.0, 1}, std::pair{2.0, 2}}) {
    draw(1, ratio);
    int white = 0;
    for (int x = 70; x < 90; ++x) white += qGreen(image_.pixel(x, 80)) > 150;
    EXPECT_EQ(white, wanted);
  }
}

}  // namespace
}  // namespace mpm::gui
