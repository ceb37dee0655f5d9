// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/record/record.h"
#include "monitor/service/event_clips.h"

namespace mpm::monitor {

/// Puts what an engine tells into a record: series, events, and a snapshot or clip where a rule
/// wants one.
class Recorder : public EngineListener {
 public:
  explicit Recorder(Record& record) : record_(record), clips_(record) {}

  /// Before anything of this source comes. `palette` BGR, of the overlay.
  void begin(std::size_t source, const RunFacts& facts, std::vector<cv::Vec3b> palette);

  void endClips() { clips_.end(); }  ///< when the engine has stopped

  void onResult(std::size_t source, const FrameResultPtr& result) override;
  void onRules(std::size_t source, const std::vector<Rule>& rules) override;
  void onFiring(std::size_t source, const Rule& rule, const Firing& firing,
                const FrameResultPtr& newest) override;
  void onCamera(std::size_t source, const CameraChange& change,
                const FrameResultPtr& result) override;
  void onView(std::size_t source, const std::string& view) override;
  void onEvent(std::size_t source, const Event& event) override;
  void onChanged(std::size_t source, std::vector<Series::Changed> buckets) override;

  /// Any thread.
  void snapshot(std::size_t source, const FrameResult& result, const std::string& reason);

 private:
  struct Run {
    std::int64_t id = 0;
    std::string source;
    std::vector<std::string> metrics;
  };
  Record& record_;
  std::vector<Run> runs_;
  std::vector<cv::Vec3b> palette_;
  EventClips clips_;  // of the engine's thread
};

}  // namespace mpm::monitor
