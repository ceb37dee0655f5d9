// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report.h"

namespace mpm::bench {

/// What was measured where.
struct GpuReport {
  std::string device, torch;
  std::vector<std::string> notes;  ///< what did not run, and why
  std::vector<Row> rows;
};

/// A table in Markdown, and the same as JSON. Throws std::runtime_error where a file cannot be
/// written.
std::string markdown(const GpuReport& report);
std::string json(const GpuReport& report);
void writeFile(const std::string& path, const std::string& text);

}  // namespace mpm::bench
