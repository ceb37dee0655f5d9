// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpm::monitor {

/// Letters to add, leave out, replace, or swap with their neighbour to make `b` of `a`.
std::size_t differences(std::string_view a, std::string_view b);

/// Those of `right` that somebody who wrote `wrong` may have meant, the likeliest first: those with
/// few differences, and those that contain it or are contained in it.
std::vector<std::string> likeThese(std::string_view wrong, const std::vector<std::string>& right,
                                   std::size_t most);

/// "a", "a and b", "a, b and c"; of nothing "".
std::string listed(const std::vector<std::string>& words, std::string_view lastWord = "and");

/// For people: "0.5 s", "12 s", "2 min 5 s", "3 h 12 min", "9 d 4 h". Below 0 is 0.
std::string durationText(std::int64_t ms);

/// The shortest that reads back the same, whatever the locale.
std::string numberText(double number);

}  // namespace mpm::monitor
