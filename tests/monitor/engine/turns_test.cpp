// SPDX-License-Identifier: Apache-2.0
// Engines that share one net: each with its own schedule, one after the other, none left behind.
#include "monitor/engine/engine.h"

#include <future>

#include "monitor/engine/engine_case.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// Counts who computes, or gives it a schedule, at the same time.
class WatchedNetwork : public StubNetwork {
 public:
  Segmentation segment(const cv::Mat& picture) override {
    const Inside inside(*this);
    Segmentation found = StubNetwork::segment(picture);
    while (blocked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return found;
  }
  Schedule schedule() override {
    const Inside inside(*this);
    return StubNetwork::schedule();
  }
  void setSchedule(const Schedule& blocks) override {
    const Inside inside(*this);
    StubNetwork::setSchedule(blocks);
  }

  std::atomic<int> most{0};
  std::atomic<bool> blocked{false};  ///< whether a frame takes until it is no longer

 private:
  struct Inside {
    explicit Inside(WatchedNetwork& of) : network(of) {
      if (const int now = ++network.inside_; now > network.most) network.most = now;
      std::this_thread::yield();
    }
    ~Inside() { --network.inside_; }
    WatchedNetwork& network;
  };
  std::atomic<int> inside_{0};
};

struct SharingCamera {
  Schedule schedule;
  std::unique_ptr<Heard> heard = std::make_unique<Heard>();
  std::unique_ptr<Engine> engine{};
};

class SharedNet : public testing::Test {
 protected:
  // One engine for each schedule.
  void begin(const StubReaderPlan& plan, const std::vector<Schedule>& schedules) {
    const auto turns = std::make_shared<Turns>();
    for (const Schedule& schedule : schedules) {
      SharingCamera& camera = cameras_.emplace_back(SharingCamera{schedule});
      EngineOptions options = watching(plan, named("camera" + std::to_string(cameras_.size())));
      options.turns = turns;
      options.schedule = schedule;
      camera.engine = std::make_unique<Engine>(options, network_,
                                               std::vector<EngineListener*>{camera.heard.get()});
    }
  }

  std::shared_ptr<WatchedNetwork> network_ = std::make_shared<WatchedNetwork>();
  std::vector<SharingCamera> cameras_;
};

TEST_F(SharedNet, EachHasItsOwnScheduleAndNeverTwoComputeAtOnce) {
  begin({.frames = 60}, {{2, 5}, {1, 3, 4}, {}});
  for (const SharingCamera& camera : cameras_) {
    ASSERT_TRUE(eventually([&] { return camera.engine->done(); }));
    EXPECT_EQ(camera.engine->frames(), 60u);
    EXPECT_EQ(camera.engine->scheduleFault(), "");
    for (const FrameResultPtr& result : camera.heard->results) {
      EXPECT_EQ(result->schedule, camera.schedule);
      EXPECT_EQ(result->segmentation.rows.size(), 1 + camera.schedule.size());
    }
    EXPECT_TRUE(camera.heard->of("schedule").empty()) << "none had another one";
  }
  EXPECT_EQ(network_->segmented, 180);
  EXPECT_EQ(network_->most, 1);
}

// As the window that tunes does, and whatever it leaves behind.
TEST_F(SharedNet, ATaskFindsTheScheduleOfItsEngineAndLeavesThatOfTheOthersAlone) {
  begin(livePlan(), {{2, 5}, {1}});
  for (const SharingCamera& camera : cameras_) {
    Schedule found;
    camera.engine
        ->withNetwork([&](Network& network) {
          found = network.schedule();
          network.setSchedule({3});
        })
        .get();
    EXPECT_EQ(found, camera.schedule);
  }
  for (const SharingCamera& camera : cameras_) {
    ASSERT_TRUE(
        eventually([&, from = camera.heard->count()] { return camera.heard->count() > from + 1; }));
    EXPECT_EQ(camera.engine->latest()->schedule, camera.schedule);
  }
  EXPECT_EQ(network_->most, 1);
}

TEST_F(SharedNet, AnotherScheduleOfOneIsNoneOfTheOther) {
  begin(livePlan(), {{2, 5}, {2, 5}});
  const Engine &changed = *cameras_[0].engine, &other = *cameras_[1].engine;
  cameras_[0].engine->setSchedule({4});
  ASSERT_TRUE(
      eventually([&] { return changed.latest() && changed.latest()->schedule == Schedule{4}; }));
  ASSERT_TRUE(eventually([&, from = other.frames()] { return other.frames() > from + 1; }));
  EXPECT_EQ(other.latest()->schedule, (Schedule{2, 5}));
  EXPECT_EQ(cameras_[0].heard->of("schedule").size(), 1u);
  EXPECT_TRUE(cameras_[1].heard->of("schedule").empty());
}

TEST_F(SharedNet, ARefusedScheduleLeavesItsOwnAndNotThatOfAnother) {
  network_->mergeable = {1, 2, 5};
  begin(livePlan(), {{2, 5}, {1}});
  Engine& refused = *cameras_[0].engine;
  Heard& heard = *cameras_[0].heard;
  std::promise<void> ends;
  std::atomic<bool> begun{false};
  // The other one holds the net, until a frame of this one has long waited for it.
  const auto task = cameras_[1].engine->withNetwork([&](Network&) {
    begun = true;
    ends.get_future().wait();
  });
  EXPECT_TRUE(eventually([&] { return begun.load(); }));
  EXPECT_TRUE(eventually(
      [&, from = refused.capture().drops] { return refused.capture().drops > from + 20; }));
  refused.setSchedule({3});
  ends.set_value();
  EXPECT_TRUE(eventually([&] { return !refused.scheduleFault().empty(); }));
  EXPECT_TRUE(eventually([&, from = heard.count()] { return heard.count() > from + 2; }));
  refused.stop();
  for (const FrameResultPtr& result : heard.results) EXPECT_EQ(result->schedule, (Schedule{2, 5}));
  EXPECT_TRUE(heard.of("schedule").empty());
}

// Else the end of a session with many cameras would take a frame of each.
TEST_F(SharedNet, AskedToStopNoneComputesAnotherFrame) {
  for (const bool stops : {false, true}) {
    network_ = std::make_shared<WatchedNetwork>();
    network_->blocked = true;
    begin(livePlan(), {{2, 5}, {1}, {}});
    EXPECT_TRUE(eventually([&] { return network_->segmented == 1; }));
    for (const SharingCamera& camera : cameras_)
      if (stops) camera.engine->askToStop();
    network_->blocked = false;
    EXPECT_TRUE(stops || eventually([&] { return network_->segmented > 3; }));
    for (const SharingCamera& camera : cameras_) camera.engine->stop();
    EXPECT_EQ(network_->segmented == 1, stops);
    cameras_.clear();
  }
}

// The watchdog looks at its turns; its camera goes on, and the newest frame is the next.
TEST_F(SharedNet, ANetThatHangsStandsStillInItsTurnsAndTakesTheNewestFrameThen) {
  network_->blocked = true;
  begin(livePlan(), {{2, 5}});
  const Engine& engine = *cameras_[0].engine;
  ASSERT_TRUE(eventually([&] { return network_->segmented == 1; }));
  const std::int64_t turnedMs = engine.turnedMs();
  ASSERT_TRUE(eventually([&] { return engine.capture().drops > 20; }));
  EXPECT_EQ(engine.turnedMs(), turnedMs);
  const std::uint64_t newest = engine.capture().frames;
  network_->blocked = false;
  ASSERT_TRUE(eventually([&] { return cameras_[0].heard->count() > 1; }));
  cameras_[0].engine->stop();
  EXPECT_GE(cameras_[0].heard->results[1]->frame.number, newest);
  EXPECT_GT(engine.turnedMs(), turnedMs);
}

// A std::mutex mostly goes to whoever had it last.
TEST(Turns, GoRoundAmongThoseWhoAsk) {
  constexpr int kThreads = 3, kAll = 300;
  Turns turns;
  std::atomic<int> ready{0};
  std::vector<int> taken(kThreads, 0);  // in turns, which ThreadSanitizer watches
  int all = 0;
  std::vector<std::thread> threads;
  for (int& mine : taken) {
    threads.emplace_back([&] {
      for (++ready; ready < kThreads;) std::this_thread::yield();
      for (;;) {
        const std::lock_guard turn(turns);
        if (all == kAll) return;
        ++all, ++mine;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the others ask meanwhile
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int each : taken) EXPECT_GE(each, kAll / kThreads / 2);
}

}  // namespace
}  // namespace mpm::test
