// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

#include "cli/folder.h"
#include "in_project.h"
#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

const std::vector<std::string> kNames{"merged_share", "confidence",        "luma",
                                      "ms.network",   "reconnects",        "area.car",
                                      "area.person",  "zone.gate.area.car"};

// A quiet day, in the order of kNames.
const std::vector<double> kUsual{0.5, 0.9, 0.5, 120, 0, 0.1, 0.01, 0.05};

class Example : public testing::Test {
 protected:
  // Frames once a second, for so long.
  void watch(int seconds, LightState light, const std::map<std::string, double>& unusual = {}) {
    std::vector<double> values = kUsual;
    for (const auto& [name, value] : unusual) values.at(metrics_.find(name).value()) = value;
    for (int i = 0; i < seconds; ++i) {
      now_.steadyMs += 1000;
      now_.utcMs += 1000;
      note(rules_.update({now_, light, values}));
    }
  }

  void silence(int seconds) {
    for (int i = 1; i <= seconds; ++i) {
      now_.steadyMs += 1000;
      now_.utcMs += 1000;
      note(rules_.silence(now_, i * 1000));
    }
  }

  // Since the last call.
  std::set<std::string> began() { return std::exchange(began_, {}); }
  std::set<std::string> ended() { return std::exchange(ended_, {}); }

  RuleBook book_ = readRules(inProject("monitor/rules/example.toml"));
  Metrics metrics_{kNames};
  Rules rules_{book_.rules, metrics_};

 private:
  void note(const std::vector<Firing>& firings) {
    for (const Firing& firing : firings) {
      (firing.began ? began_ : ended_).insert(book_.rules[firing.rule].name);
    }
  }

  Moment now_;
  std::set<std::string> began_, ended_;
};

using Names = std::set<std::string>;

TEST_F(Example, OnAUsualDayNothingIsTold) {
  watch(3600, LightState::day);
  EXPECT_EQ(began(), Names{});
}

TEST_F(Example, EachRuleBeginsAndEndsOnWhatItIsFor) {
  Names told;
  const auto expect = [&](const std::string& name, int seconds, LightState light,
                          const std::map<std::string, double>& unusual) {
    SCOPED_TRACE(name);
    watch(seconds, light, unusual);
    EXPECT_EQ(began(), Names{name});
    watch(120, LightState::day);
    EXPECT_EQ(ended(), Names{name});
    told.insert(name);
  };
  watch(120, LightState::day);
  expect("gate blocked", 31, LightState::day, {{"zone.gate.area.car", 0.3}});
  expect("busy street", 6, LightState::day, {{"area.person", 0.04}});
  expect("unsure", 601, LightState::day, {{"confidence", 0.5}});
  expect("exposure", 11, LightState::day, {{"luma", 0.01}});
  expect("exposure", 11, LightState::day, {{"luma", 0.99}});
  expect("little merges", 61, LightState::day, {{"merged_share", 0.1}});
  expect("slow", 61, LightState::day, {{"ms.network", 700}});
  expect("night", 121, LightState::night, {});
  expect("night", 121, LightState::infrared, {});
  expect("nothing to see", 6, LightState::noSignal, {});
  silence(60);
  EXPECT_EQ(began(), Names{"camera lost"});
  watch(1, LightState::day);
  EXPECT_EQ(ended(), Names{"camera lost"});
  told.insert("camera lost");
  Names all;
  for (const Rule& rule : book_.rules) all.insert(rule.name);
  EXPECT_EQ(told, all) << "each rule of the example is shown here";
}

TEST_F(Example, WhatIsTooShortTellsNothing) {
  watch(60, LightState::day);
  watch(30, LightState::day, {{"zone.gate.area.car", 0.3}, {"luma", 0.5}});
  watch(60, LightState::day);
  watch(100, LightState::night);
  watch(60, LightState::day);
  silence(59);
  EXPECT_EQ(began(), Names{});
}

// Bytes changed, left out, doubled, and pieces moved: what people and editors do to a file.
std::string spoiled(std::string text, std::mt19937& random) {
  const auto place = [&] { return random() % text.size(); };
  const std::string odd = "[]{}\"'#=.,-\n\\0exi_";
  for (std::size_t i = 0, changes = 1 + random() % 4; i < changes; ++i) {
    switch (random() % 4) {
      case 0:
        text[place()] = odd[random() % odd.size()];
        break;
      case 1:
        text.erase(place(), 1 + random() % 40);
        break;
      case 2:
        text.insert(place(), text.substr(place(), random() % 40));
        break;
      default:
        text[place()] = static_cast<char>(random() % 256);
    }
    if (text.empty()) text = "x";
  }
  return text;
}

TEST(SpoiledExample, IsReadOrRefusedWithALine) {
  const unsigned seed = 20240917;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string good = bytesOf(inProject("monitor/rules/example.toml"));
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = spoiled(good, random);
    try {
      parseRules(text, "r.toml");
    } catch (const std::runtime_error& fault) {
      ++refused;
      const std::string said = fault.what();
      int line = 0;
      ASSERT_EQ(std::sscanf(said.c_str(), "r.toml:%d: ", &line), 1) << said;
      EXPECT_GE(line, 1) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 1000);
}

}  // namespace
}  // namespace mpm::test
