// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "monitor/camera/camera_fault.h"
#include "monitor/clock/clock.h"
#include "monitor/light/light_meter.h"
#include "monitor/rules/rules.h"
#include "monitor/source/capture.h"
#include "monitor/statistics/metrics.h"
#include "mpm/schedule.h"
#include "mpm/segmenter.h"

namespace mpm::monitor {

/// A frame and everything that was found in it. It never changes after it was delivered, so any
/// number of threads may read it.
struct FrameResult {
  Frame frame;
  Segmentation segmentation;
  std::optional<Segmentation> full;  ///< the same frame unmerged, where it was asked for
  /// noiseFloor() of unmerged runs on this frame and the time that it took. Every fourth frame that
  /// the engine compares by itself has it.
  std::optional<double> floor;
  double floorMs = 0;
  LightReading light;
  CameraFaults camera;  ///< what is wrong with the camera
  /// Zones and ground that follow a moved camera; null if they are where they were drawn.
  std::shared_ptr<const RuleBook> placed{};
  Figures figures;         ///< in the order of the engine's metrics
  Figures known;           ///< the same; of tokens and agreement, which not every frame with a
                           ///< memory tells, what the newest one that does told
  Schedule schedule;       ///< that it was segmented with
  bool remembers = false;  ///< with a memory: Segmentation::memory
  bool counted = true;     ///< whether its tokens count: see TokenCount
  /// The newest frame that shows how tokens merged, if a memory left that out here. Null means this
  /// one, or none.
  std::shared_ptr<const FrameResult> merged;
  bool filtered = false;     ///< its picture is not the source's own: see Engine::setFilter
  std::int64_t readyMs = 0;  ///< Moment::steadyMs when the result was complete
};
using FrameResultPtr = std::shared_ptr<const FrameResult>;

/// Tells whether an unmerged run on one frame is valid for the other: same schedule, same memory
/// setting, same filter setting.
inline bool computedAlike(const FrameResult& one, const FrameResult& other) {
  return one.schedule == other.schedule && one.remembers == other.remembers &&
         one.filtered == other.filtered;
}

/// Says which frames also run unmerged: FrameResult::full.
enum class Compare { never, sometimes, always };

/// Chooses the frames of a source that `sometimes` compares, for each schedule, memory setting and
/// filter setting. It starts with the second and the third: the first one's times include laying
/// out memory. After that unmerged runs take at most kCompareShare of the net's time for the
/// source.
constexpr double kCompareShare = 0.03;

class CompareBudget {
 public:
  CompareBudget() = default;
  /// `remembers` says whether there is a memory. Without a memory and merges, all frames are
  /// unmerged.
  bool isDue(Compare compare, const Schedule& schedule, bool remembers, bool filtered) {
    if (schedule != schedule_ || remembers != remembers_ || filtered != filtered_)
      *this = CompareBudget(schedule, remembers, filtered);
    if ((schedule.empty() && !remembers) || compare == Compare::never) return false;
    return compare == Compare::always || (compared_ < kAtOnce ? frames_ > 0 : creditMs_ >= fullMs_);
  }

  /// Tells whether such a frame also measures the noise floor: the second and every fourth after
  /// it.
  bool isFloorDue(Compare compare) const {
    return compare == Compare::sometimes && compared_ % kFloorEvery == 1;
  }

  /// Call this after each frame of the source.
  void took(const FrameResult& result) {
    ++frames_;
    creditMs_ += kCompareShare * result.segmentation.times.wholeMs();
    if (!result.full) return;
    fullMs_ = result.full->times.wholeMs();
    creditMs_ = std::max(0.0, creditMs_ - (1 - kCompareShare) * fullMs_) - result.floorMs;
    ++compared_;
  }

 private:
  static constexpr std::uint64_t kAtOnce = 2, kFloorEvery = 4;
  CompareBudget(const Schedule& schedule, bool remembers, bool filtered)
      : schedule_(schedule), remembers_(remembers), filtered_(filtered) {}

  Schedule schedule_;  // that all of this is of, as is
  bool remembers_ = false, filtered_ = false;
  std::uint64_t frames_ = 0, compared_ = 0;
  double creditMs_ = 0, fullMs_ = 0;  // fullMs_: of the newest comparison
};

/// Chooses the frames in which a camera with a memory counts tokens, which takes a full frame. It
/// is the first one of each schedule, then one after kFrames frames or kMs. Full frames that a
/// memory takes for other reasons do not count. They come when much moves, and a night's figures
/// would be those of its busiest hours.
class TokenCount {
 public:
  static constexpr int kFrames = 64;
  static constexpr std::int64_t kMs = 60000;

  /// Call this once for each frame.
  bool isDue(const Moment& taken, const Schedule& schedule) {
    ++frames_;
    const bool isOther = !countedMs_ || schedule != schedule_;
    if (!isOther && frames_ < kFrames && std::llabs(taken.steadyMs - *countedMs_) < kMs)
      return false;
    schedule_ = schedule;
    countedMs_ = taken.steadyMs;
    frames_ = 0;
    return true;
  }

 private:
  Schedule schedule_;
  std::optional<std::int64_t> countedMs_;
  int frames_ = 0;  // since then
};

}  // namespace mpm::monitor
