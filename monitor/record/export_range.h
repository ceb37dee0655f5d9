// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/record/export.h"

namespace mpm::monitor {

/// std::invalid_argument, one sentence: no such source, an end before the beginning.
void checkRange(const RecordReader& record, const ExportRange& range);

/// `metrics`, or all that the source's runs have where there are none; std::invalid_argument, one
/// sentence, on one that there is not.
std::vector<std::string> chosenMetrics(const RecordReader& record, const std::string& source,
                                       const std::vector<std::string>& metrics);

std::string listed(const std::vector<std::string>& names);  ///< "a, b", or "none"

}  // namespace mpm::monitor
