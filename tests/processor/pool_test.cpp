// SPDX-License-Identifier: Apache-2.0
#include "processor/pool.h"

#include <gtest/gtest.h>
#ifdef __linux__
#include <chrono>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mpm::processor {
namespace {

// Gives back what a test changed.
class PoolTest : public testing::Test {
 protected:
  void TearDown() override {
    setRunner(nullptr);
    setDefaultThreadCount(nullptr);
    setThreadCount(0);
  }
};
using Pool = PoolTest;

std::vector<int> timesRun(std::size_t count) {
  std::vector<std::atomic<int>> times(count);
  forEachTask(count, [&](std::size_t task) { ++times.at(task); });
  return {times.begin(), times.end()};
}

TEST_F(Pool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 4, 5, 6, 7, 8, 3, 1, 8}) {
    setThreadCount(threads);
    EXPECT_EQ(threadCount(), threads);
    for (const std::size_t count : {0, 1, 2, 3, 7, 64, 1000}) {
      EXPECT_EQ(timesRun(count), std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

// What one task throws reaches the caller, and the pool goes on.
TEST_F(Pool, WhatATaskThrowsReachesTheCaller) {
  for (const int threads : {1, 2, 4, 8}) {
    setThreadCount(threads);
    for (const std::size_t faulty : {0, 1, 40, 63}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, task " << faulty);
      const auto fail = [&](std::size_t task) {
        if (task == faulty) throw std::runtime_error("task " + std::to_string(task));
      };
      const auto pass = [](std::size_t) {};
      EXPECT_THROW(forEachTask(64, fail), std::runtime_error);
      EXPECT_THROW(forEachTaskInTwoSteps(64, fail, 8, pass), std::runtime_error);
      EXPECT_THROW(forEachTaskInTwoSteps(8, pass, 64, fail), std::runtime_error);
      EXPECT_EQ(timesRun(64), std::vector<int>(64, 1));
    }
  }
}

// No task of the second step sees a first step that has not ended, though a task of it is slow.
TEST_F(Pool, TheSecondStepBeginsWhenTheFirstHasEnded) {
  for (const int threads : {1, 2, 4, 8}) {
    setThreadCount(threads);
    for (const std::size_t first : {0, 1, 2, 5, 16}) {
      for (const std::size_t second : {0, 1, 3, 16}) {
        SCOPED_TRACE(testing::Message()
                     << threads << " threads, " << first << " and " << second << " tasks");
        std::vector<int> written(first);  // no atomics: the step between has to order it
        std::vector<std::size_t> seen(second, 1000);
        std::atomic<std::size_t> ended{0};
        forEachTaskInTwoSteps(
            first,
            [&](std::size_t task) {
              if (task == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
              written[task] = 1;
              ++ended;
            },
            second,
            [&](std::size_t task) {
              std::size_t sum = 0;
              for (const int one : written) sum += static_cast<std::size_t>(one);
              seen[task] = ended == sum ? sum : 2000;
            });
        EXPECT_EQ(seen, std::vector<std::size_t>(second, first));
        EXPECT_EQ(ended, first);
      }
    }
  }
}

TEST_F(Pool, UsesMoreThanOneThread) {
  setThreadCount(3);
  std::atomic<int> arrived{0};
  forEachTask(3, [&](std::size_t) {  // each waits for the others, so no thread can run two
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST_F(Pool, OfOneThreadIsTheCaller) {
  setThreadCount(1);
  std::set<std::thread::id> threads;
  forEachTask(20, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

// Never more threads at once than were asked for, though the pool has had more.
TEST_F(Pool, FewerThreadsThanBeforeAreFewer) {
  for (const int threads : {8, 2, 3}) {
    setThreadCount(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> inside{0}, most{0};
      forEachTask(32, [&](std::size_t) {
        const int now = ++inside;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        --inside;
      });
      EXPECT_LE(most, threads);
    }
  }
}

TEST_F(Pool, ATaskRunsWhatItAsksForItself) {
  setThreadCount(4);
  std::atomic<int> inner{0}, elsewhere{0};
  forEachTaskInTwoSteps(
      6,
      [&](std::size_t) {
        const auto own = std::this_thread::get_id();
        std::vector<int> order;  // of this thread alone
        forEachTaskInTwoSteps(
            5,
            [&](std::size_t task) {
              order.push_back(static_cast<int>(task));
              elsewhere += std::this_thread::get_id() == own ? 0 : 1;
              forEachTask(2, [&](std::size_t) { ++inner; });
            },
            1, [&](std::size_t) { order.push_back(5); });
        EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
      },
      3, [&](std::size_t) { forEachTask(7, [&](std::size_t) { ++inner; }); });
  EXPECT_EQ(inner, 6 * 5 * 2 + 3 * 7);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Pool, RowRangesCoverEveryRowOnce) {
  setThreadCount(4);
  for (const std::size_t rows : {0, 1, 127, 128, 129, 5000}) {
    for (const std::size_t bytes : {4, 4096}) {
      std::vector<std::atomic<int>> times(rows);
      forEachRowRange(rows, bytes, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) ++times.at(row);
      });
      EXPECT_EQ(std::vector<int>(times.begin(), times.end()), std::vector<int>(rows, 1))
          << rows << " rows of " << bytes << " bytes";
    }
  }
}

std::atomic<int> runnerCalls{0};
void runBackwards(const Work& work, const Work& then) {
  ++runnerCalls;
  for (const Work* step : {&work, &then}) {
    for (std::size_t task = step->count; task-- > 0;) step->body(step->argument, task);
  }
}

TEST_F(Pool, AnotherRunnerTakesOverAndGivesBack) {
  setThreadCount(4);
  runnerCalls = 0;
  setRunner(runBackwards);
  std::vector<std::size_t> order;
  forEachTaskInTwoSteps(
      3, [&](std::size_t task) { order.push_back(task); }, 2,
      [&](std::size_t task) { order.push_back(10 + task); });
  EXPECT_EQ(order, (std::vector<std::size_t>{2, 1, 0, 11, 10}));
  EXPECT_EQ(runnerCalls, 1);
  setRunner(nullptr);
  EXPECT_EQ(timesRun(50), std::vector<int>(50, 1));
  EXPECT_EQ(runnerCalls, 1);
}

#ifdef __linux__
// Of the parent's threads there are none.
TEST_F(Pool, AProcessThatIsForkedOffHasThreadsOfItsOwn) {
#ifdef MPM_SANITIZE_THREAD
  GTEST_SKIP() << "ThreadSanitizer ends a forked process that starts threads";
#endif
  setThreadCount(3);
  EXPECT_EQ(timesRun(100), std::vector<int>(100, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(120);  // ends a child that waits for ever
    for (const int threads : {3, 4, 4}) {
      setThreadCount(threads);
      std::atomic<int> arrived{0};
      forEachTask(static_cast<std::size_t>(threads), [&](std::size_t) {
        ++arrived;
        while (arrived < threads) std::this_thread::yield();  // so no thread runs two
      });
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// While others hold every thread of the first pool, there are two: as modest as who asks.
TEST_F(Pool, AsideThereAreOtherThreadsOfTheCallersPriority) {
  setThreadCount(2);
  std::atomic<bool> ended{false};
  std::atomic<int> held{0}, arrived{0};
  std::thread holder([&] {
    forEachTask(2, [&](std::size_t) {
      ++held;
      while (!ended) std::this_thread::yield();
    });
  });
  while (held < 2) std::this_thread::yield();
  std::vector<int> priorities(2);
  int own = 0;
  std::thread modest([&] {
    setpriority(PRIO_PROCESS, 0, 7);  // of this thread; refused where all are more modest already
    own = getpriority(PRIO_PROCESS, 0);
    const Aside aside;
    forEachTask(2, [&](std::size_t task) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();  // so no thread runs both
      priorities[task] = getpriority(PRIO_PROCESS, 0);
    });
  });
  modest.join();
  ended = true;
  holder.join();
  EXPECT_EQ(priorities, std::vector<int>(2, own));
}
#endif

int wanted = 0;

TEST_F(Pool, ItsThreadsAreAsManyAsTheDefaultSays) {
  EXPECT_EQ(threadCount(), usableCores());
  setDefaultThreadCount([] { return wanted; });
  for (const int count : {3, 1, 2}) {  // asked anew each time
    wanted = count;
    EXPECT_EQ(threadCount(), count);
    EXPECT_EQ(timesRun(40), std::vector<int>(40, 1));
  }
  wanted = 0;
  EXPECT_EQ(threadCount(), 1) << "the caller at least";
  setThreadCount(5);
  EXPECT_EQ(threadCount(), 5) << "a count that was set is above the default";
  setThreadCount(0);
  wanted = 2;
  EXPECT_EQ(threadCount(), 2);
  setThreadCount(-3);
  EXPECT_EQ(threadCount(), 2) << "less than none is none";
  setDefaultThreadCount(nullptr);
  EXPECT_EQ(threadCount(), usableCores());
}

}  // namespace
}  // namespace mpm::processor
