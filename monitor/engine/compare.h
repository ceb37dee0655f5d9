// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "monitor/engine/frame_result.h"

namespace mpm::monitor {

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

  /// Whether such a frame is to tell the noise floor as well: the second and each fourth behind it.
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

}  // namespace mpm::monitor
