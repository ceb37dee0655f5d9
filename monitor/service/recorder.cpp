// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/recorder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "segment/pictures.h"

namespace mpm::monitor {

namespace {

// Converts live rows to a picture; empty if a model has more than it holds.
cv::Mat asPicture(const cv::Mat& mergeMap) {
  cv::Mat small;
  if (mergeMap.empty() || mergeMap.total() > 65536) return small;
  mergeMap.convertTo(small, CV_16U);
  return small;
}

// Returns a recent frame that shows how tokens merged; with a memory, most do not.
const FrameResult& telling(const FrameResult& result) {
  constexpr std::int64_t kLatelyMs = 60000;
  const bool is = result.merged && !result.merged->filtered &&
                  result.frame.taken.steadyMs - result.merged->frame.taken.steadyMs < kLatelyMs;
  return is ? *result.merged : result;
}

}  // namespace

void Recorder::setPicturesPerHour(int perHour) {
  if (perHour < 0 || perHour > DayPictures::kMost) {
    throw std::invalid_argument("A record keeps 0 to " + std::to_string(DayPictures::kMost) +
                                " pictures an hour");
  }
  picturesPerHour_ = perHour;
}

Recorder::Recorder(Record& record, const DayPictures& pictures, const RunFacts& facts,
                   std::vector<cv::Vec3b> palette, std::optional<std::int64_t> pictured)
    : record_(record),
      leastFreeBytes_(pictures.leastFreeBytes),
      run_(record.beginRun(facts)),
      metrics_(facts.metrics),
      palette_(std::move(palette)),
      pictured_(pictured),
      clips_(record, run_) {
  setPicturesPerHour(pictures.perHour);
}

void Recorder::onResult(const std::string& /*source*/, const FrameResultPtr& result) {
  clips_.frame(result->frame);
  keepPicture(*result);
}

void Recorder::onRules(const std::string& /*source*/, const std::vector<Rule>& rules) {
  clips_.want(std::any_of(rules.begin(), rules.end(), [](const Rule& rule) { return rule.clip; }));
}

void Recorder::onFiring(const std::string& /*source*/, const Rule& rule, const Firing& firing,
                        const FrameResultPtr& newest) {
  if (rule.clip && firing.began) clips_.begin(rule.name, firing.at, rule.stale);
  if (rule.snapshot && firing.began && newest) snapshot(*newest, rule.name);
}

void Recorder::onCamera(const std::string& /*source*/, const CameraChange& change,
                        const FrameResultPtr& result) {
  if (!change.began) return;
  write(*result, "camera " + std::string(nameOf(change.fault)), picturesPerHour_ > 0, false);
}

void Recorder::onView(const std::string& source, const std::string& view) {
  record_.writeView(source, view);
}

void Recorder::onEvent(const std::string& /*source*/, const Event& event) {
  record_.write(run_, event);
}

void Recorder::onChanged(const std::string& /*source*/, std::vector<Series::Changed> buckets) {
  record_.write(run_, std::move(buckets));
}

// Keeps the first frame of each part of an hour, once its light has settled. A simulated night does
// not count.
void Recorder::keepPicture(const FrameResult& result) {
  const int perHour = picturesPerHour_;
  if (perHour == 0 || result.filtered) return;
  const std::int64_t partMs = 3600000 / perHour, utcMs = result.frame.taken.utcMs;
  if (pictured_ && *pictured_ / partMs == utcMs / partMs) return;
  // Waits a moment for the light to be known.
  constexpr std::int64_t kSettlesMs = 60000;
  const std::int64_t nowMs = result.frame.taken.steadyMs;
  if (result.light.state == LightState::transition) {
    if (!unsettledSince_) unsettledSince_ = nowMs;
    if (nowMs - *unsettledSince_ < kSettlesMs) return;
  }
  unsettledSince_.reset();
  pictured_ = utcMs;
  const bool isFull = record_.status().freeBytes < leastFreeBytes_;
  if (isFull && !isFullTold_) {
    record_.tell(run_, Event{result.frame.taken,
                             "record",
                             "pictures",
                             "No pictures of the day are kept while less than " +
                                 std::to_string(leastFreeBytes_ >> 20) + " MB is free on the disk",
                             {}});
  }
  isFullTold_ = isFull;
  if (isFull) return;
  const FrameResult& kept = telling(result);
  Snapshot snapshot{kept.frame.taken, kDayPicture, kept.segmentation.labels, {}, factsOf(kept)};
  snapshot.picture = kept.frame.picture;
  snapshot.mergeMap = asPicture(kept.segmentation.mergeMap);
  record_.write(run_, std::move(snapshot));
}

void Recorder::snapshot(const FrameResult& result, const std::string& reason) {
  write(result, reason, true, picturesPerHour_ > 0);
}

std::string Recorder::factsOf(const FrameResult& result) const {
  nlohmann::json figures = nlohmann::json::object();
  for (std::size_t i = 0; i < metrics_.size() && i < result.figures.values.size(); ++i) {
    const double value = result.figures.values[i];
    if (!std::isnan(value)) figures[metrics_[i]] = value;
  }
  const nlohmann::json facts{{"frame", result.frame.number},
                             {"light", std::string(nameOf(result.light.state))},
                             {"schedule", result.schedule.blocks()},
                             {"filtered", result.filtered},
                             {"figures", figures}};
  return facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Recorder::write(const FrameResult& result, const std::string& reason, bool withOverlay,
                     bool withFrame) {
  const cv::Mat overlay =
      withOverlay ? drawOverlay(result.frame.picture, result.segmentation.labels, palette_)
                  : cv::Mat();
  Snapshot snapshot{result.frame.taken, reason, result.segmentation.labels, overlay,
                    factsOf(result)};
  if (withFrame) snapshot.picture = result.frame.picture;
  record_.write(run_, std::move(snapshot));
}

}  // namespace mpm::monitor
