// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_strokes.h"

#include <gtest/gtest.h>

namespace mpm::gui {
namespace {

cv::Mat blank(int width = 64, int height = 48) {
  return {height, width, CV_8U, cv::Scalar(kUnpainted)};
}
int painted(const cv::Mat& labels) { return cv::countNonZero(labels != kUnpainted); }

TEST(PaintStrokes, TheBrushOfWhatWasFoundTakesItWhereItSaysSomething) {
  cv::Mat labels = blank(), found = blank();
  found.colRange(20, 40).setTo(2);
  labels.colRange(40, 64).setTo(1);
  paintFound(labels, found, {0.1, 0.5}, {0.9, 0.5}, 3);
  EXPECT_EQ(labels.at<uchar>(24, 30), 2);
  EXPECT_EQ(labels.at<uchar>(24, 10), kUnpainted) << "nothing was found";
  EXPECT_EQ(labels.at<uchar>(24, 50), 1) << "what was painted stays there";
  EXPECT_EQ(labels.at<uchar>(30, 30), kUnpainted) << "where the brush was not";
}

// Of a map that nobody foresaw, on a picture that its grid does not divide, in an area that is not
// all of it: just those pixels whose place has the token of the place that was clicked.
TEST(PaintStrokes, AGroupIsWhatTheMapSays) {
  cv::RNG random(17);
  cv::Mat map(7, 9, CV_32S);
  random.fill(map, cv::RNG::UNIFORM, 0, 12);
  for (const QRectF& area : {QRectF(0, 0, 1, 1), QRectF(0.1, -0.2, 0.7, 1.3)}) {
    for (int clicks = 0; clicks < 20; ++clicks) {
      cv::Mat labels = blank(101, 67);
      const QPointF at(random.uniform(0.0, 1.0), random.uniform(0.0, 1.0));
      const int place = placeAt(at, map.size(), area);
      const int places = paintGroup(labels, map, area, at, 3);
      const int row = place < 0 ? -1 : map.at<int>(place / map.cols, place % map.cols);
      EXPECT_EQ(places, cv::countNonZero(map == row));
      for (int y = 0; y < labels.rows; ++y) {
        for (int x = 0; x < labels.cols; ++x) {
          const int here =
              placeAt({(x + 0.5) / labels.cols, (y + 0.5) / labels.rows}, map.size(), area);
          const bool wanted =
              row >= 0 && here >= 0 && map.at<int>(here / map.cols, here % map.cols) == row;
          ASSERT_EQ(labels.at<uchar>(y, x), wanted ? 3 : kUnpainted) << x << ' ' << y;
        }
      }
    }
  }
}

TEST(PaintStrokes, WithoutAMapThereIsNoGroup) {
  cv::Mat labels = blank();
  EXPECT_EQ(paintGroup(labels, {}, {0, 0, 1, 1}, {0.5, 0.5}, 1), 0);
  EXPECT_EQ(painted(labels), 0);
}

TEST(PaintStrokes, ALineIsAsWideAsTheBrush) {
  for (const int width : {1, 2, 3, 7, 12, 31}) {
    cv::Mat labels = blank(200, 100);
    paintLine(labels, {0.25, 0.5}, {0.75, 0.5}, width, 2);
    EXPECT_NEAR(cv::countNonZero(labels.col(100) == 2), width, 1) << width;
    // Without a gap, in any direction.
    cv::Mat steep = blank(200, 100), parts;
    paintLine(steep, {0.1, 0.05}, {0.37, 0.93}, width, 2);
    EXPECT_EQ(cv::connectedComponents(steep == 2, parts), 2) << width;
    cv::Mat dot = blank(200, 100);
    paintLine(dot, {0.5, 0.5}, {0.5, 0.5}, width, 2);
    EXPECT_GE(painted(dot), width * width / 2) << width;
    EXPECT_LE(painted(dot), (width + 1) * (width + 1)) << width;
  }
}

TEST(PaintStrokes, BesideThePictureNothingHappens) {
  cv::Mat labels = blank();
  paintLine(labels, {-2, -2}, {-1.5, -1}, 9, 1);
  paintPolygon(labels, {{0.1, 0.1}, {0.9, 0.9}}, 1);  // no polygon yet
  EXPECT_EQ(painted(labels), 0);
}

TEST(PaintStrokes, TheRestAloneIsFilled) {
  cv::Mat labels = blank();
  labels.colRange(0, 20).setTo(1);
  paintRest(labels, cv::Mat(labels.size(), CV_8U, cv::Scalar(4)));
  EXPECT_EQ(cv::countNonZero(labels == 1), 20 * 48);
  EXPECT_EQ(cv::countNonZero(labels == 4), 44 * 48);
}

}  // namespace
}  // namespace mpm::gui
