// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/statistics/series.h"

/// How a bucket's figures lie in the database. All numbers are little-endian, reals IEEE 754
/// binary64.
///
/// frames:   one u32 for each light state, in the enum's order. A state that a later version adds
///           comes behind them; one that a blob lacks had no frames.
/// tallies:  one after the other, one for each metric of the run, in the run's order:
///             u8 0                                          no values
///             u8 1, u32 count, f64 value                    `count` times the same value: sum and
///                                                           squares are count * value and
///                                                           count * (value * value), to the bit
///             u8 2, u32 count, f64 sum, squares, smallest, largest
namespace mpm::monitor {

using Frames = std::array<std::uint32_t, kLightStates>;

std::string encodeFrames(const Frames& frames);
std::string encodeTallies(const std::vector<Tally>& tallies);

/// Nothing where a blob is no such thing, or has more than `most` tallies: in memory they take up
/// to forty times what a blob does.
std::optional<Frames> decodeFrames(std::string_view blob);
std::optional<std::vector<Tally>> decodeTallies(std::string_view blob, std::size_t most);

}  // namespace mpm::monitor
