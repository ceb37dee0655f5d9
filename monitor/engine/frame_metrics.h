// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "monitor/engine/frame_result.h"
#include "monitor/rules/rules.h"
#include "monitor/statistics/comparison.h"
#include "monitor/statistics/metrics.h"
#include "monitor/statistics/zones.h"
#include "mpm/flicker.h"

namespace mpm::monitor {

/// Defines the metrics of a source, and computes their values in one frame.
class FrameMetrics {
 public:
  /// `merges` is the number with separate metrics; a longer schedule's others are not reported.
  /// `timed` is false in a replay, where times are unknown. `remembers` says whether there can be a
  /// memory.
  FrameMetrics(const std::vector<std::string>& classes, const RuleBook& book, std::size_t merges,
               int specialRows, bool timed, bool remembers);

  /// Moves zones and ground to their places in this book; at first it is the constructor's.
  void place(const RuleBook& book);

  const Metrics& metrics() const { return metrics_; }

  /// Counts what happened to the source since the previous frame.
  struct Since {
    double drops = 0, reconnects = 0;
  };
  /// Computes everything except the frame's age, which `setFrameAge` sets in the complete result.
  Figures measure(const FrameResult& result, const Since& since);
  void setFrameAge(Figures& figures, double ageMs) const;
  /// Returns Figures::known of a frame with a memory; `before` is the previous frame's.
  Figures knownOf(const FrameResult& result, const Figures& before) const;

 private:
  // Each names one group's metrics in the order of their values: those of the whole frame, and
  // those of classes and zones.
  void nameFrame(std::vector<MetricName>& names);
  void namePlaces(const std::vector<std::string>& classes, const std::vector<Zone>& zones,
                  std::vector<MetricName>& names);

  void putRows(const Segmentation& segmentation, std::vector<double>& values) const;
  void putTimes(const SegmenterTimes& times, std::vector<double>& values) const;
  void putPlaces(const FrameResult& result, std::vector<double>& values);
  double flickerOf(const FrameResult& result);
  void putMemory(const MemoryReport& memory, std::vector<double>& values) const;

  std::size_t merges_;
  int specialRows_;
  bool timed_, remembers_;
  ClassAreas areas_;
  std::optional<Greenness> greenness_;
  std::optional<GroundAreas> ground_;
  Metrics metrics_;
  StillPlaces places_;
  cv::Mat labels_;  // of the frame before
  Way way_;         // that one was computed
  // First index of each group of metrics.
  std::size_t rows_ = 0, similarity_ = 0, areasAt_ = 0, times_ = 0, memory_ = 0, gccAt_ = 0,
              groundAt_ = 0;
};

}  // namespace mpm::monitor
