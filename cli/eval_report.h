// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evaluate/journal.h"
#include "evaluate/summary.h"

namespace mpm::cli {

/// Results of `mpm eval`.
struct EvalReport {
  evaluate::Header header;
  evaluate::Summary summary;
  std::vector<std::string> machines;  ///< that it was measured on
};

/// Formats classes and schedules for a person.
std::string evalTable(const EvalReport& report);

/// Returns {"model", "dataset", "machines", "options", "pictures", "compared", "floor", "skipped":
/// [{"kind", "sentence"}], "schedules": [{"schedule", "miou", "pixel_accuracy", "mean_accuracy",
/// "edge_miou", "edge_pixel_accuracy", "rows", "merged", "network_ms", "ms", "ratio", "agreement",
/// "beyond_floor", "classes": [{"name", "pixels", "iou", "accuracy", "edge_iou"}]}]}. Unknown
/// values are null.
std::string evalJson(const EvalReport& report);

/// Returns a row for each schedule.
std::string evalCsv(const EvalReport& report);

/// Returns a row for each schedule and class.
std::string evalClassCsv(const EvalReport& report);

/// Says how many pictures were left out, why, and the first of each kind; empty if none was.
std::string leftOutSentence(const evaluate::Summary& summary);

}  // namespace mpm::cli
