// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace mpm::cli {

/// A line on the terminal that says how far long work is and how long it will still take; nothing
/// where stderr is no terminal. It is gone when this object is.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the work is done, from 0 to 1. Draws at most ten times a second.
  void show(double share);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool onTerminal_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_;
};

/// The line: "measuring  [=====>    ]  50%, 12 s left". `seconds` went by until now; what is left
/// is left out until there is something to judge by.
std::string progressLine(const std::string& what, double share, double seconds);

}  // namespace mpm::cli
