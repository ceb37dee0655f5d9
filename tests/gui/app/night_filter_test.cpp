// SPDX-License-Identifier: Apache-2.0
#include "gui/app/night_filter.h"

#include <gtest/gtest.h>

namespace mpm::gui {
namespace {

TEST(NightFilter, IsNothingWhereItIsOff) { EXPECT_FALSE(nightFilter({})); }

TEST(NightFilter, DarkensACopyAndMoreNoiseIsMoreNoise) {
  const cv::Mat picture(64, 64, CV_8UC3, cv::Scalar::all(180));
  cv::Scalar mean, quiet, loud;
  const auto calm = nightFilter({true, 0.2, 0.1});
  cv::meanStdDev(calm(picture), mean, quiet);
  EXPECT_LT(mean[0], 120);
  EXPECT_EQ(picture.at<cv::Vec3b>(3, 3)[0], 180);
  cv::meanStdDev(nightFilter({true, 0.2, 1.0})(picture), mean, loud);
  EXPECT_GT(loud[0], 2 * quiet[0]);
}

TEST(NightFilter, AnySettingOfTheSlidersIsPossible) {
  const cv::Mat picture(8, 8, CV_8UC3, cv::Scalar::all(100));
  for (const double light : {-1.0, 0.0, 0.01, 1.0, 5.0}) {
    for (const double noise : {-1.0, 0.0, 1.0, 2.0}) {
      EXPECT_NO_THROW(nightFilter({true, light, noise})(picture)) << light << " " << noise;
    }
  }
}

}  // namespace
}  // namespace mpm::gui
