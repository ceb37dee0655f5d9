// SPDX-License-Identifier: Apache-2.0
#include "vit/key_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace mpm::vit {
namespace {

TEST(KeyWeights, AreLogarithmsOfMultiplicities) {
  const std::vector<std::int32_t> map{0, 1, 1, 3, 0, 1, 3, 1};
  std::vector<float> weights(6, 7.0F);
  keyWeights(map.data(), map.size(), weights.data(), 5);
  EXPECT_EQ(weights[0], std::log(2.0F));
  EXPECT_EQ(weights[1], std::log(4.0F));
  EXPECT_EQ(weights[2], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(weights[3], std::log(2.0F));
  EXPECT_EQ(weights[4], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(weights[5], 7.0F) << "a row beyond the live ones";
}

TEST(KeyWeights, WithoutMergingAreZero) {
  const std::vector<std::int32_t> map{0, 1, 2};
  std::vector<float> weights(3, 7.0F);
  keyWeights(map.data(), 3, weights.data(), 3);
  EXPECT_EQ(weights, std::vector<float>(3, 0.0F));
}

}  // namespace
}  // namespace mpm::vit
