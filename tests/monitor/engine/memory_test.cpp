// SPDX-License-Identifier: Apache-2.0
// The engine with a memory of each camera: what counts, what is forgotten, what is the same.
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "monitor/engine/engine_case.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

EngineOptions watching(const StubReaderPlan& plan) {
  return watchingWith([plan] { return std::make_unique<StubReader>(plan); }, !plan.live);
}

std::unique_ptr<StubNetwork> remembering() {
  auto network = std::make_unique<StubNetwork>();
  network->remembers = true;
  return network;
}

TEST(EngineMemory, TokensCountInFramesThatAreDueAloneAndAreWhatTheyAreWithoutAMemory) {
  StubReaderPlan plan;
  plan.frames = 200;
  Heard with, without;
  Engine remembers(watching(plan), remembering(), {&with});
  EngineOptions off = watching(plan);
  off.memory = false;
  Engine computes(off, remembering(), {&without});
  ASSERT_TRUE(eventually([&] { return remembers.done() && computes.done(); }));
  ASSERT_EQ(with.results.size(), 200U);
  ASSERT_EQ(without.results.size(), 200U);
  double known = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const FrameResult &a = *with.results[i], &b = *without.results[i];
    EXPECT_FALSE(b.remembers);
    EXPECT_TRUE(std::isnan(figureOf(computes, b.figures, "fresh_rows")));
    EXPECT_EQ(a.counted, i % 64 == 0);
    for (const char* name : {"live_rows", "rows.0", "rows.1", "merged_share"}) {
      const double counted = figureOf(remembers, a.figures, name);
      EXPECT_TRUE(a.counted ? counted == figureOf(computes, b.figures, name) : std::isnan(counted))
          << name << " of frame " << i;
    }
    if (a.counted) known = figureOf(remembers, a.figures, "live_rows");
    EXPECT_EQ(figureOf(remembers, a.known, "live_rows"), known);
    EXPECT_EQ(figureOf(remembers, a.figures, "fresh_rows"), a.counted ? 64 : 8);
    EXPECT_EQ(figureOf(remembers, a.known, "memory_agreement") == 0.75, i >= 64);
  }
  remembers.readStatistics(0, [&](const Statistics& statistics) {
    const auto countOf = [&](const char* name) {
      std::uint64_t count = 0;
      for (const LightState light : kAllLightStates)
        count += statistics.of(statistics.metrics().find(name).value(), light).running.count();
      return count;
    };
    EXPECT_EQ(countOf("live_rows"), 4U);
    EXPECT_EQ(countOf("fresh_share"), 200U);
    EXPECT_EQ(countOf("area.dark"), 200U);
  });
}

TEST(EngineMemory, AModelThatCannotRememberHasNoFiguresOfIt) {
  Heard heard;
  Engine engine(watching(StubReaderPlan{}), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  EXPECT_EQ(engine.memoryFault(), "it is a stub");
  for (const char* name : {"fresh_rows", "fresh_share", "memory_agreement", "memory_age"})
    EXPECT_FALSE(engine.metrics(0).find(name)) << name;
  for (const FrameResultPtr& result : heard.results) {
    EXPECT_FALSE(result->remembers);
    EXPECT_FALSE(std::isnan(figureOf(engine, result->figures, "live_rows")));
  }
  EXPECT_FALSE(heard.has("memory off"));
}

TEST(EngineMemory, SwitchingItIsAnEventAndASimulatedNightIsAnotherPicture) {
  Heard heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  auto network = remembering();
  StubNetwork& net = *network;
  Engine engine(watching(plan), std::move(network), {&heard});
  const auto becomes = [&](bool remembers) {
    return eventually([&] {
      const FrameResultPtr newest = engine.latest(0);
      return newest && newest->remembers == remembers;
    });
  };
  ASSERT_TRUE(becomes(true));
  engine.setMemory(false);
  ASSERT_TRUE(becomes(false));
  EXPECT_TRUE(eventually([&] { return heard.has("memory off"); }));
  engine.setMemory(true);
  ASSERT_TRUE(becomes(true));
  EXPECT_TRUE(eventually([&] { return heard.has("memory on"); }));
  EXPECT_EQ(net.forgotten, 0);
  engine.setFilter([](const cv::Mat& picture) { return picture.clone(); });
  EXPECT_TRUE(eventually([&] { return net.forgotten == 1; }));
  engine.setFilter({});
  EXPECT_TRUE(eventually([&] { return net.forgotten == 2; }));
}

// The tenth read of each attempt to open it fails.
class LosingReader : public StubReader {
 public:
  using StubReader::StubReader;
  ReadStatus read(Shot& shot) override {
    return ++reads_ == 10 ? ReadStatus::failed : StubReader::read(shot);
  }

 private:
  int reads_ = 0;
};

TEST(EngineMemory, ASourceThatComesBackIsForgotten) {
  Heard heard;
  StubReaderPlan plan;
  plan.live = true;
  auto network = remembering();
  StubNetwork& net = *network;
  Engine engine(watchingWith([plan] { return std::make_unique<LosingReader>(plan); }, false),
                std::move(network), {&heard});
  EXPECT_TRUE(eventually([&] { return net.forgotten > 0; }));
  EXPECT_GT(engine.capture(0).reconnects, 0U);
}

// A wall with marks on it, seen a tenth further to the side from the 100th second on; two frames a
// second.
std::unique_ptr<Reader> turnedReader() {
  cv::Mat wall(120, 200, CV_8UC3);
  cv::RNG(7).fill(wall, cv::RNG::UNIFORM, 0, 255);
  cv::GaussianBlur(wall, wall, {}, 3);
  cv::normalize(wall, wall, 40, 220, cv::NORM_MINMAX);
  return std::make_unique<MadeReader>(300, 500, [wall, chance = cv::RNG(3)](int frame) mutable {
    cv::Mat noise(120, 160, CV_8UC3);
    chance.fill(noise, cv::RNG::UNIFORM, 0, 6);
    return cv::Mat(wall(cv::Rect(frame < 200 ? 0 : 16, 0, 160, 120)) + noise);
  });
}

TEST(EngineMemory, ACameraThatWasMovedIsForgotten) {
  Heard heard;
  auto network = remembering();
  StubNetwork& net = *network;
  Engine engine(watchingWith(turnedReader, true), std::move(network), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  EXPECT_TRUE(heard.has("camera moved"));
  EXPECT_EQ(net.forgotten, 1);
}

}  // namespace
}  // namespace mpm::test
