// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mpm::monitor {

/// "2026-11-21T01:46:25.123Z"; empty outside of the years 0 to 9999, which ISO 8601 cannot write.
std::string isoUtc(std::int64_t utcMs);

/// "20261121T014625.123Z": the same, fit for a file's name. Years outside: "T" and the
/// milliseconds.
std::string isoUtcCompact(std::int64_t utcMs);

}  // namespace mpm::monitor
