// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <opencv2/core.hpp>
#include <set>
#include <utility>
#include <vector>

#include "mpm/tune.h"
#include "tune/median.h"

namespace mpm::tune {

/// Result of one frame with one schedule.
struct Trial {
  double ms = 0;
  cv::Mat labels;
  std::vector<int> rows;  ///< before all merges and behind each
};

/// Runs a schedule on the frame of this number. Labels depend only on these two.
using RunTrial = std::function<Trial(const Schedule& schedule, std::size_t frame)>;

/// Collects the results of one schedule.
class Sightings {
 public:
  void add(const Trial& trial, std::size_t frame, double fullMs, const cv::Mat& fullLabels) {
    ratios_.push_back(trial.ms / fullMs);
    if (agreements_.contains(frame)) return;  // it would be the same again
    agreements_[frame] = agreementOf(trial.labels, fullLabels);
    rows_[frame] = trial.rows;
  }

  /// Sums up the results. For a schedule that was not measured closely, `ratio` is the lowest one:
  /// its first frames may have prepared what later ones find.
  TunedSchedule summary(const Schedule& schedule, bool close, double fullMs) const {
    TunedSchedule summary;
    summary.schedule = schedule;
    summary.close = close;
    summary.runs = static_cast<int>(ratios_.size());
    summary.ratio = close ? median(ratios_) : quantile(ratios_, 0);
    summary.ratioHigh = medianRange(ratios_).high;
    summary.ms = summary.ratio * fullMs;
    summary.agreement = 0;
    for (const auto& [frame, agreement] : agreements_) summary.agreement += agreement;
    summary.agreement /= static_cast<double>(std::max<std::size_t>(agreements_.size(), 1));
    for (const auto& [frame, rows] : rows_) {
      summary.rows.resize(std::max(summary.rows.size(), rows.size()), 0);
      for (std::size_t i = 0; i < rows.size(); ++i)
        summary.rows[i] += static_cast<double>(rows[i]) / static_cast<double>(rows_.size());
    }

    return summary;
  }

 private:
  std::vector<double> ratios_;
  std::map<std::size_t, double> agreements_;  // by frame
  std::map<std::size_t, std::vector<int>> rows_;
};

/// Runs schedules, each next to the unmerged run on the same frame.
class Trials {
 public:
  /// Passes `progress` the share of all runs that is done; it returns whether to go on.
  Trials(RunTrial run, std::size_t frames, std::function<bool(double)> progress)
      : run_(std::move(run)), progress_(std::move(progress)), fullLabels_(frames) {}

  /// Sets about how many runs are still to come.
  void expectRuns(std::size_t left) { expected_ = done_ + left; }

  /// Runs this frame unmerged; the following runs compare with it.
  void runFull(std::size_t frame) {
    Trial trial = tell(run_({}, frame));
    frame_ = frame;
    fullMs_.push_back(trial.ms);
    fullRows_ = std::move(trial.rows);
    if (fullLabels_[frame].empty()) fullLabels_[frame] = std::move(trial.labels);
  }

  /// Runs this schedule on the same frame.
  void run(const Schedule& schedule, Sightings& sightings) {
    sightings.add(tell(run_(schedule, frame_)), frame_, fullMs_.back(), fullLabels_[frame_]);
  }

  /// Sums up the unmerged runs since the last forgetFull().
  TunedSchedule full() const {
    TunedSchedule full;
    full.ms = median(fullMs_);
    full.rows.assign(fullRows_.begin(), fullRows_.end());
    full.runs = static_cast<int>(fullMs_.size());
    return full;
  }

  void forgetFull() { fullMs_.clear(); }

 private:
  Trial tell(Trial trial) {
    ++done_;
    const auto all = static_cast<double>(std::max(done_, expected_));
    share_ = std::max(share_, static_cast<double>(done_) / all);
    if (progress_ && !progress_(share_)) throw TuneStopped();
    return trial;
  }

  RunTrial run_;
  std::function<bool(double)> progress_;
  std::size_t expected_ = 0, done_ = 0, frame_ = 0;
  double share_ = 0;                 // as it was told last; it never falls
  std::vector<cv::Mat> fullLabels_;  // by frame, once it was run
  std::vector<double> fullMs_;
  std::vector<int> fullRows_;
};

}  // namespace mpm::tune
