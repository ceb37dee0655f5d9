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

/// tuneSchedules(), by anything that runs schedules: looks at all schedules of merges before
/// `blocks`, then measures closely those near the front, and `always`, which may be empty.
/// std::invalid_argument where there are no frames, or no schedule of `options.merges` merges.
Tuning tuneBy(const RunTrial& run, std::size_t frames, const std::vector<int>& blocks,
              const Schedule& always, const TuneOptions& options);

}  // namespace mpm::tune
