// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace mpm::processor {

/// Number of threads that run tasks, including the caller's. `setThreadCount(0)` restores the
/// default: `setDefaultThreadCount`'s function, asked each time. Without one, it is the cores that
/// this process may use, but at most OMP_NUM_THREADS.
int threadCount();
void setThreadCount(int count);
void setDefaultThreadCount(int (*count)());

/// Returns the cores that this process may use, at most OMP_NUM_THREADS if that is set.
int usableCores();

/// Calls body(argument, task) for each task in [0, count).
struct Work {
  void (*body)(const void* argument, std::size_t task) = nullptr;
  const void* argument = nullptr;
  std::size_t count = 0;
};

/// Runs `work`, then `then`, whose tasks begin when every task of `work` has ended. Threads of one
/// pool and the caller take tasks one by one, in order. The caller waits for tasks that have begun,
/// never for a thread: one that the system suspends delays nobody. One call runs in the pool at a
/// time; others, from other threads or from within a task, run on their callers alone. An exception
/// in a body reaches the caller when no task runs any more; other tasks may have run or not.
void runTasks(const Work& work, const Work& then = {});

template <class Body>
Work workOf(std::size_t count, const Body& body) {
  return {
      [](const void* argument, std::size_t task) { (*static_cast<const Body*>(argument))(task); },
      &body, count};
}

/// Runs body(task) for each task in [0, count), one by one on the threads of the pool. Order and
/// thread are unspecified.
template <class Body>
void forEachTask(std::size_t count, const Body& body) {
  runTasks(workOf(count, body));
}

/// Runs two steps and wakes the threads once: second(task) starts when every first(task) has ended.
template <class First, class Second>
void forEachTaskInTwoSteps(std::size_t firstCount, const First& first, std::size_t secondCount,
                           const Second& second) {
  runTasks(workOf(firstCount, first), workOf(secondCount, second));
}

/// Runs body(begin, end) over pieces of [0, count), for rows that are only copied. Uses several
/// threads if all rows together are large enough for it to pay.
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

/// Sends what its thread gives to runTasks to a second pool, while it lives. The pool's threads are
/// made on first use and take, on Linux, the priority of the thread that uses it. Long work of low
/// priority thus neither holds the first pool nor runs above its own priority.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

/// Replaces the pool, for a process whose threads belong to another library; null restores it.
using Runner = void (*)(const Work& work, const Work& then);
void setRunner(Runner runner);

}  // namespace mpm::processor
