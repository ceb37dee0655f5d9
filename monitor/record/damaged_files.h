// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mpm::monitor {

constexpr std::size_t kMostDamaged = 3;  ///< that are kept of one record

/// How many bytes damaged records take that were moved aside (opening.h), with their journals and
/// snapshots, what a backup replaced (backup.h), and snapshots alone of records that are gone.
/// Those before the newest kMostDamaged go, and of more than `mostBytes` (0: no limit) the oldest;
/// the newest stays whatever it takes. One from the future was moved when the clock was wrong, and
/// counts as the oldest. Files that have other names, as people give them, stay and do not count.
std::int64_t boundDamaged(const std::filesystem::path& record, std::int64_t mostBytes,
                          std::int64_t nowUtcMs);

/// The snapshots of a record that is gone from its path go to RECORD.removed-TIME-snapshots, so
/// that they are not those of the one that is begun there; clips that are still written stay. Their
/// folder; empty: there are none, or it cannot be renamed.
std::filesystem::path moveSnapshotsAside(const std::filesystem::path& record, std::int64_t utcMs);

/// The same for these alone.
std::filesystem::path moveSnapshotsAside(const std::filesystem::path& record,
                                         const std::vector<std::string>& stems, std::int64_t utcMs);

/// Of these snapshots of a record, the files of those that were moved aside come back to it: how
/// many. None whose files are there is replaced.
int bringSnapshotsBack(const std::filesystem::path& record, const std::vector<std::string>& stems);

}  // namespace mpm::monitor
