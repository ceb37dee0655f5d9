// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <ostream>
#include <string>

#include "monitor/engine/engine.h"

namespace mpm::cli {

/// Writes events as lines: "2026-05-04T03:02:01.500Z gate: the light is night now, it was dusk". A
/// line below them, redrawn in place, shows the status. For any threads.
class WatchLog : public monitor::EngineListener {
 public:
  WatchLog(std::ostream& out, bool redraws);
  ~WatchLog() override;

  void onEvent(const std::string& source, const monitor::Event& event) override;
  void say(const std::string& sentence);
  /// Reports a problem of the record, unless an event did, which is not repeated either. Empty
  /// means that there is none any more.
  void sayOfRecord(const std::string& fault);
  void showStatus(const std::string& line);  ///< nothing where it cannot be redrawn

 private:
  void write(const std::string& line);
  bool isSaid(const std::string& text, std::string& here, const std::string& there);

  std::ostream& out_;
  bool redraws_;
  std::mutex mutex_;
  std::string status_;
  std::string recordEvent_, recordFault_;  // what was said last of the record
};

/// Returns one line on all sources: "gate day 412 of 1025 rows, 36 ms, 9.9 fps, age 52 ms". It is
/// cut to `width`, if not 0.
std::string statusLine(const monitor::Engines& engines, std::size_t width);

/// Sums up every source by light state: a table of the most important values.
std::string summaryTable(const monitor::Engines& engines);

/// Returns all values: {"sources": [{"name", "address", "frames", "drops", "reconnects", "light":
/// {"day": {"frames", "metrics": {"live_rows": {"count", "mean", "deviation", "min", "p5",
/// "median", "p95", "max"}}}}}]}.
std::string summaryJson(const monitor::Engines& engines);

}  // namespace mpm::cli
