// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/tune.h"
#include "tune/trials.h"

namespace mpm::tune {

/// tuneSchedules(), by anything that runs schedules: looks at all schedules of merges before
/// `blocks`, then measures closely those near the front, and `always`, which may be empty.
/// std::invalid_argument where there are no frames, or no schedule of `options.merges` merges.
Tuning tuneBy(const RunTrial& run, std::size_t frames, const std::vector<int>& blocks,
              const Schedule& always, const TuneOptions& options);

}  // namespace mpm::tune
