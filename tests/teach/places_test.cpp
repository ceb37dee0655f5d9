// SPDX-License-Identifier: Apache-2.0
#include "teach/places.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

const cv::Size kGrid(9, 6);

// So a head without them and one with them mean the same by its biases, and none says what another
// does.
TEST(Places, TermsAreWavesOfTheirOwnAroundZero) {
  const cv::Mat terms = teach::placeTerms(kGrid);
  ASSERT_EQ(terms.size(), cv::Size(teach::kPlaceTerms, kGrid.area()));
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
  cv::Mat features(kGrid.area(), 4, CV_32F);
  cv::RNG(1).fill(features, cv::RNG::NORMAL, 0, 1);
  const cv::Mat both = teach::withPlaces(features, kGrid);
  EXPECT_EQ(cv::norm(both.colRange(0, 4), features, cv::NORM_INF), 0);
  EXPECT_EQ(cv::norm(both.colRange(4, both.cols), teach::placeTerms(kGrid), cv::NORM_INF), 0);
  // Of a narrow grid and of one place: still numbers.
  for (const cv::Size& small : {cv::Size(1, 1), cv::Size(1, 5)})
    EXPECT_TRUE(cv::checkRange(teach::placeTerms(small)));
}

}  // namespace
}  // namespace mpm::test
