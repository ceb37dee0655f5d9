// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"

namespace mpm::cli {

/// Writes what happens as lines: "2026-05-04T03:02:01.500Z gate: the light is night now, it was
/// dusk". A line that is redrawn in place, below them, says how things are. Any threads.
class WatchLog : public monitor::EngineListener {
 public:
  WatchLog(std::vector<std::string> sourceNames, std::ostream& out, bool redraws);
  ~WatchLog() override;

  void onEvent(std::size_t source, const monitor::Event& event) override;
  void say(const std::string& sentence);
  /// What is wrong with the record, unless an event has said so, which does not come again either;
  /// empty: nothing any more.
  void sayOfRecord(const std::string& fault);
  void showStatus(const std::string& line);  ///< nothing where it cannot be redrawn

 private:
  void write(const std::string& line);
  bool isSaid(const std::string& text, std::string& here, const std::string& there);

  std::vector<std::string> sourceNames_;
  std::ostream& out_;
  bool redraws_;
  std::mutex mutex_;
  std::string status_;
  std::string recordEvent_, recordFault_;  // what was said last of the record
};

/// One line on all sources: "gate day 412 of 1025 rows, 36 ms, 9.9 fps, age 52 ms". `width`: it is
/// cut there; 0: it is not.
std::string statusLine(const monitor::Engine& engine, std::size_t width);

/// What was seen, by light state, of every source: a table of the figures that matter most.
std::string summaryTable(const monitor::Engine& engine);

/// All of it: {"sources": [{"name", "address", "frames", "drops", "reconnects", "light": {"day":
/// {"frames", "metrics": {"live_rows": {"count", "mean", "deviation", "min", "p5", "median", "p95",
/// "max"}}}}}]}.
std::string summaryJson(const monitor::Engine& engine);

}  // namespace mpm::cli
