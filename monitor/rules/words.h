// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpm::monitor {

/// Counts the letters to insert, remove, replace or swap with their neighbour to turn `a` into `b`.
std::size_t differences(std::string_view a, std::string_view b);

/// Returns those of `right` that the author of `wrong` may have meant, likeliest first: with few
/// differences, or one contained in the other.
std::vector<std::string> likeThese(std::string_view wrong, const std::vector<std::string>& right,
                                   std::size_t most);

/// Formats for people: "0.5 s", "12 s", "2 min 5 s", "3 h 12 min", "9 d 4 h". Below 0 is 0.
std::string durationText(std::int64_t ms);

}  // namespace mpm::monitor
