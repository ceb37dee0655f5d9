// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/record/database.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"

namespace mpm::monitor {

/// std::invalid_argument, one sentence: no source, a metric twice.
void checkRun(const RunFacts& facts);

/// Stores a run under `id`, or under another where that belongs to another run; the id that it has
/// then. A run that is there already is not stored again.
std::int64_t storeRun(Database& database, std::int64_t id, const RunFacts& facts);

/// Of one source, oldest first. `schema` as in schema.h.
std::vector<RecordedRun> runsOf(Database& database, const std::string& source, int schema);

}  // namespace mpm::monitor
