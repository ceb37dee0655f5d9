// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <fstream>

#include "handlers.h"
#include "report.h"

namespace mpm::bench {

/// Each adds its rows; std::runtime_error where it cannot be measured.
void benchStart(Report& report);
void benchLive(Report& report, TimedApplication& app, int seconds);
void benchTeach(Report& report, TimedApplication& app);
void benchMemory(Report& report, double hours);
void benchSwitching(Report& report, int switches);

/// What this process has in memory now.
inline double residentMb() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// A figure against a goal that it is to stay below.
inline Row below(const std::string& what, const std::string& against, double ours, double goal,
                 const std::string& unit) {
  return {what, against, ours, goal, unit, ours / goal, 1};
}

}  // namespace mpm::bench
