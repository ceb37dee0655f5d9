// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace mpm::monitor {

/// How far apart frames usually are: the newest gaps count most, and frames that are farther apart
/// from now on are usual after some eight of them.
class UsualGap {
 public:
  /// Learns a gap and returns whether it is a hole, far longer than is usual: the machine slept, or
  /// the program was stopped. Gaps of 3 s are never one; the first gap is what is usual.
  bool isHole(std::int64_t gapMs) {
    if (gapMs <= 0) return false;
    const auto gap = static_cast<double>(gapMs);
    if (ms_ == 0) ms_ = gap;
    const double mostMs = kGapsOfAHole * ms_;
    ms_ += (std::min(gap, mostMs) - ms_) / kGapsLearnt;
    return gap > std::max(mostMs, kLeastHoleMs);
  }

 private:
  static constexpr double kLeastHoleMs = 3000, kGapsOfAHole = 10, kGapsLearnt = 8;
  double ms_ = 0;  // 0: not known yet
};

}  // namespace mpm::monitor
