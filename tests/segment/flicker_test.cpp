// SPDX-License-Identifier: Apache-2.0
#include "mpm/flicker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <vector>

namespace mpm::test {
namespace {

// A ramp, so that no two places look the same, with something bright at `x`.
cv::Mat picture(int x, int type = CV_8UC3, int width = 80) {
  cv::Mat frame(40, width, type);
  for (int column = 0; column < width; ++column) frame.col(column).setTo(cv::Scalar::all(column));
  if (x >= 0) frame(cv::Rect(x, 18, 4, 4)).setTo(cv::Scalar::all(250));
  return frame;
}

TEST(StillPlaces, WhatMovedIsNotStillNorWhatIsCloseToIt) {
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4}) {
    StillPlaces places;
    EXPECT_EQ(cv::countNonZero(places.look(picture(-1, type))), 0) << "a first frame";
    EXPECT_EQ(cv::countNonZero(places.look(picture(-1, type))), 40 * 80);
    const cv::Mat still = places.look(picture(38, type));
    // The thing is 4 x 4 pixels: 1 around it by the mean of 3 x 3, 7 around these.
    EXPECT_EQ(40 * 80 - cv::countNonZero(still), 20 * 20);
    EXPECT_EQ(still.at<uchar>(20, 40), 0);
    EXPECT_EQ(still.at<uchar>(20, 29), 255);
    EXPECT_EQ(still.at<uchar>(20, 50), 255);
  }
}

TEST(StillPlaces, NoiseIsNoMovementAndLightIs) {
  cv::RNG random(7);
  const auto noisy = [&](double brighter) {
    cv::Mat frame = picture(-1) + cv::Scalar::all(60 + brighter), noise(frame.size(), CV_16SC3);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.2);
    cv::add(frame, noise, frame, cv::noArray(), CV_8U);
    return frame;
  };
  StillPlaces places;
  places.look(noisy(0));
  EXPECT_GT(cv::countNonZero(places.look(noisy(0))), 40 * 80 * 9 / 10);
  EXPECT_LT(cv::countNonZero(places.look(noisy(10))), 40 * 80 / 10);
}

TEST(StillPlaces, AnotherSizeBeginsAnew) {
  StillPlaces places;
  places.look(picture(-1));
  EXPECT_EQ(cv::countNonZero(places.look(picture(-1, CV_8UC3, 60))), 0);
  EXPECT_EQ(cv::countNonZero(places.look(picture(-1, CV_8UC3, 60))), 40 * 60);
  EXPECT_THROW(places.look(cv::Mat()), std::invalid_argument);
}

TEST(StillPlaces, LargePicturesAreLookedAtInASmallerCopy) {
  cv::Mat frame(1200, 2100, CV_8UC3, cv::Scalar::all(90));
  StillPlaces places;
  places.look(frame);
  EXPECT_EQ(cv::countNonZero(places.look(frame)), 1200 * 2100);
  frame(cv::Rect(1000, 600, 60, 60)).setTo(cv::Scalar::all(200));
  const cv::Mat still = places.look(frame);
  EXPECT_EQ(still.size(), frame.size());
  EXPECT_EQ(still.at<uchar>(630, 1030), 0);
  EXPECT_EQ(still.at<uchar>(100, 100), 255);
  EXPECT_NEAR(1200 * 2100 - cv::countNonZero(still), (60 + 3 * 16) * (60 + 3 * 16), 1500);
}

TEST(Flicker, CountsWhatChangedWherePicturesStandStill) {
  cv::Mat still(4, 4, CV_8U, cv::Scalar(255));
  still.row(0).setTo(0);
  const cv::Mat before(4, 4, CV_8U, cv::Scalar(3));
  cv::Mat now = before.clone();
  now.col(1).setTo(5);
  Flicker flicker;
  EXPECT_FALSE(flicker.share());
  flicker.add(still, {}, now);
  flicker.add(still, cv::Mat(4, 5, CV_8U, cv::Scalar(3)), now);
  EXPECT_FALSE(flicker.share()) << "no frame before it";
  flicker.add(still, before, now);
  EXPECT_EQ(flicker.still, 12);
  EXPECT_EQ(flicker.changed, 3);
  flicker.add(still, now, now);
  EXPECT_DOUBLE_EQ(*flicker.share(), 3 / 24.0);
}

// One pixel's labels, one a frame, and those that are shown. A frame of `moves` is one in which it
// moved.
std::vector<int> shown(const std::vector<int>& labels, const std::vector<int>& moves, int type) {
  LabelVote vote;
  std::vector<int> all;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool moved = std::count(moves.begin(), moves.end(), static_cast<int>(i)) > 0;
    const cv::Mat still(1, 1, CV_8U, cv::Scalar(moved || i == 0 ? 0 : 255));
    const cv::Mat given(1, 1, type, cv::Scalar(labels[i]));
    const cv::Mat label = vote.update(still, given);
    all.push_back(type == CV_8U ? label.at<uchar>(0, 0) : label.at<ushort>(0, 0));
  }
  return all;
}

TEST(LabelVote, MostOfTheLastFiveFramesAndInATieWhatWasShown) {
  struct Case {
    std::vector<int> labels, moves, expected;
  };
  const std::vector<Case> cases = {
      {{1, 1, 1, 2, 1, 1}, {}, {1, 1, 1, 1, 1, 1}},        // one slip does not show
      {{1, 2, 1, 2, 1, 2, 1}, {}, {1, 1, 1, 1, 1, 2, 1}},  // three of five count
      {{1, 1, 1, 1, 2, 2, 2}, {}, {1, 1, 1, 1, 1, 1, 2}},  // what lasts shows in its third frame
      {{1, 1, 1, 2, 2}, {3}, {1, 1, 1, 2, 2}},             // at once where something moved
      {{1, 2}, {}, {1, 1}},                                // a tie
      {{1, 2, 3, 3, 2, 2}, {}, {1, 1, 1, 3, 3, 2}},        // of several
      {{7, 7, 300, 7}, {}, {7, 7, 7, 7}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(shown(one.labels, one.moves, CV_16U), one.expected);
    if (one.labels[2 % one.labels.size()] < 256) {
      EXPECT_EQ(shown(one.labels, one.moves, CV_8U), one.expected);
    }
  }
}

TEST(LabelVote, PixelsVoteForThemselvesAndAnotherSizeBeginsAnew) {
  LabelVote vote;
  const cv::Mat still(2, 2, CV_8U, cv::Scalar(255));
  cv::Mat labels = (cv::Mat_<uchar>(2, 2) << 1, 2, 3, 4);
  vote.update(still, labels);
  vote.update(still, labels);
  const cv::Mat turned = (cv::Mat_<uchar>(2, 2) << 4, 3, 2, 1);
  EXPECT_EQ(cv::countNonZero(vote.update(still, turned) != labels), 0);
  const cv::Mat wide(2, 3, CV_8U, cv::Scalar(9));
  EXPECT_EQ(cv::countNonZero(vote.update(cv::Mat(2, 3, CV_8U, cv::Scalar(255)), wide) != 9), 0);
}

TEST(LabelVote, RefusesWhatDoesNotFitTogether) {
  LabelVote vote;
  const cv::Mat labels(2, 2, CV_8U, cv::Scalar(1));
  EXPECT_THROW(vote.update(cv::Mat(2, 3, CV_8U), labels), std::invalid_argument);
  EXPECT_THROW(vote.update(labels, cv::Mat(2, 2, CV_32S)), std::invalid_argument);
  EXPECT_THROW(vote.update(cv::Mat(), cv::Mat()), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
