// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/schedule.h"
#include "mpm/tune.h"
#include "tune/trials.h"

namespace mpm::tune {

/// Every schedule of `merges` merges before these blocks, which ascend: in the order of a
/// dictionary, [0 1], [0 2], ..., [1 2], ... None where there are fewer blocks than merges.
std::vector<Schedule> schedulesOf(const std::vector<int>& blocks, int merges);

/// Those that have one merge more than one of `bases`, each once, in the same order.
std::vector<Schedule> extensionsOf(const std::vector<Schedule>& bases,
                                   const std::vector<int>& blocks);

/// Fewer merges first, then as in a dictionary: the last word where two are as good.
bool simpler(const Schedule& a, const Schedule& b);

/// The Pareto front is what is neither slower nor further from full tokens than something else.
/// Sets `onFront` of full tokens and of every schedule that was measured closely. Of two that are
/// as fast and agree as well, the simpler one is on it. A schedule whose `ratioHigh` reaches 1 is
/// not: full tokens agree better and may be as fast.
void markFront(TunedSchedule& full, std::vector<TunedSchedule>& schedules);

/// Which of `schedules`, as they were looked at, may turn out to be on the front: those that no
/// other is clearly better than, which is 5% faster and agrees as well, or agrees in 1% of the
/// pixels more and is as fast. None that is slower than full tokens by 5%. About `most`: all that
/// are on the front as it looks, then those that are nearest to it in time. Ascending indices.
std::vector<std::size_t> nearFront(const std::vector<TunedSchedule>& schedules, std::size_t most);

/// tuneSchedules(), by anything that runs schedules: looks at all schedules of merges before
/// `blocks`, then measures closely those near the front, and `always`, which may be empty.
/// std::invalid_argument where there are no frames, or no schedule of `options.merges` merges.
Tuning tuneBy(const RunTrial& run, std::size_t frames, const std::vector<int>& blocks,
              const Schedule& always, const TuneOptions& options);

}  // namespace mpm::tune
