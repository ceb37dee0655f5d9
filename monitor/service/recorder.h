// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/record/record.h"
#include "monitor/service/clips.h"

namespace mpm::monitor {

/// Pictures kept without a rule: `perHour` of each source, evenly by the wall clock, so that noon
/// and midnight are among them.
struct DayPictures {
  static constexpr int kMost = 60;
  int perHour = 4;                          ///< 0: none, nor one of what befalls a camera
  std::int64_t leastFreeBytes = 100 << 20;  ///< on the disk: the last of it is for figures
};

/// Records an engine's reports: series, events, timed pictures, and a snapshot or clip for rules
/// that want one.
class Recorder : public EngineListener {
 public:
  explicit Recorder(Record& record, const DayPictures& pictures = {0})
      : record_(record), leastFreeBytes_(pictures.leastFreeBytes), clips_(record) {
    setPicturesPerHour(pictures.perHour);
  }

  /// Call this before anything of this source. `palette` is BGR, for the overlay. `pictured` is the
  /// time of the record's newest timed picture, if any.
  void begin(std::size_t source, const RunFacts& facts, std::vector<cv::Vec3b> palette,
             std::optional<std::int64_t> pictured = {});
  /// Takes effect with the next frame; any thread. Throws std::invalid_argument outside 0 to
  /// DayPictures::kMost.
  void setPicturesPerHour(int perHour);

  void endClips() { clips_.end(); }  ///< when the engine has stopped

  void onResult(std::size_t source, const FrameResultPtr& result) override;
  void onRules(std::size_t source, const std::vector<Rule>& rules) override;
  void onFiring(std::size_t source, const Rule& rule, const Firing& firing,
                const FrameResultPtr& newest) override;
  void onCamera(std::size_t source, const CameraChange& change,
                const FrameResultPtr& result) override;
  void onView(std::size_t source, const std::string& view) override;
  void onEvent(std::size_t source, const Event& event) override;
  void onSilence(std::size_t source, const Moment& now) override { clips_.look(source, now); }
  void onChanged(std::size_t source, std::vector<Series::Changed> buckets) override;

  /// Includes the frame itself, for teaching, if timed pictures are kept. Any thread.
  void snapshot(std::size_t source, const FrameResult& result, const std::string& reason);

 private:
  struct Run {
    std::int64_t id = 0;
    std::string source;
    std::vector<std::string> metrics;
    std::optional<std::int64_t> pictured;          // UTC in ms
    std::optional<std::int64_t> unsettledSince{};  // steady: a picture is due, the light changes
    bool isFullTold = false;
  };
  void keepPicture(Run& run, const FrameResult& result);
  static std::string factsOf(const Run& run, const FrameResult& result);
  void write(std::size_t source, const FrameResult& result, const std::string& reason,
             bool withOverlay, bool withFrame);

  Record& record_;
  std::int64_t leastFreeBytes_;
  std::atomic<int> picturesPerHour_{0};
  std::vector<Run> runs_;
  std::vector<cv::Vec3b> palette_;
  EventClips clips_;  // of the engine's thread
};

}  // namespace mpm::monitor
