// SPDX-License-Identifier: Apache-2.0
#include "teach/painting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <opencv2/imgproc.hpp>

namespace mpm::test {
namespace {

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

}  // namespace
}  // namespace mpm::test
