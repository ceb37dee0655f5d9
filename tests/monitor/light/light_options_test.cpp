// SPDX-License-Identifier: Apache-2.0
// What a light meter refuses to go by.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "monitor/light/light_meter.h"

namespace mpm::test {
namespace {

using namespace monitor;

std::string refusal(const std::function<void(LightOptions&)>& change) {
  LightOptions options;
  change(options);
  try {
    LightMeter meter(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LightOptions, TheDefaultsAreFine) {
  EXPECT_EQ(refusal([](LightOptions&) {}), "");
}

TEST(LightOptions, EdgesAreFine) {
  EXPECT_EQ(refusal([](LightOptions& o) { o.smoothingMs = o.dwellMs = o.margin = 0; }), "");
  EXPECT_EQ(refusal([](LightOptions& o) { o.nightLuma = 0, o.dayLuma = 1; }), "");
  EXPECT_EQ(refusal([](LightOptions& o) { o.location = cv::Vec2d(-90, 180); }), "");
}

TEST(LightOptions, EachRefusalNamesWhatIsWrong) {
  const auto nan = std::nan("");
  const auto names = [](const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
  };
  EXPECT_TRUE(names(refusal([](auto& o) { o.dayLuma = 1.5; }), "day luma"));
  EXPECT_TRUE(names(refusal([&](auto& o) { o.dayLuma = nan; }), "day luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.nightLuma = -0.1; }), "night luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.nightLuma = o.dayLuma; }), "night luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.infraredSaturation = 2; }), "infrared saturation"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.blankContrast = -1; }), "blank contrast"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.blankLuma = -1; }), "blank luma"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.margin = -0.01; }), "margin"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.smoothingMs = -1; }), "smoothing"));
  EXPECT_TRUE(names(refusal([&](auto& o) { o.smoothingMs = nan; }), "smoothing"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.dwellMs = INFINITY; }), "dwell"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.location = cv::Vec2d(91, 0); }), "latitude"));
  EXPECT_TRUE(names(refusal([](auto& o) { o.location = cv::Vec2d(0, -181); }), "longitude"));
  EXPECT_TRUE(names(refusal([&](auto& o) { o.location = cv::Vec2d(nan, 0); }), "latitude"));
}

}  // namespace
}  // namespace mpm::test
