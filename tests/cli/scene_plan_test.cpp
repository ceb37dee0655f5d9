// SPDX-License-Identifier: Apache-2.0
// Which frames mpm-scene draws: seeds, hours, names, and every range that is none.
#include "cli/scene_plan.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace mpm::test {
namespace {

using cli::SceneFrame;
using cli::ScenePlan;
using cli::SceneWords;

std::vector<SceneFrame> framesOf(const SceneWords& words) {
  ScenePlan plan(words);
  std::vector<SceneFrame> frames;
  for (SceneFrame frame; plan.next(frame);) frames.push_back(frame);
  return frames;
}

void expectRefused(const SceneWords& words, const std::string& part) {
  try {
    ScenePlan plan(words);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const cli::UsageError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence << "\nlacks: " << part;
  }
}

SceneWords withSeed(const std::string& seed) { return {seed, "", "", "", {}, {}}; }
SceneWords withSeeds(const std::string& seeds) { return {"", seeds, "", "", {}, {}}; }
SceneWords withHour(const std::string& hour) { return {"", "", hour, "", {}, {}}; }
SceneWords withHours(const std::string& hours) { return {"", "", "", hours, {}, {}}; }

TEST(ScenePlan, OneFrameWhereNothingIsSaid) {
  const std::vector<SceneFrame> frames = framesOf({});
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(nameOf(frames[0]), "seed7_h1200");
}

TEST(ScenePlan, HoursEvenlyApart) {
  SceneWords words = withHours("6..8");
  words.count = 4;
  std::string names;
  for (const SceneFrame& frame : framesOf(words)) names += nameOf(frame) + " ";
  EXPECT_EQ(names, "seed7_h0600 seed7_h0630 seed7_h0700 seed7_h0730 ");
  words.count = 7;
  names.clear();
  for (const SceneFrame& frame : framesOf(words)) names += nameOf(frame).substr(6) + " ";
  EXPECT_EQ(names, "h0600 h061708 h063417 h065125 h070834 h072542 h074251 ");
}

TEST(ScenePlan, HoursGoOnIntoTheNextDays) {
  SceneWords words = withHours("23.5..48.5");
  words.count = 4;
  std::string names;
  for (const SceneFrame& frame : framesOf(words)) names += nameOf(frame).substr(6) + " ";
  EXPECT_EQ(names, "h2330 day2_h0545 day2_h1200 day2_h1815 ");
  EXPECT_EQ(framesOf(withHour("61.5")).at(0).second, 61 * 3600 + 1800);
  EXPECT_EQ(nameOf(framesOf(withHour("61.5")).at(0)), "seed7_day3_h1330");
  EXPECT_EQ(nameOf(framesOf(withHour("8760")).at(0)), "seed7_day366_h0000");
}

TEST(ScenePlan, StreetsHaveHoursOfTheirOwn) {
  SceneWords words = withSeeds("100..199");
  words.hours = "0..24", words.perSeed = 3;
  std::set<std::string> names;
  std::set<int> seconds;
  int inMorning = 0;
  for (const SceneFrame& frame : framesOf(words)) {
    EXPECT_GE(frame.seed, 100U);
    EXPECT_LE(frame.seed, 199U);
    names.insert(nameOf(frame));
    seconds.insert(frame.second);
    inMorning += frame.second < 12 * 3600 ? 1 : 0;
  }
  EXPECT_EQ(names.size(), 300U);
  EXPECT_GT(seconds.size(), 280U);
  EXPECT_NEAR(inMorning, 150, 40);
}

// As many frames as seconds: each second once, whatever chance says.
TEST(ScenePlan, NoTwoFramesAreOfTheSameSecond) {
  SceneWords words = withSeeds("5..5");
  words.hours = "1..1.01", words.perSeed = 36;
  std::set<int> seconds;
  for (const SceneFrame& frame : framesOf(words)) seconds.insert(frame.second);
  EXPECT_EQ(seconds.size(), 36U);
  words.perSeed = 25;
  seconds.clear();
  for (const SceneFrame& frame : framesOf(words)) seconds.insert(frame.second);
  EXPECT_EQ(seconds.size(), 25U);
}

TEST(ScenePlan, AStreetsHoursDoNotDependOnTheOthers) {
  const std::vector<SceneFrame> many = framesOf(withSeeds("7..9")),
                                one = framesOf(withSeeds("8..8"));
  EXPECT_EQ(many[1].second, one[0].second);
}

TEST(ScenePlan, WithoutAnEnd) {
  ScenePlan plan(withSeeds("18446744073709551614.."));
  EXPECT_TRUE(plan.isEndless());
  EXPECT_FALSE(ScenePlan(withSeeds("1..2")).isEndless());
  SceneFrame frame;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(plan.next(frame));
  EXPECT_EQ(frame.seed, 2U);  // behind the last seed comes the first
  EXPECT_EQ(plan.share(), 0);
}

TEST(ScenePlan, TellsHowMuchIsDone) {
  SceneWords words = withSeeds("1..2");
  words.perSeed = 2;
  ScenePlan plan(words);
  SceneFrame frame;
  for (const double share : {0.25, 0.5, 0.75, 1.0}) {
    ASSERT_TRUE(plan.next(frame));
    EXPECT_DOUBLE_EQ(plan.share(), share);
  }
  EXPECT_FALSE(plan.next(frame));
  ScenePlan last(withSeed("18446744073709551615"));
  EXPECT_TRUE(last.next(frame));
  EXPECT_DOUBLE_EQ(last.share(), 1);
  EXPECT_FALSE(last.next(frame));
}

TEST(ScenePlan, WhatItRefuses) {
  for (const std::string seed : {"x", "-1", "1.5", "7..9", " 7", "18446744073709551616"}) {
    expectRefused(withSeed(seed), "--seed " + seed + " is not a seed; ");
  }
  for (const std::string seeds : {"7", "x..9", "9..7", "..9", "1..x", "1...5", "1..2..3"}) {
    expectRefused(withSeeds(seeds), "--seeds " + seeds + " is not a range of seeds; ");
  }
  for (const std::string hour : {"8760.5", "-1", "noon", "12:30", "1..2", "nan"}) {
    expectRefused(withHour(hour), "--hour " + hour + " is not an hour; ");
  }
  for (const std::string hours : {"12", "18..6", "0..8761", "6..6", "a..b", "1..", "1..1.0001"}) {
    expectRefused(withHours(hours), "--hours " + hours + " is not a range of hours; ");
  }
  SceneWords words = withSeeds("1..2");
  words.count = 2;
  expectRefused(words, "--count goes with one --seed; with --seeds use --per-seed");
  words.count.reset(), words.perSeed = 2, words.hour = "3";
  expectRefused(words, "one --hour is one frame of a street");
  words = withSeed("1");
  words.perSeed = 2;
  expectRefused(words, "--per-seed goes with --seeds; with one --seed use --count");
  words.perSeed.reset(), words.count = 2;
  expectRefused(words, "one --hour is one frame of a street");
  words.hours = "1..1.5", words.count = 1801;
  expectRefused(words, "1801 frames do not fit into 1800 seconds");
}

}  // namespace
}  // namespace mpm::test
