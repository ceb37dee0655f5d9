// SPDX-License-Identifier: Apache-2.0
#include "teach/head.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "processor/pool.h"
#include "teach/judge.h"

namespace mpm::test {
namespace {

using teach::Example;
using teach::Loss;
using teach::Manner;

constexpr int kDim = 5;
const cv::Size kGrid(4, 3);

// Classes in stripes down the frame; `noise` on features that tell where a place stands.
Example striped(int classes, double noise, unsigned seed, int painted = 24) {
  cv::Mat labels(painted, 32, CV_16U);
  for (int y = 0; y < labels.rows; ++y) {
    for (int x = 0; x < labels.cols; ++x)
      labels.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(x * classes / labels.cols);
  }
  Example example{cv::Mat(kGrid.area(), kDim, CV_32F), teach::paintingOf(labels, kGrid, classes)};
  cv::RNG random(seed);
  for (int place = 0; place < kGrid.area(); ++place) {
    for (int d = 0; d < kDim; ++d) {
      const double clear = d == 0 ? place % kGrid.width : std::sin(place * (d + 1));
      example.features.at<float>(place, d) = static_cast<float>(clear + noise * random.gaussian(1));
    }
  }
  return example;
}

std::vector<double> somewhere(std::size_t size) {
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(static_cast<double>(3 * i + 1));
  return x;
}

teach::Minimum learn(const Loss& loss, int steps = 200) {
  return teach::minimise([&](const auto& x, auto& gradient) { return loss.at(x, gradient); },
                         std::vector<double>(loss.size(), 0), steps, 1e-9);
}

// Features that are idle are as good as not there.
TEST(Loss, IdleFeaturesHaveNoPart) {
  const Example all = striped(3, 0.3, 1);
  Example fewer = all;
  fewer.features = all.features.colRange(0, kDim - 2).clone();
  const Loss idle({&all}, 3, {0.1, 0.5, 2}), without({&fewer}, 3, {0.1, 0.5});
  const teach::Head head = idle.headOf(learn(idle).x), expected = without.headOf(learn(without).x);
  EXPECT_EQ(cv::countNonZero(head.weights.rowRange(kDim - 2, kDim)), 0);
  EXPECT_EQ(cv::norm(head.weights.rowRange(0, kDim - 2), expected.weights, cv::NORM_INF), 0);
  EXPECT_EQ(head.biases, expected.biases);
}

TEST(Loss, ItsGradientIsWhatDifferencesSay) {
  const Example one = striped(3, 0.3, 1), two = striped(3, 0.3, 2);
  for (const Manner& manner : {Manner{0.5, 0.5}, Manner{0, 0}}) {
    const Loss loss({&one, &two}, 3, manner);
    std::vector<double> x = somewhere(loss.size()), gradient(x.size()), ignored(x.size());
    loss.at(x, gradient);
    constexpr double kStep = 1e-2;  // scores are float32
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double here = x[i];
      x[i] = here + kStep;
      const double above = loss.at(x, ignored);
      x[i] = here - kStep;
      const double below = loss.at(x, ignored);
      x[i] = here;
      EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 2e-4) << i;
    }
  }
}

TEST(Loss, LearnsWhatCanBeToldApart) {
  const Example example = striped(2, 0, 1);
  const Loss loss({&example}, 2, {0.01, 0.5});
  const teach::Head head = loss.headOf(learn(loss).x);
  const cv::Mat labels = teach::labelsOf(head.scores(example.features), kGrid, {32, 24});
  for (const int x : {0, 8, 14}) EXPECT_EQ(labels.at<std::uint8_t>(12, x), 0) << x;
  for (const int x : {17, 24, 31}) EXPECT_EQ(labels.at<std::uint8_t>(12, x), 1) << x;
}

// Without what holds weights back they would grow for ever.
TEST(Loss, StaysFiniteOnDataThatAreApart) {
  const Example example = striped(2, 0, 1);
  for (const double decay : {0.0, 1.0}) {
    const Loss loss({&example}, 2, {decay, 0});
    for (const double value : learn(loss, 500).x) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Loss, LearnsSharesWhereFeaturesSayNothing) {
  Example example = striped(4, 0, 1);
  example.features.setTo(0.5F);
  const Loss loss({&example}, 4, {0.1, 0});
  const cv::Mat scores = loss.headOf(learn(loss).x).scores(example.features);
  for (int k = 1; k < 4; ++k)
    EXPECT_NEAR(scores.at<float>(0, k), scores.at<float>(0, 0), 1e-2) << k;
}

TEST(Loss, LeavesClassesOutThatNobodyPainted) {
  const Example example = striped(2, 0.1, 1);
  Example wide = example;
  for (teach::Share& share : wide.painting.shares)
    share.classNumber = share.classNumber == 0 ? 1 : 4;
  const Loss two({&example}, 2, {}), six({&wide}, 6, {});
  ASSERT_EQ(six.size(), two.size());
  const std::vector<double> x = learn(two).x;
  EXPECT_EQ(learn(six).x, x);
  const cv::Mat scores = six.headOf(x).scores(wide.features);
  for (int place = 0; place < scores.rows; ++place) {
    for (const int unknown : {0, 2, 3, 5})
      EXPECT_LT(scores.at<float>(place, unknown), scores.at<float>(place, 1) - 100);
  }
}

TEST(Loss, IsTheSameWhateverThreadsThereAre) {
  std::vector<Example> examples;
  for (unsigned i = 0; i < 7; ++i) examples.push_back(striped(3, 0.5, i));
  teach::Examples all;
  for (const Example& example : examples) all.push_back(&example);
  const Loss loss(all, 3, {});
  processor::setThreadCount(1);
  const std::vector<double> alone = learn(loss, 20).x;
  processor::setThreadCount(4);
  const std::vector<double> together = learn(loss, 20).x;
  processor::setThreadCount(0);
  EXPECT_EQ(alone, together);
}

// One that never changes has no say, and does not divide by nothing.
TEST(Scaling, GivesTheSameScoresFromFeaturesAsTheyWere) {
  std::vector<Example> examples = {striped(2, 0.5, 1), striped(2, 0.5, 2)};
  for (Example& example : examples) {
    example.features.col(3) *= 1000;
    example.features.col(4).setTo(7);
  }
  const teach::Scaling scaling = teach::scalingOf(examples);
  EXPECT_EQ(scaling.factor.at<float>(4), 0);
  cv::Mat scaled = examples[0].features.clone();
  scaling.apply(scaled);
  teach::Head head{cv::Mat(kDim, 2, CV_32F), {0.5F, -0.25F}};
  cv::RNG(5).fill(head.weights, cv::RNG::UNIFORM, -1, 1);
  const cv::Mat wanted = head.scores(scaled);
  const cv::Mat found = scaling.undone(head).scores(examples[0].features);
  EXPECT_LT(cv::norm(wanted, found, cv::NORM_INF), 1e-3);
}

// A class that stands in one part alone is judged by heads that never saw it.
TEST(CrossValidation, TellsNothingOfWhatItCannotJudge) {
  std::vector<teach::Judged> frames;
  for (unsigned i = 0; i < 4; ++i) {
    Example example = striped(i == 0 ? 3 : 2, 0.1, i);
    frames.push_back({example, cv::Mat(24, 32, CV_16U, cv::Scalar(0))});
    for (int x = 0; x < 32; ++x) frames.back().truth.col(x).setTo(x * (i == 0 ? 3 : 2) / 32);
  }
  const teach::Kept nothing("");
  teach::Curvature curvature({&frames[0].example, &frames[1].example});
  teach::CrossValidation validation(frames, kGrid, 3, curvature, nothing, "");
  double heads = 0;
  const auto learned = [&](double now) {
    EXPECT_GE(now, heads);
    heads = now;
  };
  const std::vector<double> iou = validation.iouOf(validation.judge({}, learned).confusion);
  EXPECT_EQ(heads, 4);
  EXPECT_GT(iou[0], 0.5);
  EXPECT_GT(iou[1], 0.5);
  EXPECT_TRUE(std::isnan(iou[2]));
  EXPECT_EQ(teach::partsOf(1), 0U);
}

cv::Mat randomMatrix(int rows, int columns, unsigned seed) {
  cv::Mat matrix(rows, columns, CV_32F);
  cv::RNG(seed).fill(matrix, cv::RNG::UNIFORM, -1, 1);
  return matrix;
}

TEST(Products, AreThoseOfMatrices) {
  for (const int classes : {1, 2, 12, 16, 17, 40}) {
    for (const int places : {1, 3, 4, 49}) {
      const cv::Mat features = randomMatrix(places, 23, 1);
      const cv::Mat weights = randomMatrix(23, classes, 2);
      const cv::Mat slopes = randomMatrix(places, classes, 3);
      const cv::Mat scores = features * weights, sums = features.t() * slopes;
      EXPECT_LT(cv::norm(teach::timesWeights(features, weights), scores, cv::NORM_INF), 1e-4);
      EXPECT_LT(cv::norm(teach::timesSlopes(features, slopes), sums, cv::NORM_INF), 1e-4);
    }
  }
}

}  // namespace

}  // namespace mpm::test
