// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "handlers.h"
#include "report.h"

namespace mpm::bench {

/// Each adds its rows; std::runtime_error where it cannot be measured.
void benchStart(Report& report);
void benchLive(Report& report, TimedApplication& app, int seconds);
void benchNights(Report& report);
void benchTeach(Report& report, TimedApplication& app);
void benchMemory(Report& report, double hours);
void benchSwitching(Report& report, double minutes);

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

/// The handlers that kept others waiting longest: the processor's share, and by the clock.
inline void addHandlers(Report& report, const TimedApplication& app) {
  constexpr double kGoalMs = 50;
  const HandlerTime &busiest = app.busiest(), &longest = app.longest();
  report.rows.push_back(below("the longest handler, of the processor: " + busiest.name, "50 ms",
                              busiest.ranMs, kGoalMs, "ms"));
  char parts[96];
  std::snprintf(parts, sizeof parts, " (ran %.0f, waited for a core %.0f, for others %.0f)",
                longest.ranMs, longest.waitedMs, longest.blockedMs);
  report.rows.push_back(below("the longest handler, by the clock: " + longest.name + parts, "50 ms",
                              longest.ms(), kGoalMs, "ms"));
}

}  // namespace mpm::bench
