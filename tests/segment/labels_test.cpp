// SPDX-License-Identifier: Apache-2.0
#include "segment/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <string>

#include "segment/random_scores.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using segment::Labeller;
using segment::ScoreGrid;
using segment::Span;

constexpr ScoreGrid::Layout kRows = ScoreGrid::Layout::rows, kPlanes = ScoreGrid::Layout::planes;
constexpr std::uint32_t kSeed = 20;

struct LabelsCase {
  ScoreShape shape;
  int width = 0, height = 0;
};

std::string text(const LabelsCase& c) {
  return std::to_string(c.shape.classes) + " classes on " + std::to_string(c.shape.gridWidth) +
         " x " + std::to_string(c.shape.gridHeight) + ", " + std::to_string(c.shape.live) +
         " live rows, to " + std::to_string(c.width) + " x " + std::to_string(c.height) +
         ", seed " + std::to_string(kSeed);
}

std::vector<LabelsCase> cases() {
  return {{{1, 4, 3, 0, kRows}, 30, 20},     {{2, 4, 3, 5, kRows}, 1, 1},
          {{3, 1, 1, 0, kRows}, 9, 7},       {{16, 8, 6, 20, kRows}, 100, 75},
          {{17, 8, 6, 1, kRows}, 64, 48},    {{19, 32, 16, 0, kRows}, 20, 10},
          {{150, 8, 8, 30, kRows}, 97, 61},  {{256, 3, 3, 0, kRows}, 200, 150},
          {{300, 5, 4, 9, kRows}, 41, 90},   {{2, 2, 2, 0, kPlanes}, 33, 65},
          {{21, 12, 9, 0, kPlanes}, 50, 40}, {{40, 70, 50, 0, kPlanes}, 64, 48},
          {{300, 4, 6, 0, kPlanes}, 4, 6}};
}

TEST(Labels, FastIsTheReference) {
  for (const LabelsCase& c : cases()) {
    for (const double spread : {0.1, 3.0}) {
      SCOPED_TRACE(text(c) + ", spread " + std::to_string(spread));
      expectLikeReference(randomScores(c.shape, c.width, c.height, spread, kSeed), c.width,
                          c.height);
    }
  }
}

TEST(Labels, ScoresThatSpanMoreThanProductsOfExpsDo) {
  for (const double spread : {20.0, 300.0}) {
    SCOPED_TRACE(spread);
    expectLikeReference(randomScores({12, 7, 5, 0, kRows}, 90, 70, spread, kSeed), 90, 70);
  }
}

// The product of a few hundred factors must not drift: the largest cells there are.
TEST(Labels, FramesMuchLargerThanTheGrid) {
  expectLikeReference(randomScores({30, 2, 2, 0, kRows}, 400, 300, 4, kSeed), 400, 300);
}

// To the bit what labelling everything anew gives, and not a pixel more is touched.
TEST(Labels, OnlyWhatLiesBetweenChangedPlacesIsLabelledAnew) {
  const ScoreShape shape = {12, 9, 7, 0, kRows};
  constexpr int kWidth = 130, kHeight = 95;
  OwnedScores scores = randomScores(shape, kWidth, kHeight, 3, kSeed);
  OwnedLabels kept(kWidth, kHeight, shape.classes), anew(kWidth, kHeight, shape.classes);
  Labeller labeller;
  labeller.label(scores.scores, kept.image);
  std::vector<std::uint8_t> changed(63, 0);
  for (const std::size_t place : {0, 31, 32, 62}) {
    changed[place] = 1;
    for (std::size_t k = 0; k < 12; ++k) scores.values[0][12 * place + k] *= -1;
  }
  const std::vector<float> before = kept.confidence;
  labeller.label(scores.scores, kept.image, changed.data());
  labeller.label(scores.scores, anew.image);
  EXPECT_EQ(kept.labels8, anew.labels8);
  EXPECT_EQ(kept.confidence, anew.confidence);
  EXPECT_NE(kept.confidence, before);
  kept.labels8.assign(kept.labels8.size(), 77);
  labeller.label(scores.scores, kept.image, std::vector<std::uint8_t>(63, 0).data());
  EXPECT_EQ(kept.labels8, std::vector<std::uint8_t>(kept.labels8.size(), 77));
}

TEST(Labels, WindowsCountWithTheirMean) {
  const std::vector<Span> across = {{0, 60}, {25.5, 85.5}, {40, 100}}, down = {{0, 48}, {24, 72}};
  for (const ScoreGrid::Layout layout : {kRows, kPlanes}) {
    const ScoreShape shape = {20, 6, 5, 0, layout};
    SCOPED_TRACE(layout == kRows ? "rows" : "planes");
    expectLikeReference(randomScores(shape, across, down, 2, kSeed), 100, 72);
  }
  const ScoreShape merged = {20, 6, 5, 7, kRows};
  expectLikeReference(randomScores(merged, across, down, 2, kSeed), 100, 72);
}

TEST(Labels, APaddedWindowReachesOverThePicture) {
  const OwnedScores scores = randomScores({9, 8, 8, 0, kRows}, {{0, 64}}, {{0, 64}}, 2, kSeed);
  expectLikeReference(scores, 40, 23);
}

// What everybody does: resize every plane of scores to the frame's size, then look for the largest.
TEST(Labels, AsOpenCvsResizeAndArgmax) {
  const int classes = 25, width = 131, height = 77;
  const OwnedScores owned = randomScores({classes, 9, 7, 0, kPlanes}, width, height, 2, kSeed);
  OwnedLabels found(width, height, classes);
  Labeller().label(owned.scores, found.image);
  std::vector<cv::Mat> planes(classes);
  for (int k = 0; k < classes; ++k) {
    const cv::Mat plane(7, 9, CV_32F, const_cast<float*>(owned.values[0].data()) + k * 63);
    cv::resize(plane, planes[k], {width, height}, 0, 0, cv::INTER_LINEAR);
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t pixel = static_cast<std::size_t>(y) * width + x;
      float best = planes[0].at<float>(y, x);
      double sum = 0;
      for (const cv::Mat& plane : planes) best = std::max(best, plane.at<float>(y, x));
      for (const cv::Mat& plane : planes) sum += std::exp(plane.at<float>(y, x) - best);
      ASSERT_NEAR(planes[found.label(pixel)].at<float>(y, x), best, 1e-5) << y << ", " << x;
      ASSERT_NEAR(found.confidence[pixel], 1 / sum, Labeller::kConfidenceError);
    }
  }
}

TEST(Labels, WithoutConfidenceTheyAreTheSame) {
  const OwnedScores scores = randomScores({33, 8, 6, 25, kRows}, 90, 50, 1, kSeed);
  OwnedLabels with(90, 50, 33), without(90, 50, 33, false);
  Labeller().label(scores.scores, with.image);
  Labeller().label(scores.scores, without.image);
  EXPECT_EQ(with.labels8, without.labels8);
}

TEST(Labels, ALabellerKeepsNothingOfTheLastFrame) {
  Labeller labeller;
  for (int round = 0; round < 2; ++round) {
    for (const LabelsCase& c : cases()) {
      const OwnedScores scores = randomScores(c.shape, c.width, c.height, 2, kSeed);
      OwnedLabels again(c.width, c.height, c.shape.classes),
          fresh(c.width, c.height, c.shape.classes);
      labeller.label(scores.scores, again.image);
      Labeller().label(scores.scores, fresh.image);
      EXPECT_EQ(again.labels8, fresh.labels8) << text(c);
      EXPECT_EQ(again.labels16, fresh.labels16) << text(c);
      EXPECT_EQ(again.confidence, fresh.confidence) << text(c);
    }
  }
}

}  // namespace
}  // namespace mpm::test
