// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "segment/corners.h"

namespace mpm::segment {
namespace {

std::vector<float> random(std::size_t count, std::mt19937& source) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(source);
  return values;
}

// Where all are behind the last whole vector, and where nearly none is.
TEST(CornerMean, OfAClassDoesNotDependOnHowManyThereAre) {
  constexpr std::size_t kClasses = 67;
  std::mt19937 source(11);
  std::vector<std::vector<float>> rows;
  for (int c = 0; c < 4; ++c) rows.push_back(random(kClasses, source));
  const std::vector<float> before = random(kClasses, source);
  for (const bool isFirst : {true, false}) {
    std::vector<float> all = before;
    const float* const corners[] = {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()};
    addBetween(corners, 0.3F, 0.7F, 0.45F, isFirst, kClasses, all.data());
    for (std::size_t k = 0; k < kClasses; ++k) {
      float alone = before[k];
      const float* const of[] = {corners[0] + k, corners[1] + k, corners[2] + k, corners[3] + k};
      addBetween(of, 0.3F, 0.7F, 0.45F, isFirst, 1, &alone);
      EXPECT_EQ(alone, all[k]) << k << ' ' << isFirst;
    }
  }
}

}  // namespace
}  // namespace mpm::segment
