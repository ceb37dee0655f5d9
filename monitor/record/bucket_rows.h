// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"

namespace mpm::monitor {

/// Appends a run's buckets of from <= start < to, by era and start, with `metrics` in this order.
/// std::runtime_error, one sentence, where a bucket's contents are damaged.
void addBuckets(Database& database, const RecordedRun& run, Resolution resolution,
                std::int64_t fromUtcMs, std::int64_t toUtcMs,
                const std::vector<std::string>& metrics, std::vector<Bucket>& buckets);

/// Those of the same era and start as one, in the place of the first.
std::vector<Bucket> joined(std::vector<Bucket> buckets);

}  // namespace mpm::monitor
