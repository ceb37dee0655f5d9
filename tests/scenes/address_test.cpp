// SPDX-License-Identifier: Apache-2.0
// Addresses of scenes: what they say, and the sentence for each way of saying it wrongly.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "models/scenes/camera.h"

namespace mpm::test {
namespace {

using scenes::CameraOptions;
using scenes::parseSceneAddress;
using scenes::WeatherKind;

std::string refusal(const std::string& address) {
  try {
    parseSceneAddress(address);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(not refused)";
}

TEST(SceneAddress, IsToldByItsScheme) {
  EXPECT_TRUE(scenes::isSceneAddress("scene:"));
  EXPECT_TRUE(scenes::isSceneAddress("scene:?seed=1"));
  EXPECT_FALSE(scenes::isSceneAddress("scene.mp4"));
  EXPECT_FALSE(scenes::isSceneAddress("rtsp://scene:554"));
  EXPECT_FALSE(scenes::isSceneAddress(""));
}

TEST(SceneAddress, WhatIsLeftOutStaysAsItWas) {
  const CameraOptions options = parseSceneAddress("scene:"), standing;
  EXPECT_EQ(options.seed, standing.seed);
  EXPECT_EQ(options.size, standing.size);
  EXPECT_EQ(options.clock, standing.clock);
  EXPECT_EQ(options.start, standing.start);
  EXPECT_EQ(options.sensor, standing.sensor);
  EXPECT_EQ(options.weather, WeatherKind::changing);
  EXPECT_EQ(options.trouble, scenes::Trouble::none);
  EXPECT_FALSE(options.puddles);
}

TEST(SceneAddress, EveryPart) {
  const CameraOptions options = parseSceneAddress(
      "scene:?seed=18446744073709551615&clock=600x&hour=17.5&size=640x480&sensor=off&weather=snow&"
      "trouble=gale");
  EXPECT_EQ(options.trouble, scenes::Trouble::gale);
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.clock, 600);
  EXPECT_EQ(options.start, 17.5 * 3600);
  EXPECT_EQ(options.size, cv::Size(640, 480));
  EXPECT_FALSE(options.sensor);
  EXPECT_EQ(options.weather, WeatherKind::snow);
}

TEST(SceneAddress, InAnyOrderAndAlone) {
  EXPECT_EQ(parseSceneAddress("scene:?hour=0").start, 0);
  EXPECT_EQ(parseSceneAddress("scene:?hour=24").start, 24 * 3600);
  EXPECT_EQ(parseSceneAddress("scene:?clock=0.5x").clock, 0.5);
  EXPECT_TRUE(parseSceneAddress("scene:?sensor=on").sensor);
  const CameraOptions options = parseSceneAddress("scene:?weather=fog&seed=3");
  EXPECT_EQ(options.seed, 3U);
  EXPECT_EQ(options.weather, WeatherKind::fog);
  EXPECT_EQ(parseSceneAddress("scene:?weather=rain").weather, WeatherKind::rain);
  EXPECT_EQ(parseSceneAddress("scene:?weather=fair").weather, WeatherKind::fair);
  EXPECT_TRUE(parseSceneAddress("scene:?puddles=on").puddles);
  EXPECT_TRUE(parseSceneAddress("scene:?puddles=on&weather=rain").puddles);
  EXPECT_FALSE(parseSceneAddress("scene:?puddles=off&weather=fair").puddles);
  EXPECT_EQ(parseSceneAddress("scene:?size=64x4096").size, cv::Size(64, 4096));
}

TEST(SceneAddress, RefusalsNameThePart) {
  const auto expectRefused = [](const std::string& address, const std::string& part) {
    const std::string sentence = refusal(address);
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence << "\nlacks: " << part;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  };
  expectRefused("street:", "street: is not the address of a scene");
  expectRefused("scene:7", "'7' behind scene:");
  expectRefused("scene:seed=7", "'seed=7' behind scene:");
  expectRefused("scene:?", "the part ''");
  expectRefused("scene:?seed=7&", "the part ''");
  expectRefused("scene:?seed", "the part 'seed'");
  expectRefused("scene:?sed=7", "the part 'sed'");
  expectRefused("scene:?=7", "the part ''");
  expectRefused("scene:?seed=7&hour=3&seed=8", "has seed twice");
  for (const std::string seed : {"", "-1", "x", "7.5", "18446744073709551616", "7 "}) {
    expectRefused("scene:?seed=" + seed, "has seed=" + seed + "; a seed is a whole number");
  }
  for (const std::string clock : {"", "x", "600", "0x", "-1x", "1e9x", "nanx", "infx", "6x0x"}) {
    expectRefused("scene:?clock=" + clock,
                  "has clock=" + clock + "; a clock is a number with an x");
  }
  for (const std::string hour : {"", "-1", "24.1", "noon", "nan", "12:30"}) {
    expectRefused("scene:?hour=" + hour, "has hour=" + hour + "; an hour is from 0 to 24");
  }
  for (const std::string size :
       {"", "640", "640x", "x480", "63x480", "640x4097", "640x480x3", "-640x480", "640.0x480"}) {
    expectRefused("scene:?size=" + size, "has size=" + size + "; a size is width x height");
  }
  for (const std::string sensor : {"", "no", "OFF"}) {
    expectRefused("scene:?sensor=" + sensor, "has sensor=" + sensor + "; sensor is on or off");
  }
  expectRefused("scene:?puddles=1", "has puddles=1; puddles is on or off");
  for (const std::string dry : {"fair", "snow", "fog"}) {
    expectRefused("scene:?puddles=on&weather=" + dry, "puddles=on with weather=" + dry);
  }
  for (const std::string weather : {"", "hail", "Rain", "changing"}) {
    expectRefused("scene:?weather=" + weather, "has weather=" + weather + "; weather is fair");
  }
}

TEST(SceneAddress, TroublesAreThoseThatThereAre) {
  for (const std::string name : {"jpeg", "noise", "pumping", "gale", "nudged", "turned"})
    EXPECT_NE(parseSceneAddress("scene:?trouble=" + name).trouble, scenes::Trouble::none);
  EXPECT_NE(refusal("scene:?trouble=none").find("has trouble=none; trouble is jpeg"),
            std::string::npos);
}

TEST(SceneAddress, KindsHaveNames) {
  for (const std::string name : {"fair", "rain", "snow", "fog"}) {
    EXPECT_EQ(scenes::nameOf(*scenes::weatherOf(name)), name);
  }
  EXPECT_STREQ(scenes::nameOf(WeatherKind::changing), "changing");
}

}  // namespace
}  // namespace mpm::test
