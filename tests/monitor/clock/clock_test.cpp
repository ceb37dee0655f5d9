// SPDX-License-Identifier: Apache-2.0
// The machine's clocks, clocks from several threads, eras, and times as text.
#include "monitor/clock/clock.h"

#include "monitor/clock/manual_clock.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using namespace std::chrono;

// Between two readings of the machine's clocks that lie inside, and two that lie outside.
TEST(SystemClock, SaysAndMeasuresTime) {
  const auto wall = [] {
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  };
  const auto ms = [](auto from, auto to) { return duration_cast<milliseconds>(to - from).count(); };
  const std::int64_t before = wall();
  const auto outerStart = steady_clock::now();
  const Moment start = systemClock().now();
  const auto innerStart = steady_clock::now();
  EXPECT_GE(start.utcMs, before);
  EXPECT_LE(start.utcMs, wall());
  while (steady_clock::now() - innerStart < milliseconds(30)) std::this_thread::yield();
  const auto innerEnd = steady_clock::now();
  const Moment end = systemClock().now();
  const auto outerEnd = steady_clock::now();
  EXPECT_GE(end.steadyMs - start.steadyMs, ms(innerStart, innerEnd) - 1);
  EXPECT_LE(end.steadyMs - start.steadyMs, ms(outerStart, outerEnd) + 1);
}

// Each thread sees time go forwards, whoever else asks or sets.
TEST(Clocks, AreThereForAllThreads) {
  ManualClock manual(1000);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      Moment systemBefore = systemClock().now(), manualBefore = manual.now();
      for (int i = 0; i < 2500; ++i) {
        const Moment system = systemClock().now();
        EXPECT_GE(system.steadyMs, systemBefore.steadyMs);
        EXPECT_GE(system.era, systemBefore.era);
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
  EXPECT_EQ(manual.now().steadyMs, 4 * 2500);
}

struct Reading {
  std::int64_t steadyMs, aheadMs;  // of the wall clock
  std::int32_t era;
};

TEST(Era, GrowsWhenTheClockIsSet) {
  constexpr std::int64_t kUtc = 1700000000000;
  const std::vector<Reading> cases[] = {
      {{0, 0, 0}, {100, 3600000, 1}, {200, 3600000, 1}, {300, 0, 2}, {400, 0, 2}},
      {{0, 0, 0}, {0, kClockStepMs, 0}, {0, 0, 0}, {0, -kClockStepMs - 1, 1}},
      {{0, 0, 0}, {30LL * 86400000, 0, 0}}};  // a long pause is no step
  for (const std::vector<Reading>& readings : cases) {
    Era era;
    for (const Reading& one : readings)
      EXPECT_EQ(era.at(one.steadyMs, kUtc + one.steadyMs + one.aheadMs), one.era) << one.steadyMs;
  }
  Era slewed;  // stays, however far it goes
  for (std::int64_t second = 0; second < 100000; ++second)
    EXPECT_EQ(slewed.at(second * 1000, kUtc + second * 1000 - second / 2), 0);
}

TEST(IsoTime, IsMillisecondsInUtcAndEmptyWhereIso8601CannotWriteIt) {
  for (const auto& [ms, text] : {std::pair(std::int64_t{0}, "1970-01-01T00:00:00.000Z"),
                                 {1793534400123, "2026-11-01T12:00:00.123Z"},
                                 {951868799999, "2000-02-29T23:59:59.999Z"},
                                 {-1, "1969-12-31T23:59:59.999Z"},
                                 {253402300799999, "9999-12-31T23:59:59.999Z"},
                                 {253402300800000, ""},
                                 {-62167219200000, "0000-01-01T00:00:00.000Z"},
                                 {-62167219200001, ""},
                                 {std::numeric_limits<std::int64_t>::max(), ""},
                                 {std::numeric_limits<std::int64_t>::min(), ""}})
    EXPECT_EQ(isoUtc(ms), text) << ms;
  EXPECT_EQ(isoUtcCompact(1793534400123), "20261101T120000.123Z");
  EXPECT_EQ(isoUtcCompact(253402300800000), "T253402300800000");
}

}  // namespace
}  // namespace mpm::test
