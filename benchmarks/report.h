// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mpm::bench {

struct Row {
  std::string what, against;
  double ours = 0, theirs = 0;  ///< both in `unit`
  std::string unit = "ms";
  double ratio = 0;
  double goal = 0;       ///< 0: none
  bool atLeast = false;  ///< the ratio is to be at least, not at most, the goal

  bool met() const { return goal == 0 || (atLeast ? ratio >= goal : ratio <= goal); }
};

struct Report {
  std::string processor, kernels;
  int threads = 0;
  std::vector<Row> rows;
};

void printTable(const Report& report);
void writeJson(const Report& report, const std::string& path);

}  // namespace mpm::bench
