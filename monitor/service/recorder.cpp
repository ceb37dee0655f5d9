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

void Recorder::begin(std::size_t source, const RunFacts& facts, std::vector<cv::Vec3b> palette,
                     std::optional<std::int64_t> pictured) {
  if (runs_.size() <= source) runs_.resize(source + 1);
  runs_[source] = {record_.beginRun(facts), facts.source, facts.metrics, pictured};
  palette_ = std::move(palette);
}

void Recorder::onResult(std::size_t source, const FrameResultPtr& result) {
  clips_.frame(source, result->frame);
  keepPicture(runs_.at(source), *result);
}

void Recorder::onRules(std::size_t source, const std::vector<Rule>& rules) {
  clips_.want(source,
              std::any_of(rules.begin(), rules.end(), [](const Rule& rule) { return rule.clip; }));
}

void Recorder::onFiring(std::size_t source, const Rule& rule, const Firing& firing,
                        const FrameResultPtr& newest) {
  if (rule.clip && firing.began) {
    clips_.begin(source, runs_.at(source).id, rule.name, firing.at, rule.stale);
  }
  if (rule.snapshot && firing.began && newest) snapshot(source, *newest, rule.name);
}

void Recorder::onCamera(std::size_t source, const CameraChange& change,
                        const FrameResultPtr& result) {
  if (!change.began) return;
  write(source, *result, "camera " + std::string(nameOf(change.fault)), picturesPerHour_ > 0,
        false);
}

void Recorder::onView(std::size_t source, const std::string& view) {
  record_.writeView(runs_.at(source).source, view);
}

void Recorder::onEvent(std::size_t source, const Event& event) {
  record_.write(runs_.at(source).id, event);
}

void Recorder::onChanged(std::size_t source, std::vector<Series::Changed> buckets) {
  record_.write(runs_.at(source).id, std::move(buckets));
}

// Keeps the first frame of each part of an hour, once its light has settled. A simulated night does
// not count.
void Recorder::keepPicture(Run& run, const FrameResult& result) {
  const int perHour = picturesPerHour_;
  if (perHour == 0 || result.filtered) return;
  const std::int64_t partMs = 3600000 / perHour, utcMs = result.frame.taken.utcMs;
  if (run.pictured && *run.pictured / partMs == utcMs / partMs) return;
  // Waits a moment for the light to be known.
  constexpr std::int64_t kSettlesMs = 60000;
  const std::int64_t nowMs = result.frame.taken.steadyMs;
  if (result.light.state == LightState::transition) {
    if (!run.unsettledSince) run.unsettledSince = nowMs;
    if (nowMs - *run.unsettledSince < kSettlesMs) return;
  }
  run.unsettledSince.reset();
  run.pictured = utcMs;
  const bool isFull = record_.status().freeBytes < leastFreeBytes_;
  if (isFull && !run.isFullTold) {
    record_.tell(run.id,
                 Event{result.frame.taken,
                       "record",
                       "pictures",
                       "No pictures of the day are kept while less than " +
                           std::to_string(leastFreeBytes_ >> 20) + " MB is free on the disk",
                       {}});
  }
  run.isFullTold = isFull;
  if (isFull) return;
  const FrameResult& kept = telling(result);
  Snapshot snapshot{
      kept.frame.taken, kDayPicture, kept.segmentation.labels, {}, factsOf(run, kept)};
  snapshot.picture = kept.frame.picture;
  snapshot.mergeMap = asPicture(kept.segmentation.mergeMap);
  record_.write(run.id, std::move(snapshot));
}

void Recorder::snapshot(std::size_t source, const FrameResult& result, const std::string& reason) {
  write(source, result, reason, true, picturesPerHour_ > 0);
}

std::string Recorder::factsOf(const Run& run, const FrameResult& result) {
  nlohmann::json figures = nlohmann::json::object();
  for (std::size_t i = 0; i < run.metrics.size() && i < result.figures.values.size(); ++i) {
    const double value = result.figures.values[i];
    if (!std::isnan(value)) figures[run.metrics[i]] = value;
  }
  const nlohmann::json facts{{"frame", result.frame.number},
                             {"light", std::string(nameOf(result.light.state))},
                             {"schedule", result.schedule.blocks()},
                             {"filtered", result.filtered},
                             {"figures", figures}};
  return facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Recorder::write(std::size_t source, const FrameResult& result, const std::string& reason,
                     bool withOverlay, bool withFrame) {
  const Run& run = runs_.at(source);
  const cv::Mat overlay =
      withOverlay ? drawOverlay(result.frame.picture, result.segmentation.labels, palette_)
                  : cv::Mat();
  Snapshot snapshot{result.frame.taken, reason, result.segmentation.labels, overlay,
                    factsOf(run, result)};
  if (withFrame) snapshot.picture = result.frame.picture;
  record_.write(run.id, std::move(snapshot));
}

}  // namespace mpm::monitor
