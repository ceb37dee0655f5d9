// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace mpm::processor {

/// How many threads run tasks, the caller's included. `setThreadCount(0)`: as many as
/// `setDefaultThreadCount`'s function says, which is asked anew each time; without one, as many as
/// this process may use cores, but no more than OMP_NUM_THREADS.
int threadCount();
void setThreadCount(int count);
void setDefaultThreadCount(int (*count)());

/// Cores that this process may use, but no more than OMP_NUM_THREADS, where that is set.
int usableCores();

/// body(argument, task) for each task in [0, count).
struct Work {
  void (*body)(const void* argument, std::size_t task) = nullptr;
  const void* argument = nullptr;
  std::size_t count = 0;
};

/// Runs `work`, and behind it `then`, whose tasks begin when every task of `work` has ended. Tasks
/// are handed out one by one, in order, to the threads of one pool and the caller, who waits for
/// tasks that somebody has begun, never for a thread that has not: one that the system keeps from
/// running holds nobody up. One call runs in the pool at a time; others meanwhile, from other
/// threads or from within a task, run on their callers alone. What a body throws (it may lack
/// memory) reaches the caller when no task runs any more; other tasks may have run or not.
void runTasks(const Work& work, const Work& then = {});

template <class Body>
Work workOf(std::size_t count, const Body& body) {
  return {
      [](const void* argument, std::size_t task) { (*static_cast<const Body*>(argument))(task); },
      &body, count};
}

/// Runs body(task) for each task in [0, count), handed out one by one to the threads of the pool.
/// Order and thread are unspecified.
template <class Body>
void forEachTask(std::size_t count, const Body& body) {
  runTasks(workOf(count, body));
}

/// Two steps with one waking of the threads: second(task) starts when every first(task) has ended.
template <class First, class Second>
void forEachTaskInTwoSteps(std::size_t firstCount, const First& first, std::size_t secondCount,
                           const Second& second) {
  runTasks(workOf(firstCount, first), workOf(secondCount, second));
}

/// Runs body(begin, end) over pieces of [0, count), for rows that are only moved: shared out
/// among the threads where all rows together are large enough that waking them pays.
template <class Body>
void forEachRowRange(std::size_t count, std::size_t bytesPerRow, const Body& body) {
  constexpr std::size_t kWorthThreads = std::size_t{512} << 10;
  constexpr std::size_t kPieceRows = 128;
  if (count * bytesPerRow <= kWorthThreads) return body(std::size_t{0}, count);
  forEachTask((count + kPieceRows - 1) / kPieceRows, [&](std::size_t piece) {
    const std::size_t begin = piece * kPieceRows;
    body(begin, std::min(begin + kPieceRows, count));
  });
}

/// While one lives, what its thread gives to runTasks is shared with the threads of a second pool.
/// Those are made when they are first wanted and have, on Linux, the priority of the thread that
/// wanted them: long work of low priority neither holds the first pool nor runs above itself there.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

/// Takes the place of the pool, for a process whose threads another library holds; null: the pool.
using Runner = void (*)(const Work& work, const Work& then);
void setRunner(Runner runner);

}  // namespace mpm::processor
