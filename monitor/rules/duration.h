// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mpm::monitor {

/// For people: "0.5 s", "12 s", "2 min 5 s", "3 h 12 min", "9 d 4 h". Below 0 is 0.
std::string durationText(std::int64_t ms);

}  // namespace mpm::monitor
