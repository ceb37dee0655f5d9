// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/record/export.h"

namespace mpm::monitor {

/// std::invalid_argument, one sentence: no such source, an end before the beginning.
void checkRange(const RecordReader& record, const ExportRange& range);

std::string listed(const std::vector<std::string>& names);  ///< "a, b", or "none"

}  // namespace mpm::monitor
