// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_history.h"

#include <gtest/gtest.h>

#include <vector>

namespace mpm::gui {
namespace {

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
