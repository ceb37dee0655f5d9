// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_strokes.h"

#include <gtest/gtest.h>

#include <vector>

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

TEST(PaintStrokes, ALineIsAsWideAsTheBrush) {
  for (const int width : {1, 2, 3, 7, 12, 31}) {
    cv::Mat labels = blank(200, 100);
    paintLine(labels, {0.25, 0.5}, {0.75, 0.5}, width, 2);
    EXPECT_NEAR(cv::countNonZero(labels.col(100) == 2), width, 1) << width;
    // Lines have no gap in any direction.
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

cv::Mat yard(int person, double light) {
  cv::Mat frame(96, 128, CV_8UC3, cv::Scalar(60, 140, 70));
  frame(cv::Rect(0, 60, 128, 36)).setTo(cv::Scalar(150, 150, 155));
  frame(cv::Rect(person, 40, 8, 24)).setTo(cv::Scalar(30, 20, 25));
  cv::Mat noise(frame.size(), CV_8UC3);
  cv::RNG(static_cast<unsigned>(person)).fill(noise, cv::RNG::UNIFORM, 0, 12);
  frame = frame * light + noise;
  return frame;
}

TEST(PaintStrokes, WhatMovedIsKnownInAnyLight) {
  for (const double light : {1.0, 0.8, 0.5}) {
    const cv::Mat moved = movedBetween(yard(20, 1), yard(90, light));
    EXPECT_EQ(cv::countNonZero(moved(cv::Rect(20, 40, 8, 24))), 8 * 24) << light;
    EXPECT_EQ(cv::countNonZero(moved(cv::Rect(90, 40, 8, 24))), 8 * 24) << light;
    EXPECT_LT(cv::countNonZero(moved), 6 * 8 * 24) << light;
  }
  EXPECT_EQ(cv::countNonZero(movedBetween(yard(20, 1), yard(20, 0.8))), 0);
}

bool same(const cv::Mat& a, const cv::Mat& b) { return cv::countNonZero(a != b) == 0; }

TEST(PaintHistory, GoesBackToTheFirstAndForthToTheLast) {
  PaintHistory history;
  cv::Mat labels(48, 64, CV_8U, cv::Scalar(255));
  std::vector<cv::Mat> states = {labels.clone()};
  cv::RNG random(5);
  for (int step = 0; step < 200; ++step) {
    const cv::Rect area(random.uniform(0, 60), random.uniform(0, 40), random.uniform(1, 4),
                        random.uniform(1, 8));
    labels(area).setTo(step % 7);
    if (history.add(states.back(), labels)) states.push_back(labels.clone());
  }
  ASSERT_GT(states.size(), 150U);
  for (std::size_t i = states.size() - 1; i-- > 0;) {
    ASSERT_TRUE(history.undo(labels));
    ASSERT_TRUE(same(labels, states[i])) << i;
  }
  EXPECT_FALSE(history.undo(labels));  // past the first
  EXPECT_TRUE(same(labels, states.front()));
  for (std::size_t i = 1; i < states.size(); ++i) {
    ASSERT_TRUE(history.redo(labels));
    ASSERT_TRUE(same(labels, states[i])) << i;
  }
  EXPECT_FALSE(history.redo(labels));
  EXPECT_TRUE(same(labels, states.back()));
}

TEST(PaintHistory, ForgetsWhatWasUndoneWithTheNextStep) {
  PaintHistory history;
  cv::Mat labels(4, 4, CV_8U, cv::Scalar(255));
  const cv::Mat none = labels.clone();
  labels.row(0).setTo(1);
  ASSERT_TRUE(history.add(none, labels));
  ASSERT_TRUE(history.undo(labels));
  labels.row(2).setTo(3);
  const cv::Mat other = labels.clone();
  ASSERT_TRUE(history.add(none, labels));
  EXPECT_FALSE(history.canRedo());
  history.undo(labels);
  EXPECT_TRUE(same(labels, none));
  history.redo(labels);
  EXPECT_TRUE(same(labels, other));
}

TEST(PaintHistory, KeepsNothingWhereNothingChanged) {
  PaintHistory history;
  const cv::Mat labels(4, 4, CV_8U, cv::Scalar(1));
  EXPECT_FALSE(history.add(labels, labels.clone()));
  EXPECT_FALSE(history.canUndo());
}

}  // namespace
}  // namespace mpm::gui
