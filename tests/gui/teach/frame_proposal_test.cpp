// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/record_frames.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <set>

namespace mpm::gui {
namespace {

enum Kind { kNoon, kDusk, kNight, kRain, kSnow, kKinds };

// A view with a house in one of five kinds of weather and light; `seed` moves clouds and drops.
cv::Mat scene(Kind kind, std::uint64_t seed) {
  cv::Mat picture(180, 320, CV_8UC3, cv::Scalar(230, 180, 120));
  cv::rectangle(picture, {0, 100, 320, 80}, cv::Scalar(60, 140, 70), cv::FILLED);
  cv::rectangle(picture, {120, 60, 80, 70}, cv::Scalar(60, 70, 170), cv::FILLED);
  cv::RNG random(seed);
  cv::circle(picture, {random.uniform(0, 320), 25}, 15, cv::Scalar::all(240), cv::FILLED);
  if (kind == kSnow) cv::rectangle(picture, {0, 100, 320, 80}, cv::Scalar::all(235), cv::FILLED);
  if (kind == kDusk) picture = picture * 0.5 + cv::Scalar(0, 20, 60);
  if (kind == kNight) picture *= 0.12;
  if (kind == kRain) {
    picture = picture * 0.7 + cv::Scalar(50, 50, 50);
    for (int drop = 0; drop < 900; ++drop) {
      const cv::Point at(random.uniform(0, 320), random.uniform(0, 180));
      cv::line(picture, at, at + cv::Point(1, 6), cv::Scalar::all(200));
    }
  }
  return picture;
}

TEST(FrameProposal, OneOfEachKindOfWeatherAndLightIsAmongAsMany) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::vector<float>> looks;
    std::vector<Kind> kinds;
    for (int i = 0; i < 60; ++i) {  // noon by far the most
      const Kind kind = i % 6 == 5 ? static_cast<Kind>(1 + i / 6 % 4) : kNoon;
      kinds.push_back(kind);
      looks.push_back(lookOf(scene(kind, seed * 1000 + static_cast<std::uint64_t>(i))));
    }
    const std::vector<int> chosen = proposeFrames(looks, kKinds);
    std::set<Kind> found;
    for (const int place : chosen) found.insert(kinds[static_cast<std::size_t>(place)]);
    EXPECT_EQ(found.size(), static_cast<std::size_t>(kKinds));
    EXPECT_EQ(kinds[static_cast<std::size_t>(chosen.front())], kNoon) << "the most ordinary first";
  }
}

TEST(FrameProposal, WhatIsThereAlreadyIsNotProposedAgain) {
  std::vector<std::vector<float>> looks, known;
  for (const Kind kind : {kNoon, kDusk, kNight}) looks.push_back(lookOf(scene(kind, 3)));
  known = {looks[0], looks[2]};
  EXPECT_EQ(proposeFrames(looks, 6, known), std::vector<int>{1});
  known.push_back(looks[1]);
  EXPECT_TRUE(proposeFrames(looks, 6, known).empty());
}

TEST(FrameProposal, OfNothingAndOfEqualsThereIsLittleToPropose) {
  EXPECT_TRUE(proposeFrames({}, 3).empty());
  const std::vector<float> look = lookOf(scene(kNoon, 1));
  EXPECT_EQ(proposeFrames({look, look, look}, 3), std::vector<int>{0});
  EXPECT_TRUE(proposeFrames({look}, 0).empty());
  EXPECT_EQ(lookOf(cv::Mat(1, 1, CV_8UC3, cv::Scalar::all(7))).size(), look.size());
}

}  // namespace
}  // namespace mpm::gui
