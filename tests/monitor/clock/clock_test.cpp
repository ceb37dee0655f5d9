// SPDX-License-Identifier: Apache-2.0
// The machine's clocks, and clocks from several threads.
#include "monitor/clock/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "monitor/clock/manual_clock.h"

namespace mpm::test {
namespace {

using monitor::Moment;
using monitor::systemClock;

TEST(SystemClock, IsOneObject) { EXPECT_EQ(&systemClock(), &systemClock()); }

TEST(SystemClock, SaysWhatTheWallClockSays) {
  using namespace std::chrono;
  const auto read = [] {
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  };
  const std::int64_t before = read();
  const Moment now = systemClock().now();
  EXPECT_GE(now.utcMs, before);
  EXPECT_LE(now.utcMs, read());
}

TEST(SystemClock, MeasuresTime) {
  using namespace std::chrono;
  const Moment start = systemClock().now();
  const auto steadyStart = steady_clock::now();
  std::this_thread::sleep_for(milliseconds(30));
  const Moment end = systemClock().now();
  const auto passed = duration_cast<milliseconds>(steady_clock::now() - steadyStart).count();
  EXPECT_GE(end.steadyMs - start.steadyMs, 29);
  EXPECT_LE(end.steadyMs - start.steadyMs, passed + 2);
}

TEST(SystemClock, NeverGoesBack) {
  Moment before = systemClock().now();
  for (int i = 0; i < 10000; ++i) {
    const Moment now = systemClock().now();
    ASSERT_GE(now.steadyMs, before.steadyMs);
    ASSERT_GE(now.era, before.era);
    before = now;
  }
}

// Each thread sees time go forwards, whoever else asks or sets.
TEST(Clocks, AreThereForAllThreads) {
  monitor::ManualClock manual(1000);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      Moment systemBefore = systemClock().now(), manualBefore = manual.now();
      for (int i = 0; i < 2000; ++i) {
        const Moment system = systemClock().now();
        EXPECT_GE(system.steadyMs, systemBefore.steadyMs);
        systemBefore = system;
        manual.advance(1);
        const Moment now = manual.now();
        EXPECT_GT(now.steadyMs, manualBefore.steadyMs);
        EXPECT_EQ(now.utcMs - now.steadyMs, 1000);
        manualBefore = now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(manual.now().steadyMs, 4 * 2000);
}

}  // namespace
}  // namespace mpm::test
