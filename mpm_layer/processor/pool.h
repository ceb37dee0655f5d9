// SPDX-License-Identifier: Apache-2.0
#pragma once

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
/// threads or from within a task, run on their callers alone. Bodies must not throw.
void runTasks(const Work& work, const Work& then = {});

/// Takes the place of the pool, for a process whose threads another library holds; null: the pool.
using Runner = void (*)(const Work& work, const Work& then);
void setRunner(Runner runner);

}  // namespace mpm::processor
