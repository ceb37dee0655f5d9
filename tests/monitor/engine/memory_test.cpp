// SPDX-License-Identifier: Apache-2.0
// The engine with a memory of each camera: what counts, what is forgotten, what is the same.
#include "monitor/engine/engine_case.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

class EngineMemory : public EngineCase {
 protected:
  void SetUp() override { network_->remembers = true; }

  std::unique_ptr<StubNetwork> network_ = std::make_unique<StubNetwork>();
  StubNetwork& net_ = *network_;
};

TEST_F(EngineMemory, TokensCountInFramesThatAreDueAloneAndAreWhatTheyAreWithoutAMemory) {
  EngineOptions off = watching({.frames = 200});
  off.memory = false;
  watch(off, std::move(network_));
  std::vector<FrameResultPtr> without;
  without.swap(heard_.results);
  network_ = std::make_unique<StubNetwork>();
  network_->remembers = true;
  watch(watching({.frames = 200}), std::move(network_));
  ASSERT_EQ(heard_.results.size(), 200U);
  ASSERT_EQ(without.size(), 200U);
  double known = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const FrameResult &a = *heard_.results[i], &b = *without[i];
    EXPECT_FALSE(b.remembers);
    EXPECT_TRUE(std::isnan(figure(b.figures, "fresh_rows")));
    EXPECT_EQ(a.counted, i % 64 == 0);
    for (const char* name : {"live_rows", "rows.0", "rows.1", "merged_share"}) {
      const double counted = figure(a.figures, name);
      EXPECT_TRUE(a.counted ? counted == figure(b.figures, name) : std::isnan(counted))
          << name << " of frame " << i;
    }
    if (a.counted) known = figure(a.figures, "live_rows");
    EXPECT_EQ(figure(a.known, "live_rows"), known);
    EXPECT_EQ(figure(a.figures, "fresh_rows"), a.counted ? 64 : 8);
    EXPECT_EQ(figure(a.known, "memory_agreement") == 0.75, i >= 64);
  }
  engine_->readStatistics(0, [&](const Statistics& statistics) {
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

TEST_F(EngineMemory, AModelThatCannotRememberHasNoFiguresOfIt) {
  watch(watching(StubReaderPlan{}));
  EXPECT_EQ(engine_->memoryFault(), "it is a stub");
  for (const char* name : {"fresh_rows", "fresh_share", "memory_agreement", "memory_age"})
    EXPECT_FALSE(engine_->metrics(0).find(name)) << name;
  for (const FrameResultPtr& result : heard_.results) {
    EXPECT_FALSE(result->remembers);
    EXPECT_FALSE(std::isnan(figure(result->figures, "live_rows")));
  }
  EXPECT_TRUE(heard_.of("memory off").empty());
}

TEST_F(EngineMemory, SwitchingItIsAnEventAndASimulatedNightIsAnotherPicture) {
  begin(watching(livePlan()), std::move(network_));
  ASSERT_TRUE(becomes([](auto& newest) { return newest.remembers; }));
  engine_->setMemory(false);
  ASSERT_TRUE(becomes([](auto& newest) { return !newest.remembers; }));
  EXPECT_TRUE(isTold("memory off"));
  engine_->setMemory(true);
  ASSERT_TRUE(becomes([](auto& newest) { return newest.remembers; }));
  EXPECT_TRUE(isTold("memory on"));
  EXPECT_EQ(net_.forgotten, 0);
  engine_->setFilter([](const cv::Mat& picture) { return picture.clone(); });
  EXPECT_TRUE(eventually([&] { return net_.forgotten == 1; }));
  engine_->setFilter({});
  EXPECT_TRUE(eventually([&] { return net_.forgotten == 2; }));
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

TEST_F(EngineMemory, ASourceThatComesBackIsForgotten) {
  begin(watching([] { return std::make_unique<LosingReader>(livePlan()); }, false),
        std::move(network_));
  EXPECT_TRUE(eventually([&] { return net_.forgotten > 0; }));
  EXPECT_GT(engine_->capture(0).reconnects, 0U);
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

TEST_F(EngineMemory, ACameraThatWasMovedIsForgotten) {
  watch(watching(turnedReader, true), std::move(network_));
  EXPECT_FALSE(heard_.of("camera moved").empty());
  EXPECT_EQ(net_.forgotten, 1);
}

}  // namespace
}  // namespace mpm::test
