// SPDX-License-Identifier: Apache-2.0
// Many small jobs, from several threads, on more threads than cores: late threads meet the jobs
// that come after theirs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "processor/pool.h"

namespace mpm::processor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kEach = std::chrono::milliseconds(400);
constexpr std::uint32_t kSeed = 161;

// Jobs of two steps on this job's own memory, which ends with it: a thread that is late may touch
// neither. Until `end`, and for some jobs however slow they are. Returns how many were wrong.
int runJobs(std::uint32_t seed, Clock::time_point end, int* jobs) {
  std::mt19937 random(seed);
  int wrong = 0;
  for (*jobs = 0; Clock::now() < end || *jobs <= 10; ++*jobs) {
    const std::size_t first = random() % 9, second = random() % 5;
    std::vector<std::size_t> squares(first), sums(second);
    forEachTaskInTwoSteps(
        first, [&](std::size_t task) { squares[task] += task * task; }, second,
        [&](std::size_t task) {
          sums[task] += std::accumulate(squares.begin(), squares.end(), task);
        });
    const std::size_t expected = first == 0 ? 0 : (first - 1) * first * (2 * first - 1) / 6;
    for (std::size_t task = 0; task < second; ++task) wrong += sums[task] != expected + task;
    wrong += std::accumulate(squares.begin(), squares.end(), std::size_t{0}) != expected;
    // Long enough asleep, now and then, that the pool's threads sleep too.
    if (random() % 512 == 0) std::this_thread::sleep_for(std::chrono::microseconds(400));
  }
  return wrong;
}

TEST(PoolStress, OneCaller) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  setThreadCount(5);
  int jobs = 0;
  EXPECT_EQ(runJobs(kSeed, Clock::now() + kEach, &jobs), 0);
  EXPECT_GT(jobs, 10);
  setThreadCount(0);
}

// While the number of threads changes under them.
TEST(PoolStress, SeveralCallers) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  constexpr std::size_t kCallers = 3;
  std::vector<int> wrong(kCallers), jobs(kCallers);
  std::vector<std::thread> callers;
  const Clock::time_point end = Clock::now() + kEach;
  for (std::size_t i = 0; i < kCallers; ++i) {
    callers.emplace_back(
        [&, i] { wrong[i] = runJobs(kSeed + static_cast<std::uint32_t>(i), end, &jobs[i]); });
  }
  for (int count = 1; Clock::now() < end; count = count % 8 + 1) {
    setThreadCount(count);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (std::thread& caller : callers) caller.join();
  setThreadCount(0);
  EXPECT_EQ(wrong, std::vector<int>(kCallers, 0));
  for (const int count : jobs) EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace mpm::processor
