// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/tune.h"

/// The Pareto front: what is neither slower nor further from full tokens than something else.
namespace mpm::tune {

/// Fewer merges first, then as in a dictionary: the last word where two are as good.
bool simpler(const Schedule& a, const Schedule& b);

/// Sets `onFront` of full tokens and of every schedule that was measured closely. Of two that are
/// as fast and agree as well, the simpler one is on it. A schedule whose `ratioHigh` reaches 1 is
/// not: full tokens agree better and may be as fast.
void markFront(TunedSchedule& full, std::vector<TunedSchedule>& schedules);

/// Which of `schedules`, as they were looked at, may turn out to be on the front: those that no
/// other is clearly better than, which is 5% faster and agrees as well, or agrees in 1% of the
/// pixels more and is as fast. None that is slower than full tokens by 5%. About `most`: all that
/// are on the front as it looks, then those that are nearest to it in time. Ascending indices.
std::vector<std::size_t> nearFront(const std::vector<TunedSchedule>& schedules, std::size_t most);

}  // namespace mpm::tune
