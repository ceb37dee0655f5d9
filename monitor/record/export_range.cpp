// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export_range.h"

#include <algorithm>
#include <stdexcept>

namespace mpm::monitor {
namespace {

// All metrics of a source, in the order of its newest run; then what only older ones had.
std::vector<std::string> metricsOf(const RecordReader& record, const std::string& source) {
  std::vector<std::string> metrics;
  std::vector<RecordedRun> runs = record.runs(source);
  std::reverse(runs.begin(), runs.end());
  for (const RecordedRun& run : runs) {
    for (const std::string& name : run.facts.metrics) {
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
    }
  }
  return metrics;
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

void checkRange(const RecordReader& record, const ExportRange& range) {
  const std::vector<std::string> sources = record.sources();
  if (std::find(sources.begin(), sources.end(), range.source) == sources.end()) {
    throw std::invalid_argument("The record has no source \"" + range.source +
                                "\"; it has: " + listed(sources));
  }
  if (range.fromUtcMs > range.toUtcMs) {
    throw std::invalid_argument("The time to export up to lies before the one to export from");
  }
}

std::vector<std::string> chosenMetrics(const RecordReader& record, const std::string& source,
                                       const std::vector<std::string>& metrics) {
  const std::vector<std::string> all = metricsOf(record, source);
  if (metrics.empty()) return all;
  for (const std::string& name : metrics) {
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    throw std::invalid_argument("The source \"" + source + "\" has no metric \"" + name +
                                "\"; it has: " + listed(all));
  }
  return metrics;
}

}  // namespace mpm::monitor
