// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitor/engine/frame_result.h"
#include "monitor/statistics/metrics.h"
#include "monitor/statistics/zones.h"

namespace mpm::monitor {

/// Which metrics a source has, and their values in one frame.
class FrameMetrics {
 public:
  /// `merges`: how many have metrics of their own; what a longer schedule has more is not told.
  /// `timed`: false where times are unknown, in a replay. `remembers`: whether there can be a
  /// memory.
  FrameMetrics(const std::vector<std::string>& classes, const std::vector<Zone>& zones,
               std::size_t merges, int specialRows, bool timed, bool remembers);

  const Metrics& metrics() const { return metrics_; }

  /// What happened to the source since the frame before.
  struct Since {
    double drops = 0, reconnects = 0;
  };
  /// Everything but the frame's age, which `setFrameAge` sets when the result is complete.
  Figures measure(const FrameResult& result, const Since& since);
  void setFrameAge(Figures& figures, double ageMs) const;
  /// Figures::known of a frame with a memory; `before`: of the one before it.
  Figures knownOf(const FrameResult& result, const Figures& before) const;

 private:
  void putRows(const Segmentation& segmentation, std::vector<double>& values) const;
  void putTimes(const SegmenterTimes& times, std::vector<double>& values) const;
  void putMemory(const MemoryReport& memory, std::vector<double>& values) const;

  std::size_t merges_;
  int specialRows_;
  bool timed_, remembers_;
  ClassAreas areas_;
  Metrics metrics_;
  // Where the groups of metrics begin.
  std::size_t rows_ = 0, similarity_ = 0, areasAt_ = 0, times_ = 0, memory_ = 0;
};

}  // namespace mpm::monitor
