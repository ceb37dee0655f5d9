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

/// One frame and everything that was found in it. Never changed once it was handed out: any number
/// of threads may look at it.
struct FrameResult {
  Frame frame;
  Segmentation segmentation;
  std::optional<Segmentation> full;  ///< the same frame with full tokens, where it was asked for
  /// noiseFloor() of full tokens on this frame, with every fourth that the engine takes to compare
  /// by itself, and the time that it took.
  std::optional<double> floor;
  double floorMs = 0;
  LightReading light;
  CameraFaults camera;  ///< what is wrong with the camera
  /// Has zones and ground that follow a moved camera where they are; null: they are where they were
  /// drawn.
  std::shared_ptr<const RuleBook> placed{};
  Figures figures;         ///< in the order of the engine's metrics
  Figures known;           ///< the same; of tokens and agreement, which not every frame with a
                           ///< memory tells, what the newest one that does told
  Schedule schedule;       ///< that it was segmented with
  bool remembers = false;  ///< with a memory: Segmentation::memory
  bool counted = true;     ///< whether its tokens count: see TokenCount
  /// Is, where a memory left tokens out and nobody knows how they merged, the newest frame that
  /// tells. Null: this one, or none.
  std::shared_ptr<const FrameResult> merged;
  bool filtered = false;     ///< its picture is not the source's own: see Engine::setFilter
  std::int64_t readyMs = 0;  ///< Moment::steadyMs when the result was complete
};
using FrameResultPtr = std::shared_ptr<const FrameResult>;

/// Says whether what full tokens said of one frame holds for the other: one schedule, with a memory
/// or without one, by a simulated night or not.
inline bool computedAlike(const FrameResult& one, const FrameResult& other) {
  return one.schedule == other.schedule && one.remembers == other.remembers &&
         one.filtered == other.filtered;
}

/// Which frames are segmented with full tokens as well: FrameResult::full.
enum class Compare { never, sometimes, always };

/// Which frames of a source `sometimes` takes: of each schedule, with a memory or without one, as
/// the source gives them or changed by a filter, the second and the third, since times of one are
/// those of a net that lays out its memory, then as many that full tokens take no more than
/// kCompareShare of the net's time for that source.
constexpr double kCompareShare = 0.03;

class CompareBudget {
 public:
  CompareBudget() = default;
  /// `remembers`: with a memory. Without one or merges, all frames have full tokens.
  bool isDue(Compare compare, const Schedule& schedule, bool remembers, bool filtered) {
    if (schedule != schedule_ || remembers != remembers_ || filtered != filtered_)
      *this = CompareBudget(schedule, remembers, filtered);
    if ((schedule.empty() && !remembers) || compare == Compare::never) return false;
    return compare == Compare::always || (compared_ < kAtOnce ? frames_ > 0 : creditMs_ >= fullMs_);
  }

  /// Says whether such a frame tells the noise floor, too: the second and each fourth after it.
  bool isFloorDue(Compare compare) const {
    return compare == Compare::sometimes && compared_ % kFloorEvery == 1;
  }

  /// After each frame of the source.
  void took(const FrameResult& result) {
    ++frames_;
    creditMs_ += kCompareShare * msOf(result.segmentation);
    if (!result.full) return;
    fullMs_ = msOf(*result.full);
    creditMs_ = std::max(0.0, creditMs_ - (1 - kCompareShare) * fullMs_) - result.floorMs;
    ++compared_;
  }

 private:
  static constexpr std::uint64_t kAtOnce = 2, kFloorEvery = 4;
  CompareBudget(const Schedule& schedule, bool remembers, bool filtered)
      : schedule_(schedule), remembers_(remembers), filtered_(filtered) {}
  static double msOf(const Segmentation& found) {
    return found.times.prepareMs + found.times.networkMs + found.times.labelsMs;
  }

  Schedule schedule_;  // that all of this is of, as is
  bool remembers_ = false, filtered_ = false;
  std::uint64_t frames_ = 0, compared_ = 0;
  double creditMs_ = 0, fullMs_ = 0;  // fullMs_: of the newest comparison
};

/// In which frames of a camera with a memory tokens are counted, which takes a full one: of each
/// schedule the first, then one whenever so many frames or so much time have passed. Full frames
/// that a memory takes for reasons of its own do not count: they come where much moves, and the
/// figures of a night would be those of its busiest hours.
class TokenCount {
 public:
  static constexpr int kFrames = 64;
  static constexpr std::int64_t kMs = 60000;

  /// Asked once for each frame.
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
