// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export_range.h"

#include <algorithm>
#include <stdexcept>

namespace mpm::monitor {

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

}  // namespace mpm::monitor
