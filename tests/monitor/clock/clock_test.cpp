// SPDX-License-Identifier: Apache-2.0
// The machine's clocks, clocks from several threads, eras, and times as text.
#include "monitor/clock/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "monitor/clock/manual_clock.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

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

// Between two readings of another clock that lie inside, and two that lie outside.
TEST(SystemClock, MeasuresTime) {
  using namespace std::chrono;
  const auto ms = [](auto from, auto to) { return duration_cast<milliseconds>(to - from).count(); };
  const auto outerStart = steady_clock::now();
  const Moment start = systemClock().now();
  const auto innerStart = steady_clock::now();
  while (steady_clock::now() - innerStart < milliseconds(30)) std::this_thread::yield();
  const auto innerEnd = steady_clock::now();
  const Moment end = systemClock().now();
  const auto outerEnd = steady_clock::now();
  EXPECT_GE(end.steadyMs - start.steadyMs, ms(innerStart, innerEnd) - 1);
  EXPECT_LE(end.steadyMs - start.steadyMs, ms(outerStart, outerEnd) + 1);
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
  ManualClock manual(1000);
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

constexpr std::int64_t kUtc = 1700000000000;

TEST(Era, StaysWhileBothClocksGoOn) {
  Era era;
  for (std::int64_t ms = 0; ms < 10000000; ms += 997) EXPECT_EQ(era.at(ms, kUtc + ms), 0);
}

TEST(Era, GrowsWhenTheClockIsSet) {
  Era era;
  EXPECT_EQ(era.at(0, kUtc), 0);
  EXPECT_EQ(era.at(100, kUtc + 100 + 3600000), 1) << "an hour ahead";
  EXPECT_EQ(era.at(200, kUtc + 200 + 3600000), 1);
  EXPECT_EQ(era.at(300, kUtc + 300), 2) << "and back";
  EXPECT_EQ(era.at(400, kUtc + 400), 2);
}

TEST(Era, AStepIsMoreThanTheLimit) {
  Era era;
  era.at(0, kUtc);
  EXPECT_EQ(era.at(0, kUtc + kClockStepMs), 0);
  EXPECT_EQ(era.at(0, kUtc), 0);
  EXPECT_EQ(era.at(0, kUtc - kClockStepMs - 1), 1);
}

TEST(Era, ASlewedClockStaysInItsEraHoweverFarItGoes) {
  Era era;
  for (std::int64_t second = 0; second < 100000; ++second) {
    EXPECT_EQ(era.at(second * 1000, kUtc + second * 1000 - second / 2), 0);
  }
}

TEST(Era, ALongPauseIsNoStep) {
  Era era;
  era.at(0, kUtc);
  EXPECT_EQ(era.at(30LL * 86400000, kUtc + 30LL * 86400000), 0);
}

TEST(IsoTime, WritesMillisecondsInUtc) {
  EXPECT_EQ(isoUtc(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(isoUtc(1793534400123), "2026-11-01T12:00:00.123Z");
  EXPECT_EQ(isoUtc(951868799999), "2000-02-29T23:59:59.999Z");
  EXPECT_EQ(isoUtc(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(isoUtcCompact(1793534400123), "20261101T120000.123Z");
}

TEST(IsoTime, WhatIso8601CannotWriteIsEmpty) {
  EXPECT_EQ(isoUtc(253402300799999), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(isoUtc(253402300800000), "");
  EXPECT_EQ(isoUtc(-62167219200000), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(isoUtc(-62167219200001), "");
  EXPECT_EQ(isoUtc(std::numeric_limits<std::int64_t>::max()), "");
  EXPECT_EQ(isoUtc(std::numeric_limits<std::int64_t>::min()), "");
  EXPECT_EQ(isoUtcCompact(253402300800000), "T253402300800000");
}

}  // namespace
}  // namespace mpm::test
