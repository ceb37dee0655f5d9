// SPDX-License-Identifier: Apache-2.0
// What a head learns from: cells of a painting and terms of places; how it learns, and its judge.
#include "teach/head.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "processor/pool.h"
#include "teach/judge.h"
#include "teach/painting.h"
#include "teach/places.h"

namespace mpm::test {
namespace {

using teach::Example;
using teach::Loss;
using teach::Manner;
using teach::Painting;

constexpr std::uint16_t kNone = 0xFFFF;

float pixelsOf(const Painting& painting, int classNumber) {
  float sum = 0;
  for (const teach::Share& share : painting.shares)
    sum += share.classNumber == classNumber ? share.pixels : 0;
  return sum;
}

TEST(Painting, CountsEveryPaintedPixelOnce) {
  for (const cv::Size size : {cv::Size(64, 48), cv::Size(37, 91), cv::Size(5, 3), cv::Size(1, 1)}) {
    cv::Mat labels(size, CV_16U, cv::Scalar(kNone));
    cv::RNG random(7);
    int counts[3] = {};
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const int k = random.uniform(0, 4);
        if (k < 3) labels.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(k), ++counts[k];
      }
    }
    const Painting painting = teach::paintingOf(labels, {4, 3}, 3);
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(pixelsOf(painting, k), static_cast<float>(counts[k])) << size;
  }
}

// A cell's four weights are those with which cv::resize makes the cell's score of the grid's.
TEST(Painting, CellsAreInterpolatedAsScoresAre) {
  const cv::Size grid(4, 3);
  cv::Mat scores(grid, CV_32F), fine;
  cv::RNG(3).fill(scores, cv::RNG::UNIFORM, -1, 1);
  cv::resize(scores, fine, grid * Painting::kFineness, 0, 0, cv::INTER_LINEAR);
  const Painting painting = teach::paintingOf(cv::Mat(96, 128, CV_16U, cv::Scalar(0)), grid, 1);
  ASSERT_EQ(painting.cells.size(), fine.total());
  for (std::size_t i = 0; i < painting.cells.size(); ++i) {
    const teach::Cell& cell = painting.cells[i];
    float score = 0;
    for (std::size_t tap = 0; tap < 4; ++tap)
      score += cell.weights[tap] * scores.ptr<float>()[cell.places[tap]];
    EXPECT_NEAR(score, fine.ptr<float>()[i], 1e-5) << i;
  }
}

TEST(Painting, HasNoCellsWhereNothingIsPainted) {
  cv::Mat labels(64, 64, CV_16U, cv::Scalar(kNone));
  EXPECT_TRUE(teach::paintingOf(labels, {4, 4}, 2).cells.empty());
  labels.at<std::uint16_t>(17, 40) = 1;
  const Painting painting = teach::paintingOf(labels, {4, 4}, 2);
  ASSERT_EQ(painting.cells.size(), 1U);
  EXPECT_EQ(pixelsOf(painting, 1), 1);
}

const cv::Size kPlaces(9, 6);

// So a head without them and one with them mean the same by its biases, and none says what another
// does.
TEST(Places, TermsAreWavesOfTheirOwnAroundZero) {
  const cv::Mat terms = teach::placeTerms(kPlaces);
  ASSERT_EQ(terms.size(), cv::Size(teach::kPlaceTerms, kPlaces.area()));
  for (int i = 0; i < terms.cols; ++i) {
    EXPECT_NEAR(cv::mean(terms.col(i))[0], 0, 1e-6) << i;
    EXPECT_GT(cv::norm(terms.col(i), cv::NORM_INF), 0.6) << i;
    for (int j = 0; j < i; ++j) EXPECT_NEAR(terms.col(i).dot(terms.col(j)), 0, 1e-5) << i << j;
  }
  double least = 0, most = 0;
  cv::minMaxLoc(terms, &least, &most);
  EXPECT_GE(least, -1);
  EXPECT_LE(most, 1);
}

TEST(Places, StandBehindTheFeaturesOfTheirPlace) {
  cv::Mat features(kPlaces.area(), 4, CV_32F);
  cv::RNG(1).fill(features, cv::RNG::NORMAL, 0, 1);
  const cv::Mat both = teach::withPlaces(features, kPlaces);
  EXPECT_EQ(cv::norm(both.colRange(0, 4), features, cv::NORM_INF), 0);
  EXPECT_EQ(cv::norm(both.colRange(4, both.cols), teach::placeTerms(kPlaces), cv::NORM_INF), 0);
  // Of a narrow grid and of one place: still numbers.
  for (const cv::Size& small : {cv::Size(1, 1), cv::Size(1, 5)})
    EXPECT_TRUE(cv::checkRange(teach::placeTerms(small)));
}

using Vector = std::vector<double>;

// Curvatures from 1 to 10^4, and its smallest value 3 at (1, 2, 3, ...).
double longBowl(const Vector& x, Vector& gradient) {
  double value = 3;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double curvature =
        std::pow(10.0, 4.0 * static_cast<double>(i) / static_cast<double>(x.size() - 1));
    const double off = x[i] - static_cast<double>(i + 1);
    value += 0.5 * curvature * off * off;
    gradient[i] = curvature * off;
  }
  return value;
}

TEST(Minimise, FindsTheBottomOfALongBowl) {
  const teach::Minimum found = teach::minimise(longBowl, Vector(8, 0), 200, 1e-14);
  EXPECT_NEAR(found.value, 3, 1e-8);
  for (std::size_t i = 0; i < found.x.size(); ++i)
    EXPECT_NEAR(found.x[i], static_cast<double>(i + 1), 1e-3);
}

// What is known of the curvature, even roughly, saves the steps that would find it out.
TEST(Minimise, HeedsWhatIsKnownOfTheCurvature) {
  const auto turn = [](Vector& gradient) {
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] *=
          (i % 2 == 0 ? 2 : 0.5) *
          std::pow(10.0, -4.0 * static_cast<double>(i) / static_cast<double>(gradient.size() - 1));
  };
  const teach::Minimum found = teach::minimise(longBowl, Vector(40, 0), 200, 1e-12, turn);
  EXPECT_NEAR(found.value, 3, 1e-6);
  EXPECT_LT(2 * found.steps, teach::minimise(longBowl, Vector(40, 0), 200, 1e-12).steps);
}

TEST(Minimise, StopsWhereItMay) {
  EXPECT_EQ(teach::minimise(longBowl, Vector(8, 0), 3, 0).steps, 3);
  const teach::Minimum there = teach::minimise(longBowl, {1, 2}, 100, 1e-9);
  EXPECT_EQ(there.steps, 0);
  EXPECT_EQ(there.value, 3);
}

TEST(Minimise, GivesTheSameTwice) {
  EXPECT_EQ(teach::minimise(longBowl, Vector(20, 0), 50, 1e-9).x,
            teach::minimise(longBowl, Vector(20, 0), 50, 1e-9).x);
}

// Its slope goes on for ever: the values have to fall, and stay finite.
TEST(Minimise, GoesDownWhereThereIsNoBottom) {
  const auto endless = [](const Vector& x, Vector& gradient) {
    gradient[0] = -1 / (1 + std::exp(x[0]));
    return std::log1p(std::exp(-x[0]));
  };
  const teach::Minimum found = teach::minimise(endless, {0}, 30, 0);
  EXPECT_LT(found.value, 1e-3);
  EXPECT_TRUE(std::isfinite(found.x[0]));
}

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
