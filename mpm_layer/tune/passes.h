// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/schedule.h"
#include "mpm/tune.h"
#include "tune/trials.h"

namespace mpm::tune {

/// Returns every schedule of `merges` merges before these ascending blocks, in dictionary order: [0
/// 1], [0 2], ..., [1 2], ... Returns none if there are fewer blocks than merges.
std::vector<Schedule> schedulesOf(const std::vector<int>& blocks, int merges);

/// Returns the schedules that have one merge more than one of `bases`, each once, in that order.
std::vector<Schedule> extensionsOf(const std::vector<Schedule>& bases,
                                   const std::vector<int>& blocks);

/// Orders fewer merges first, then as in a dictionary. It decides between two that are as good.
bool simpler(const Schedule& a, const Schedule& b);

/// Marks the Pareto front: neither slower nor further from the unmerged run than another. Sets
/// `onFront` of the unmerged run and of every schedule that was measured closely. Of two that are
/// as fast and agree as well, the simpler one is on it. A schedule with a `ratioHigh` of 1 is not:
/// the unmerged run agrees better and may be as fast.
void markFront(TunedSchedule& full, std::vector<TunedSchedule>& schedules);

/// Returns ascending indices of those `schedules` that may turn out to be on the front. No other
/// may be clearly better: 5% faster with the same agreement, or as fast with 1% more pixels. None
/// may be 5% slower than the unmerged run. Returns about `most`: all that are on the front so far,
/// then the nearest to it in time.
std::vector<std::size_t> nearFront(const std::vector<TunedSchedule>& schedules, std::size_t most);

/// Runs tuneSchedules() on anything that runs schedules. Looks at all schedules of merges before
/// `blocks`, then measures those near the front and `always`, unless empty, closely. Throws
/// std::invalid_argument if there are no frames, or no schedule of `options.merges` merges.
Tuning tuneBy(const RunTrial& run, std::size_t frames, const std::vector<int>& blocks,
              const Schedule& always, const TuneOptions& options);

}  // namespace mpm::tune
