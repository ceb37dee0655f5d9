// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace mpm::tune {

using Schedule = std::vector<int>;

/// Every schedule of `merges` merges before these blocks, which ascend: in the order of a
/// dictionary, [0 1], [0 2], ..., [1 2], ... None where there are fewer blocks than merges.
std::vector<Schedule> schedulesOf(const std::vector<int>& blocks, int merges);

/// Those that have one merge more than one of `bases`, each once, in the same order.
std::vector<Schedule> extensionsOf(const std::vector<Schedule>& bases,
                                   const std::vector<int>& blocks);

/// Fewer merges first, then as in a dictionary: the last word where two are as good.
bool simpler(const Schedule& a, const Schedule& b);

}  // namespace mpm::tune
