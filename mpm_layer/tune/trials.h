// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <opencv2/core.hpp>
#include <set>
#include <vector>

#include "mpm/tune.h"

namespace mpm::tune {

/// One frame by one schedule.
struct Trial {
  double ms = 0;
  cv::Mat labels;
  std::vector<int> rows;  ///< before all merges and behind each
};

/// Runs a schedule on the frame of this number. Labels depend on these two alone.
using RunTrial = std::function<Trial(const Schedule& schedule, std::size_t frame)>;

/// What was seen of one schedule.
class Sightings {
 public:
  void add(const Trial& trial, std::size_t frame, double fullMs, const cv::Mat& fullLabels);

  /// Its figures. Of a schedule that was only looked at, `ratio` is the lowest one: its first
  /// frames may have prepared what later ones find.
  TunedSchedule summary(const Schedule& schedule, bool close, double fullMs) const;

 private:
  std::vector<double> ratios_;
  std::map<std::size_t, double> agreements_;  // by frame
  std::map<std::size_t, std::vector<int>> rows_;
};

/// Runs schedules, each beside full tokens on the same frame.
class Trials {
 public:
  /// `progress` is told the share of all runs that is done, and says whether to go on.
  Trials(RunTrial run, std::size_t frames, std::function<bool(double)> progress);

  /// So many runs are still to come, about.
  void expectRuns(std::size_t left) { expected_ = done_ + left; }

  /// Full tokens on this frame, which the following runs compare with.
  void runFull(std::size_t frame);

  /// This schedule on the same frame.
  void run(const Schedule& schedule, Sightings& sightings);

  /// Full tokens, from all its runs since the last forgetFull().
  TunedSchedule full() const;
  void forgetFull() { fullMs_.clear(); }

 private:
  Trial tell(Trial trial);

  RunTrial run_;
  std::function<bool(double)> progress_;
  std::size_t expected_ = 0, done_ = 0, frame_ = 0;
  double share_ = 0;                 // as it was told last; it never falls
  std::vector<cv::Mat> fullLabels_;  // by frame, once it was run
  std::vector<double> fullMs_;
  std::vector<int> fullRows_;
};

}  // namespace mpm::tune
