// SPDX-License-Identifier: Apache-2.0
#include "evaluate/confusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "evaluate/label_pictures.h"
#include "evaluate/truth.h"

namespace mpm::test {
namespace {

using evaluate::Confusion;
using evaluate::LabelRule;
using evaluate::Quality;

// Classes from 0 to `classes`, and ignored pixels where they are allowed.
cv::Mat randomClasses(const cv::Size& size, int classes, bool ignores, cv::RNG& random) {
  cv::Mat picture(size, CV_16U);
  random.fill(picture, cv::RNG::UNIFORM, 0, classes + (ignores ? 1 : 0));
  if (ignores) picture.setTo(LabelRule::kIgnored, picture == classes);
  return picture;
}

TEST(Confusion, IsWhatSetsOfPixelsSay) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  cv::RNG random(seed);
  for (const int classes : {1, 2, 7, 300}) {
    Confusion all(static_cast<std::size_t>(classes)), masked(static_cast<std::size_t>(classes));
    std::vector<Labelled> pictures;
    std::vector<cv::Mat> masks;
    for (int i = 0; i < 3; ++i) {
      const cv::Size size(20 + i, 11);
      Labelled picture = {randomClasses(size, classes, true, random),
                          randomClasses(size, classes, false, random)};
      if (classes <= 256) picture.found.convertTo(picture.found, CV_8U);
      masks.emplace_back(size, CV_8U);
      random.fill(masks.back(), cv::RNG::UNIFORM, 0, 2);
      masks.back() *= 255;
      all.add(picture.truth, picture.found);
      masked.add(picture.truth, picture.found, masks.back());
      pictures.push_back(picture);
    }
    EXPECT_NEAR(qualityOf(all).meanIou, plainMeanIou(pictures, classes), 1e-12);
    EXPECT_NEAR(qualityOf(masked).meanIou, plainMeanIou(pictures, classes, masks), 1e-12);
  }
}

// 3 of class 0 right, 1 taken for class 1; 2 of class 1 right; class 2 only found; class 3 nowhere.
TEST(Confusion, FiguresByHand) {
  Confusion confusion(4);
  confusion.add({0, 0, 3});
  confusion.add({0, 1, 1});
  confusion.add({1, 1, 2});
  confusion.add({1, 2, 2});
  const Quality quality = qualityOf(confusion);
  EXPECT_DOUBLE_EQ(quality.iou[0], 3.0 / 4);
  EXPECT_DOUBLE_EQ(quality.iou[1], 2.0 / 5);
  EXPECT_DOUBLE_EQ(quality.iou[2], 0);
  EXPECT_TRUE(std::isnan(quality.iou[3]));
  EXPECT_DOUBLE_EQ(quality.meanIou, (0.75 + 0.4) / 3);
  EXPECT_DOUBLE_EQ(quality.meanAccuracy, (0.75 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(quality.pixelAccuracy, 5.0 / 8);
  EXPECT_EQ(quality.pixels, (std::vector<std::uint64_t>{4, 4, 0, 0}));
}

TEST(Confusion, OfNothingSaysNothing) {
  const Quality quality = qualityOf(Confusion(2));
  EXPECT_TRUE(std::isnan(quality.meanIou));
  EXPECT_TRUE(std::isnan(quality.pixelAccuracy));
  EXPECT_TRUE(std::isnan(quality.meanAccuracy));
}

TEST(Confusion, CountsAreTheMatrix) {
  cv::RNG random(3);
  Confusion confusion(9), again(9);
  const cv::Size size(30, 30);
  confusion.add(randomClasses(size, 9, true, random), randomClasses(size, 9, false, random));
  for (const evaluate::Count& count : confusion.counts()) {
    EXPECT_GT(count.pixels, 0U);
    again.add(count);
  }
  EXPECT_EQ(again.counts(), confusion.counts());
  for (std::size_t t = 0; t < 9; ++t) {
    for (std::size_t f = 0; f < 9; ++f) EXPECT_EQ(again.at(t, f), confusion.at(t, f));
  }
}

// More pixels than a double or 32 bits count one by one.
TEST(Confusion, CountsExactly) {
  constexpr std::uint64_t kMany = (1ULL << 60) + 1;
  Confusion confusion(1);
  confusion.add({0, 0, kMany});
  confusion.add({0, 0, 1});
  EXPECT_EQ(confusion.at(0, 0), kMany + 1);
}

TEST(Confusion, WhatItRefuses) {
  Confusion confusion(3);
  const cv::Mat truth(4, 4, CV_16U, cv::Scalar(0));
  EXPECT_THROW(confusion.add(truth, cv::Mat(4, 4, CV_8U, cv::Scalar(3))), std::invalid_argument);
  EXPECT_THROW(confusion.add(truth, cv::Mat(4, 5, CV_8U, cv::Scalar(0))), std::invalid_argument);
  EXPECT_THROW(confusion.add(truth, cv::Mat(4, 4, CV_32S, cv::Scalar(0))), std::invalid_argument);
  EXPECT_THROW(confusion.add(cv::Mat(4, 4, CV_8U), truth), std::invalid_argument);
  EXPECT_THROW(confusion.add({3, 0, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
