// SPDX-License-Identifier: Apache-2.0
#include "segment/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>
#include <vector>

#include "random_rows.h"
#include "segment/corners.h"
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
  return {{{1, 4, 3, 0, kRows}, 30, 20},
          {{2, 4, 3, 5, kRows}, 1, 1},
          {{3, 1, 1, 0, kRows}, 9, 7},
          {{16, 8, 6, 20, kRows}, 100, 75},
          {{17, 8, 6, 1, kRows}, 64, 48},
          {{19, 32, 16, 0, kRows}, 20, 10},
          {{150, 8, 8, 30, kRows}, 97, 61},
          {{256, 3, 3, 0, kRows}, 200, 150},
          {{300, 5, 4, 9, kRows}, 41, 90},
          {{2, 2, 2, 0, kPlanes}, 33, 65},
          {{21, 12, 9, 0, kPlanes}, 50, 40},
          {{40, 70, 50, 0, kPlanes}, 64, 48},
          {{300, 4, 6, 0, kPlanes}, 4, 6},
          {{12, 7, 5, 0, kRows}, 90, 70},
          // The product of a few hundred factors must not drift: the largest cells there are.
          {{30, 2, 2, 0, kRows}, 400, 300}};
}

TEST(Labels, FastIsTheReference) {
  for (const LabelsCase& c : cases()) {
    for (const double spread : {0.1, 3.0, 20.0, 300.0}) {  // more than products of exps span
      SCOPED_TRACE(text(c) + ", spread " + std::to_string(spread));
      expectLikeReference(randomScores(c.shape, c.width, c.height, spread, kSeed), c.width,
                          c.height);
    }
  }
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

struct WindowsCase {
  const char* what;
  std::vector<Span> across, down;
  int gridWidth, gridHeight, live, width, height;
};

TEST(Labels, WindowsCountWithTheirMean) {
  const std::vector<Span> three = {{0, 60}, {25.5, 85.5}, {40, 100}}, two = {{0, 48}, {24, 72}};
  for (const WindowsCase& each :
       {WindowsCase{"some overlap", three, two, 6, 5, 0, 100, 72},
        {"of live rows", three, two, 6, 5, 7, 100, 72},
        {"side by side", {{0, 30}, {30, 60}, {60, 90}}, {{0, 20}}, 4, 3, 0, 90, 20},
        {"side by side, of one place", {{0, 30}, {30, 60}}, {{0, 20}}, 1, 1, 0, 60, 20},
        {"at fractions", {{0, 33.3}, {16.65, 49.95}}, {{0, 33.3}, {16.65, 49.95}}, 8, 8, 0, 49, 49},
        {"padded, past the picture", {{0, 64}}, {{0, 64}}, 8, 8, 0, 40, 23},
        {"of pieces longer than a vector", {{0, 400}}, {{0, 50}}, 3, 1, 0, 400, 50},
        {"of one pixel", {{0, 1}}, {{0, 7}}, 5, 32, 0, 1, 7}}) {
    for (const ScoreGrid::Layout layout : {kRows, kPlanes}) {
      if (layout == kPlanes && each.live > 0) continue;
      SCOPED_TRACE(std::string(each.what) + (layout == kRows ? ", rows" : ", planes"));
      const ScoreShape shape = {20, each.gridWidth, each.gridHeight, each.live, layout};
      expectLikeReference(randomScores(shape, each.across, each.down, 2, kSeed), each.width,
                          each.height);
    }
  }
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
  const auto expectAsFresh = [&](const OwnedScores& scores, const LabelsCase& c) {
    OwnedLabels again(c.width, c.height, c.shape.classes),
        fresh(c.width, c.height, c.shape.classes);
    labeller.label(scores.scores, again.image);
    Labeller().label(scores.scores, fresh.image);
    EXPECT_EQ(again.labels8, fresh.labels8) << text(c);
    EXPECT_EQ(again.labels16, fresh.labels16) << text(c);
    EXPECT_EQ(again.confidence, fresh.confidence) << text(c);
  };
  for (int round = 0; round < 2; ++round) {
    for (const LabelsCase& c : cases())
      expectAsFresh(randomScores(c.shape, c.width, c.height, 2, kSeed), c);
    const LabelsCase windows = {{20, 6, 5, 0, kRows}, 100, 72};  // which move
    for (const double begin : {40, 20, 30})
      expectAsFresh(randomScores(windows.shape, {{0, 60}, {begin, 100}}, {{0, 72}}, 2, kSeed),
                    windows);
  }
}

// ---- Ties, and scores that are no numbers
// --------------------------------------------------------

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kClasses = 20, kEdgeWidth = 64, kEdgeHeight = 48;

// 4 x 3 places: cells of 16 pixels.
OwnedScores edgeScores(std::uint32_t seed = 3) {
  return randomScores({kClasses, 4, 3, 0}, kEdgeWidth, kEdgeHeight, 1, seed);
}

// Two classes that are the same everywhere, and mostly the best.
TEST(LabelEdges, OfEqualClassesTheLowestWins) {
  OwnedScores owned = edgeScores();
  for (std::size_t row = 0; row < 12; ++row) {
    float* values = &owned.values[0][row * kClasses];
    values[7] += 2;
    values[18] = values[7];
  }
  OwnedLabels found(kEdgeWidth, kEdgeHeight, kClasses);
  Labeller().label(owned.scores, found.image);
  const std::set<int> labels(found.labels8.begin(), found.labels8.end());
  EXPECT_TRUE(labels.count(7) == 1);
  EXPECT_TRUE(labels.count(18) == 0);
  for (const float confidence : found.confidence) EXPECT_LE(confidence, 0.7);
  expectLikeReference(owned, kEdgeWidth, kEdgeHeight);
}

TEST(LabelEdges, WhereAllAreEqualTheLabelIsZero) {
  OwnedScores owned = edgeScores();
  for (float& value : owned.values[0]) value = 2.5F;
  OwnedLabels found(kEdgeWidth, kEdgeHeight, kClasses);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels8, std::vector<std::uint8_t>(kEdgeWidth * kEdgeHeight, 0));
  for (const float confidence : found.confidence) EXPECT_NEAR(confidence, 1.0 / kClasses, 1e-4);
}

TEST(LabelEdges, AClassThatIsNoNumberDoesNotCountBesideThatPlace) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    SCOPED_TRACE(bad);
    OwnedScores owned = edgeScores();
    for (std::size_t row = 0; row < 12; ++row) owned.values[0][row * kClasses + 11] = 9;
    owned.values[0][5 * kClasses + 11] = bad;  // the place in row 1, column 1
    OwnedLabels found(kEdgeWidth, kEdgeHeight, kClasses);
    Labeller().label(owned.scores, found.image);
    for (int y = 0; y < kEdgeHeight; ++y) {
      for (int x = 0; x < kEdgeWidth; ++x) {
        // Its pixels lie between the centres of the places around it.
        const bool isBeside = x >= 8 && x < 40 && y >= 8 && y < 40;
        ASSERT_EQ(found.labels8[y * kEdgeWidth + x] != 11, isBeside) << y << ", " << x;
      }
    }
    expectLikeReference(owned, kEdgeWidth, kEdgeHeight);
  }
}

TEST(LabelEdges, WhereNoClassIsANumberThereIsNoConfidence) {
  OwnedScores owned = edgeScores();
  for (float& value : owned.values[0]) value = kNan;
  OwnedLabels found(kEdgeWidth, kEdgeHeight, kClasses);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels8, std::vector<std::uint8_t>(kEdgeWidth * kEdgeHeight, 0));
  EXPECT_EQ(found.confidence, std::vector<float>(kEdgeWidth * kEdgeHeight, 0));
  expectLikeReference(owned, kEdgeWidth, kEdgeHeight);
}

TEST(LabelEdges, OneClassIsCertain) {
  const OwnedScores owned = randomScores({1, 4, 3, 0}, kEdgeWidth, kEdgeHeight, 1, 3);
  OwnedLabels found(kEdgeWidth, kEdgeHeight, 1);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels8, std::vector<std::uint8_t>(kEdgeWidth * kEdgeHeight, 0));
  EXPECT_EQ(found.confidence, std::vector<float>(kEdgeWidth * kEdgeHeight, 1));
}

TEST(LabelEdges, ClassesBeyondAByte) {
  OwnedScores owned = randomScores({300, 4, 3, 0}, kEdgeWidth, kEdgeHeight, 1, 3);
  for (std::size_t row = 0; row < 12; ++row) owned.values[0][row * 300 + 299] = 20;
  OwnedLabels found(kEdgeWidth, kEdgeHeight, 300);
  Labeller().label(owned.scores, found.image);
  EXPECT_EQ(found.labels16, std::vector<std::uint16_t>(kEdgeWidth * kEdgeHeight, 299));
}

// Where all classes are behind the last whole vector, and where nearly none is.
TEST(LabelEdges, TheMeanOfAClassDoesNotDependOnHowManyThereAre) {
  constexpr std::size_t kMany = 67;
  const OwnedRows rows = normalRows(5, kMany, 11);
  for (const bool isFirst : {true, false}) {
    OwnedRows all = rows;
    const auto mean = [&](std::size_t first, std::size_t classes, float* out) {
      const float* corners[4];
      for (std::size_t c = 0; c < 4; ++c) corners[c] = rows.view().row(c) + first;
      segment::addBetween(corners, 0.3F, 0.7F, 0.45F, isFirst, classes, out);
    };
    mean(0, kMany, all.row(4));
    for (std::size_t k = 0; k < kMany; ++k) {
      float alone = rows.view().row(4)[k];
      mean(k, 1, &alone);
      EXPECT_EQ(alone, all.row(4)[k]) << k << ' ' << isFirst;
    }
  }
}

}  // namespace
}  // namespace mpm::test
