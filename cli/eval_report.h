// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evaluate/record.h"
#include "evaluate/summary.h"

namespace mpm::cli {

/// What `mpm eval` found out.
struct EvalReport {
  evaluate::Header header;
  evaluate::Summary summary;
  std::vector<std::string> machines;  ///< that it was measured on
};

/// Classes, schedules and distances, for a person.
std::string evalTable(const EvalReport& report);

/// {"model", "dataset", "machines", "options", "shard", "pictures", "skipped": [{"kind",
/// "sentence"}], "small", "schedules": [{"schedule", "miou", "pixel_accuracy", "mean_accuracy",
/// "edge_miou", "edge_pixel_accuracy", "small_miou", "rows", "merged", "network_ms", "ms", "ratio",
/// "classes": [{"name", "pixels", "iou", "accuracy", "edge_iou"}], "pair_distances": [{"before",
/// "pairs", "mean", "median", "within", "histogram"}]}], "random_pair_distances"}. What nothing
/// says is null.
std::string evalJson(const EvalReport& report);

/// A row for each schedule.
std::string evalCsv(const EvalReport& report);

/// A row for each schedule and class.
std::string evalClassCsv(const EvalReport& report);

/// How many pictures were left out, why, and the first of each kind; empty where none was.
std::string leftOutSentence(const evaluate::Summary& summary);

/// The distances, in patches, that shares of pairs are told for.
std::vector<double> toldDistances();

}  // namespace mpm::cli
