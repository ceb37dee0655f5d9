// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace mpm::monitor {

constexpr std::size_t kMostDamaged = 3;  ///< that are kept of one record

/// How many bytes damaged records take that were moved aside (opening.h), with their journals and
/// snapshots. Those before the newest kMostDamaged go, and of more than `mostBytes` (0: no limit)
/// the oldest; the newest stays whatever it takes. One from the future was moved when the clock was
/// wrong, and counts as the oldest. Files that have other names, as people give them, stay and do
/// not count.
std::int64_t boundDamaged(const std::filesystem::path& record, std::int64_t mostBytes,
                          std::int64_t nowUtcMs);

}  // namespace mpm::monitor
