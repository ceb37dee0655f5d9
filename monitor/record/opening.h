// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "monitor/record/database.h"

namespace mpm::monitor {

struct OpenedRecord {
  std::unique_ptr<Database> database;  ///< of today's schema, ready to be written
  std::filesystem::path damaged;       ///< where a damaged one lies now; empty: there was none
};

/// Opens or creates a record's database, for the process that holds its lock. `wasRecord`: whether
/// one was written here before; then a file that is none is damaged, and is moved aside as one
/// whose contents contradict themselves is: looked at for two seconds at most. std::runtime_error,
/// one sentence: it is another program's file, a newer schema's, or cannot be opened or moved.
OpenedRecord openForWriting(const std::filesystem::path& record, bool wasRecord,
                            std::int64_t utcMs);

/// Moves a record out of the way: RECORD.damaged-TIME, with its journal, and its snapshots to
/// RECORD.damaged-TIME-snapshots, so that it can be opened there. Clips that are still written
/// stay, for the record that is begun in its place. Its new path.
std::filesystem::path moveAside(const std::filesystem::path& record, std::int64_t utcMs);

}  // namespace mpm::monitor
