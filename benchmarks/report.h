// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "paired.h"

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

/// Returns a row of times, and the ratio of ours to the peer's.
inline Row timesRow(const std::string& what, const std::string& against, const Paired& paired,
                    double goal = 0) {
  return {what, against, paired.oursMs, paired.peerMs, "ms", paired.ratio, goal};
}

/// Returns a row of times, and our speed-up, which should reach the goal.
inline Row speedRow(const std::string& what, const std::string& against, const Paired& paired,
                    double goal = 0) {
  return {what, against, paired.oursMs, paired.peerMs, "ms", 1 / paired.ratio, goal, true};
}

/// Returns the processor's name from the system.
std::string processorName();

struct Report {
  std::string processor = processorName(), kernels = "none";
  int threads = 1;
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< what was not measured, and why
};

std::string tableText(const Report& report);  ///< in Markdown

/// A benchmark's program and its only option: an integer of at least 1.
struct Program {
  const char* name;    ///< "mpm-vit-bench"
  const char* about;   ///< one sentence
  const char* option;  ///< "--threads", or null: none
  int number = 0;      ///< what it is where it is not given
};

/// Parses the command line, lets `measure` fill a report and prints it. Returns the exit status: 0,
/// 1 after an exception, 2 for an invalid command line.
int runBenchmark(int argc, char** argv, const Program& program,
                 const std::function<void(Report& report, int number)>& measure);

}  // namespace mpm::bench
