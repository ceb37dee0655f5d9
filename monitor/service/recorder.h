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

/// Records what one engine reports: series, events, timed pictures, and a snapshot or clip for
/// rules that want one.
class Recorder : public EngineListener {
 public:
  /// Begins a run in the record. `palette` is BGR, for the overlay. `pictured` is the time of the
  /// record's newest timed picture of this source, if any.
  Recorder(Record& record, const DayPictures& pictures, const RunFacts& facts,
           std::vector<cv::Vec3b> palette, std::optional<std::int64_t> pictured = {});

  /// Takes effect with the next frame; any thread. Throws std::invalid_argument outside 0 to
  /// DayPictures::kMost.
  void setPicturesPerHour(int perHour);

  void endClips() { clips_.end(); }  ///< when the engine has stopped

  void onResult(const std::string& source, const FrameResultPtr& result) override;
  void onRules(const std::string& source, const std::vector<Rule>& rules) override;
  void onFiring(const std::string& source, const Rule& rule, const Firing& firing,
                const FrameResultPtr& newest) override;
  void onCamera(const std::string& source, const CameraChange& change,
                const FrameResultPtr& result) override;
  void onView(const std::string& source, const std::string& view) override;
  void onEvent(const std::string& source, const Event& event) override;
  void onSilence(const std::string& /*source*/, const Moment& now) override { clips_.look(now); }
  void onChanged(const std::string& source, std::vector<Series::Changed> buckets) override;

  /// Includes the frame itself, for teaching, if timed pictures are kept. Any thread.
  void snapshot(const FrameResult& result, const std::string& reason);

 private:
  void keepPicture(const FrameResult& result);
  std::string factsOf(const FrameResult& result) const;
  void write(const FrameResult& result, const std::string& reason, bool withOverlay,
             bool withFrame);

  Record& record_;
  std::int64_t leastFreeBytes_;
  std::atomic<int> picturesPerHour_{0};
  std::int64_t run_;
  std::vector<std::string> metrics_;
  std::vector<cv::Vec3b> palette_;
  std::optional<std::int64_t> pictured_;        // UTC in ms
  std::optional<std::int64_t> unsettledSince_;  // steady: a picture is due, the light changes
  bool isFullTold_ = false;
  EventClips clips_;  // of the engine's thread
};

}  // namespace mpm::monitor
