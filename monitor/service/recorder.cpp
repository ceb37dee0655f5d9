// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/recorder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "segment/pictures.h"

namespace mpm::monitor {

void Recorder::begin(std::size_t source, const RunFacts& facts, std::vector<cv::Vec3b> palette) {
  if (runs_.size() <= source) runs_.resize(source + 1);
  runs_[source] = {record_.beginRun(facts), facts.source, facts.metrics};
  palette_ = std::move(palette);
}

void Recorder::onResult(std::size_t source, const FrameResultPtr& result) {
  clips_.frame(source, result->frame);
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
  if (change.began) snapshot(source, *result, "camera " + std::string(nameOf(change.fault)));
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

void Recorder::snapshot(std::size_t source, const FrameResult& result, const std::string& reason) {
  const Run& run = runs_.at(source);
  nlohmann::json figures = nlohmann::json::object();
  for (std::size_t i = 0; i < run.metrics.size() && i < result.figures.values.size(); ++i) {
    const double value = result.figures.values[i];
    if (!std::isnan(value)) figures[run.metrics[i]] = value;
  }
  const nlohmann::json facts{{"frame", result.frame.number},
                             {"light", std::string(nameOf(result.light.state))},
                             {"schedule", result.schedule.blocks()},
                             {"figures", figures}};
  record_.write(run.id,
                Snapshot{result.frame.taken, reason, result.segmentation.labels,
                         drawOverlay(result.frame.picture, result.segmentation.labels, palette_),
                         facts.dump()});
}

}  // namespace mpm::monitor
