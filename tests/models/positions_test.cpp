// SPDX-License-Identifier: Apache-2.0
// Position embeddings on another grid, against OpenCV's bilinear resize: pixel centres at halves,
// and no averaging where the grid shrinks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "onnx/recognise/embedding.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

std::vector<float> randomPositions(std::size_t count) {
  cv::RNG random(7);
  std::vector<float> values(count);
  for (float& value : values) value = random.uniform(-2.F, 2.F);
  return values;
}

TEST(ResizePositions, IsOpenCVsLinearResize) {
  const int dim = 5;
  for (const cv::Size from : {cv::Size(6, 8), cv::Size(24, 24), cv::Size(1, 7), cv::Size(2, 2)}) {
    for (const cv::Size to : {cv::Size(6, 8), cv::Size(8, 6), cv::Size(37, 50), cv::Size(3, 4),
                              cv::Size(1, 1), cv::Size(5, 24)}) {
      std::vector<float> positions =
          randomPositions(static_cast<std::size_t>(from.area()) * static_cast<std::size_t>(dim));
      const std::vector<float> is =
          onnx::resizePositions(positions, dim, from.height, from.width, to.height, to.width);
      const cv::Mat grid(from, CV_32FC(dim), positions.data());
      cv::Mat expected;
      cv::resize(grid, expected, to, 0, 0, cv::INTER_LINEAR);
      ASSERT_EQ(is.size(), expected.total() * static_cast<std::size_t>(dim));
      for (std::size_t i = 0; i < is.size(); ++i)
        ASSERT_NEAR(is[i], expected.ptr<float>()[i], kResizedPosition) << from << " to " << to;
    }
  }
}

TEST(ResizePositions, TheSameGridIsTheSameToTheBit) {
  const std::vector<float> positions = randomPositions(6 * 8 * 3);
  EXPECT_EQ(onnx::resizePositions(positions, 3, 6, 8, 6, 8), positions);
}

TEST(ResizePositions, StayBetweenTheOldOnes) {
  const std::vector<float> positions = randomPositions(4 * 4);
  const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
  const std::vector<float> resized = onnx::resizePositions(positions, 1, 4, 4, 13, 3);
  ASSERT_EQ(resized.size(), 13u * 3);
  for (const float value : resized) {
    EXPECT_GE(value, *low);
    EXPECT_LE(value, *high);
  }
}

}  // namespace
}  // namespace mpm::test
