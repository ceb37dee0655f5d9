// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>

namespace mpm::processor {

/// Runs body(task) for each task in [0, count), handed out one by one to the threads of the
/// process's OpenMP pool (OMP_NUM_THREADS): the pool that oneDNN and LibTorch use too, so that
/// two pools never fight over the cores. Order and thread are unspecified; body must not throw.
template <class Body>
void forEachTask(std::size_t count, const Body& body) {
  const auto end = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(dynamic, 1) if (end > 1)
  for (std::ptrdiff_t task = 0; task < end; ++task) body(static_cast<std::size_t>(task));
}

/// Two steps with one waking of the threads: second(task) starts when every first(task) has
/// ended. Threads wait for tasks that another has begun, not for each other: one that the
/// system keeps from running holds nobody up before the end.
template <class First, class Second>
void forEachTaskInTwoSteps(std::size_t firstCount, const First& first, std::size_t secondCount,
                           const Second& second) {
  std::atomic<std::size_t> nextFirst{0}, doneFirst{0}, nextSecond{0};
#pragma omp parallel if (secondCount > 1)
  {
    for (std::size_t task; (task = nextFirst++) < firstCount;) {
      first(task);
      doneFirst.fetch_add(1, std::memory_order_release);
    }
    while (doneFirst.load(std::memory_order_acquire) < firstCount) std::this_thread::yield();
    for (std::size_t task; (task = nextSecond++) < secondCount;) second(task);
  }
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

}  // namespace mpm::processor
