// SPDX-License-Identifier: Apache-2.0
#include "tune/trials.h"

#include <algorithm>
#include <utility>

#include "tune/median.h"

namespace mpm {

double agreementOf(const cv::Mat& labels, const cv::Mat& others) {
  if (labels.size() != others.size() || labels.type() != others.type() || labels.empty()) return 0;
  return cv::countNonZero(labels == others) / static_cast<double>(labels.total());
}

}  // namespace mpm

namespace mpm::tune {

void Sightings::add(const Trial& trial, std::size_t frame, double fullMs,
                    const cv::Mat& fullLabels) {
  ratios_.push_back(trial.ms / fullMs);
  if (agreements_.contains(frame)) return;  // it would be the same again
  agreements_[frame] = agreementOf(trial.labels, fullLabels);
  rows_[frame] = trial.rows;
}

TunedSchedule Sightings::summary(const Schedule& schedule, bool close, double fullMs) const {
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

Trials::Trials(RunTrial run, std::size_t frames, std::function<bool(double)> progress)
    : run_(std::move(run)), progress_(std::move(progress)), fullLabels_(frames) {}

Trial Trials::tell(Trial trial) {
  ++done_;
  const auto all = static_cast<double>(std::max(done_, expected_));
  share_ = std::max(share_, static_cast<double>(done_) / all);
  if (progress_ && !progress_(share_)) throw TuneStopped();
  return trial;
}

void Trials::runFull(std::size_t frame) {
  Trial trial = tell(run_({}, frame));
  frame_ = frame;
  fullMs_.push_back(trial.ms);
  fullRows_ = std::move(trial.rows);
  if (fullLabels_[frame].empty()) fullLabels_[frame] = std::move(trial.labels);
}

void Trials::run(const Schedule& schedule, Sightings& sightings) {
  sightings.add(tell(run_(schedule, frame_)), frame_, fullMs_.back(), fullLabels_[frame_]);
}

TunedSchedule Trials::full() const {
  TunedSchedule full;
  full.ms = median(fullMs_);
  full.rows.assign(fullRows_.begin(), fullRows_.end());
  full.runs = static_cast<int>(fullMs_.size());
  return full;
}

}  // namespace mpm::tune
