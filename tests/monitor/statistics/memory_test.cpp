// SPDX-License-Identifier: Apache-2.0
// Two hundred days in a million frames: memory stays where it was.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "counted_new.h"
#include "monitor/statistics/statistics.h"

namespace mpm::test {
namespace {

using namespace monitor;

constexpr std::size_t kMetrics = 30;
constexpr int kFrames = 1000000;
constexpr std::int64_t kStepMs = 200LL * 86400000 / kFrames;

std::size_t residentBytes() {
  std::size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

Metrics thirtyMetrics() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kMetrics; ++i) names.push_back("area." + std::to_string(i));
  return Metrics(names);
}

// Frames of the street over the days; figures are drawn beforehand.
class Days {
 public:
  Days() : drawn_(4096) {
    std::mt19937_64 random(9);
    for (double& value : drawn_) value = std::lognormal_distribution<>(-2, 1.5)(random);
    for (std::size_t i = 0; i < drawn_.size(); i += 97) drawn_[i] = std::nan("");
    figures_.values.resize(kMetrics);
    figures_.taken.utcMs = 1700000000000;
  }

  const Figures& next() {
    ++frame_;
    figures_.taken.steadyMs += kStepMs;
    figures_.taken.utcMs += kStepMs;
    if (frame_ % 100000 == 0) figures_.taken.utcMs -= 3600000, ++figures_.taken.era;
    figures_.light = kAllLightStates[frame_ / 1000 % kLightStates];
    for (std::size_t i = 0; i < kMetrics; ++i) {
      figures_.values[i] = drawn_[(frame_ * 31 + i * 7) % drawn_.size()];
    }
    return figures_;
  }

 private:
  std::vector<double> drawn_;
  Figures figures_;
  std::size_t frame_ = 0;
};

TEST(StatisticsMemory, IsFlatOverAMillionFramesAndTwoHundredDays) {
  // Days are kept for a year: of those, fewer, so that all levels are full after the warm-up.
  Statistics statistics(thirtyMetrics(), {{900, 1440, 24 * 31, 20}});
  Days days;
  for (int i = 0; i < kFrames / 5; ++i) statistics.add(days.next());
  statistics.series().takeChanged();

  const std::size_t before = residentBytes();
  const long allocationsBefore = allocations;
  for (int i = kFrames / 5; i < kFrames; ++i) statistics.add(days.next());
  const long made = allocations - allocationsBefore;
  const auto grown = static_cast<std::int64_t>(residentBytes()) - static_cast<std::int64_t>(before);

  // A deque takes a new block now and then; buckets are used again.
  EXPECT_LT(made, kFrames / 4);
#if defined(MPM_SANITIZE_ADDRESS) || defined(MPM_SANITIZE_THREAD)
  std::cout << "resident memory is the sanitizer's: " << grown << " bytes more\n";
#else
  EXPECT_LT(grown, 2 << 20);
#endif
  EXPECT_EQ(statistics.series().buckets(Resolution::second).size(), 900u);
  EXPECT_EQ(statistics.series().buckets(Resolution::day).size(), 20u);
}

TEST(StatisticsMemory, AFrameInOpenBucketsAllocatesNothing) {
  Statistics statistics(thirtyMetrics());
  Figures figures;
  figures.values.assign(kMetrics, 0.25);
  statistics.add(figures);
  const long before = allocations;
  for (int i = 0; i < 1000; ++i) statistics.add(figures);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace mpm::test
