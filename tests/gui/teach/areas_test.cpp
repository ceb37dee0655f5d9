// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/areas.h"

#include <gtest/gtest.h>

#include <map>
#include <opencv2/imgproc.hpp>
#include <set>

namespace mpm::gui {
namespace {

// Draws a lawn with a gradient of light, a path, and a person on each.
cv::Mat yard(cv::Size size) {
  cv::Mat frame(size, CV_8UC3);
  for (int x = 0; x < size.width; ++x)
    frame.col(x).setTo(cv::Scalar(60, 120 + 60.0 * x / size.width, 70));
  const int width = size.width, height = size.height;
  frame(cv::Rect(0, height * 2 / 3, width, height / 3)).setTo(cv::Scalar(150, 150, 155));
  for (const cv::Point& at :
       {cv::Point(width / 4, height / 4), cv::Point(width / 2, height * 3 / 4)})
    frame(cv::Rect(at.x, at.y, width / 16, height / 6)).setTo(cv::Scalar(40, 30, 35));
  cv::Mat noise(size, CV_8UC3);
  cv::RNG(3).fill(noise, cv::RNG::UNIFORM, 0, 16);
  return frame + noise;
}

std::set<int> numbersOf(const cv::Mat& cut) { return {cut.begin<int>(), cut.end<int>()}; }

TEST(AreasTest, ALawnAPathAndPeopleAreAnAreaEach) {
  for (const cv::Size size : {cv::Size(128, 96), cv::Size(1280, 720)}) {
    const cv::Mat cut = Areas(yard(size)).cut(4);
    ASSERT_EQ(numbersOf(cut).size(), 4U);
    const auto at = [&](double x, double y) {
      return cut.at<int>(cvRound(y * cut.rows), cvRound(x * cut.cols));
    };
    EXPECT_EQ(at(0.05, 0.3), at(0.9, 0.3)) << "the lawn, in spite of the light";
    EXPECT_EQ(at(0.05, 0.9), at(0.9, 0.9)) << "the path";
    EXPECT_EQ(std::set<int>({at(0.05, 0.3), at(0.05, 0.9), at(0.28, 0.33), at(0.53, 0.83)}).size(),
              4U);
  }
}

TEST(AreasTest, CoarserAreasHoldWholeFinerOnes) {
  const Areas areas(yard({160, 120}));
  cv::Mat finer = areas.cut(400);
  for (const int count : {100, 30, 7, 1}) {
    const cv::Mat coarser = areas.cut(count);
    EXPECT_EQ(numbersOf(coarser).size(), static_cast<std::size_t>(count));
    std::map<int, std::set<int>> within;
    for (int y = 0; y < finer.rows; ++y)
      for (int x = 0; x < finer.cols; ++x)
        within[finer.at<int>(y, x)].insert(coarser.at<int>(y, x));
    for (const auto& each : within) EXPECT_EQ(each.second.size(), 1U);
    finer = coarser;
  }
}

TEST(AreasTest, OnePixelIsOneArea) {
  const Areas areas(cv::Mat(1, 1, CV_8UC3, cv::Scalar::all(9)));
  EXPECT_EQ(numbersOf(areas.cut(30)).size(), 1U);
}

}  // namespace
}  // namespace mpm::gui
