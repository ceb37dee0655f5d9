// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/engine/engine.h"

namespace mpm::cli {

/// What was seen, by light state, of every source: a table of the figures that matter most.
std::string summaryTable(const monitor::Engine& engine);

/// All of it: {"sources": [{"name", "address", "frames", "drops", "reconnects", "light": {"day":
/// {"frames", "metrics": {"live_rows": {"count", "mean", "deviation", "min", "p5", "median", "p95",
/// "max"}}}}}]}.
std::string summaryJson(const monitor::Engine& engine);

}  // namespace mpm::cli
