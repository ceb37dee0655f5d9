// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "processor/pool.h"

namespace mpm::processor {

template <class Body>
Work workOf(std::size_t count, const Body& body) {
  return {
      [](const void* argument, std::size_t task) { (*static_cast<const Body*>(argument))(task); },
      &body, count};
}

/// Runs body(task) for each task in [0, count), handed out one by one to the threads of the pool.
/// Order and thread are unspecified; body must not throw.
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

}  // namespace mpm::processor
