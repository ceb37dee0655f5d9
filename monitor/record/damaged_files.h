// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpm::monitor {

/// How files are called that are moved aside: BEFORE-MOMENT, as isoUtcCompact has the moment, and
/// BEFORE-MOMENT-NUMBER from the second of the same moment on. When, and the how manieth.
using AsideName = std::pair<std::string, int>;

/// Of what stands behind "BEFORE-"; nothing of another name, as people give them.
std::optional<AsideName> asideName(std::string_view rest);

/// The first of a moment that is not there yet, with an ending that is no part of the name.
std::filesystem::path freeAsideName(const std::string& before, std::int64_t utcMs,
                                    const std::string& ending = {});

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
