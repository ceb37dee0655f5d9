// SPDX-License-Identifier: Apache-2.0
// Rules in an engine: when they begin and end, and what does not count.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "monitor/clock/manual_clock.h"
#include "monitor/engine/engine_case.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

Rule above(const std::string& name, const std::string& metric, double limit) {
  Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = limit;
  return rule;
}
Rule always() { return above("always", "confidence", 0.1); }

NamedSource ruled(const Rule& rule) {
  NamedSource source = named("gate");
  source.book.rules = {rule};
  return source;
}

TEST(Engine, RulesFireAndEventsAreTold) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 30;
  const Rule rule = above("bright", "area.bright", 0.5);
  Engine engine(replayOf(plan, {ruled(rule)}), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  // Frame 28 is the first one of 192 and more; it goes on to 29, the last.
  EXPECT_EQ(heard.firings, (std::vector<std::string>{"bright began", "bright ended"}));
  EXPECT_EQ(engine.rules(0), (Held{{"bright", false}}));
  EXPECT_NE(std::find(heard.events.begin(), heard.events.end(), "rule bright"), heard.events.end());
}

TEST(Engine, ARuleOnWhatIsNotMeasuredIsRefused) {
  const Rule rule = above("bright", "area.brigth", 0.5);
  EXPECT_THROW(Engine(replayOf({}, {ruled(rule)}), std::make_unique<StubNetwork>(), {}),
               std::runtime_error);
}

TEST(Engine, RulesChangeBetweenTwoFramesAndNothingBeginsAnew) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Rule rule = always();
  Engine engine(replayOf(plan, {ruled(rule)}), std::make_unique<StubNetwork>(), {&heard});
  const auto fired = [&](const std::string& what) {
    return eventually([&] {
      const std::lock_guard lock(heard.mutex);
      return std::count(heard.firings.begin(), heard.firings.end(), what) == 1;
    });
  };
  ASSERT_TRUE(fired("always began"));
  const std::uint64_t frames = engine.frames(0);
  Rule more = rule;
  more.name = "more";
  engine.setRules(0, {rule, more});
  ASSERT_TRUE(fired("more began"));
  EXPECT_EQ(engine.rules(0), (Held{{"always", true}, {"more", true}}));
  engine.setRules(0, {more});
  ASSERT_TRUE(fired("always ended"));
  EXPECT_TRUE(eventually([&] { return engine.rules(0) == Held{{"more", true}}; }));
  EXPECT_GE(engine.frames(0), frames);
  EXPECT_EQ(engine.capture(0).reconnects, 0u);
  rule.metric = "nothing";
  EXPECT_THROW(engine.setRules(0, {rule}), std::runtime_error);
}

TEST(Engine, TimeInWhichTheModelFailedDoesNotCountAsHeld) {
  for (const int frames : {15, 16}) {  // it was seen from 0 to 1 s, and from 12 s to 14 or 15 s
    EngineEar heard;
    StubReaderPlan plan;
    plan.frames = frames;
    plan.stepMs = 1000;
    Rule rule = always();
    rule.dwellMs = 4000;
    const auto fails = [](int frame) { return frame >= 2 && frame < 12; };
    Engine engine(replayOf(plan, {ruled(rule)}), std::make_unique<Failing>(fails), {&heard});
    ASSERT_TRUE(eventually([&] { return engine.done(); }));
    engine.stop();
    EXPECT_EQ(std::count(heard.firings.begin(), heard.firings.end(), "always began"), frames - 15);
  }
}

// After a power cut the camera may be back later than the monitor, or never.
TEST(Engine, ACameraThatIsAwayFromTheStartIsSilentSinceThen) {
  class Away : public StubReader {
   public:
    Away(const StubReaderPlan& plan, std::shared_ptr<std::atomic<bool>> isThere)
        : StubReader(plan), isThere_(std::move(isThere)) {}
    bool open() override { return *isThere_; }

   private:
    std::shared_ptr<std::atomic<bool>> isThere_;
  };
  class Silence : public EngineListener {
   public:
    void onFiring(std::size_t, const Rule&, const Firing& firing,
                  const FrameResultPtr& newest) override {
      const std::lock_guard lock(mutex);
      told.push_back(firing.text);
      EXPECT_EQ(newest == nullptr, firing.began);
    }
    void onSilence(std::size_t, const Moment& now) override { silentMs = now.steadyMs; }
    std::size_t count() {
      const std::lock_guard lock(mutex);
      return told.size();
    }
    std::mutex mutex;
    std::vector<std::string> told;
    std::atomic<std::int64_t> silentMs{0};
  };
  const auto isThere = std::make_shared<std::atomic<bool>>(false);
  Rule rule;
  rule.name = "lost";
  rule.stale = true;
  rule.dwellMs = 60000;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  EngineOptions options = replayOf(plan, {ruled(rule)});
  options.capture.firstWaitMs = options.capture.longestWaitMs = 10;
  options.makeReader = [&](const NamedSource&) { return std::make_unique<Away>(plan, isThere); };
  ManualClock clock(1000000);
  Silence heard;
  Engine engine(options, std::make_unique<StubNetwork>(), {&heard}, clock);
  clock.advance(60000);
  ASSERT_TRUE(eventually([&] { return heard.count() == 1; }));
  EXPECT_EQ(heard.told[0], "Rule 'lost' began: no frame has come for 1 min.");
  EXPECT_TRUE(eventually([&] { return heard.silentMs == 60000; }));
  *isThere = true;
  ASSERT_TRUE(eventually([&] { return heard.count() == 2; }));
  EXPECT_EQ(engine.rules(0), (Held{{"lost", false}}));
}

TEST(Engine, ARuleThatHoldsEndsWithTheEngine) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Engine engine(replayOf(plan, {ruled(always())}), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.rules(0) == Held{{"always", true}}; }));
  engine.stop();
  EXPECT_EQ(heard.firings, (std::vector<std::string>{"always began", "always ended"}));
  EXPECT_EQ(engine.rules(0), (Held{{"always", false}}));
}

}  // namespace
}  // namespace mpm::test
