// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/past_runs.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace mpm::monitor {
namespace {

// Records of earlier versions have "2, 5" instead of [2, 5].
std::string scheduleIn(const nlohmann::json& settings) {
  const auto merges = settings.find("merge_before");
  if (merges == settings.end()) return "none";
  std::string text;
  if (merges->is_string()) {
    text = merges->get<std::string>();
    std::erase(text, ' ');
  } else if (merges->is_array()) {
    for (const auto& block : *merges) text += (text.empty() ? "" : ",") + block.dump();
  }
  return text.empty() ? "none" : text;
}

std::string wordIn(const nlohmann::json& settings, const char* key) {
  const auto word = settings.find(key);
  return word != settings.end() && word->is_string() ? word->get<std::string>() : std::string();
}

}  // namespace

bool PastRun::hasModelOf(const PastRun& other) const {
  return modelHash == other.modelHash && precision == other.precision && device == other.device;
}

Way PastRun::last() const {
  Way way = first;
  for (const Event& event : events) way = changed(way, event);
  return way;
}

std::vector<PastRun> pastRuns(const RecordReader& record, const std::string& source) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<PastRun> runs;
  for (const RecordedRun& recorded : record.runs(source)) {
    auto settings = nlohmann::json::parse(recorded.facts.settings, nullptr, false);
    if (!settings.is_object()) settings = nlohmann::json::object();
    PastRun& run = runs.emplace_back();
    run.id = recorded.id;
    run.begunUtcMs = recorded.facts.begun.utcMs;
    run.model = recorded.facts.model;
    run.modelHash = recorded.facts.modelHash;
    run.precision = wordIn(settings, "precision");
    run.device = wordIn(settings, "device");
    run.first.schedule = scheduleIn(settings);
    const auto memory = settings.find("memory");
    run.first.memory = memory != settings.end() && *memory == true;
    std::vector<Event> events = record.events(source, 0, kEver, run.id);
    std::copy_if(std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()),
                 std::back_inserter(run.events), [](const Event& event) {
                   return event.kind == kScheduleEvent || event.kind == kFilterEvent ||
                          event.kind == kMemoryEvent;
                 });
  }
  return runs;
}

std::deque<Bucket> bucketsOf(const RecordReader& record, const std::string& source,
                             const PastRun& run, const Way& wanted, Resolution resolution,
                             std::int64_t fromUtcMs, std::int64_t toUtcMs,
                             const std::string& metric) {
  const bool memoryMatters = dependsOnMemory(MetricName::parse(metric));
  const std::vector<Stretch> stretches = stretchesOf(wanted, run.first, run.events, memoryMatters);
  if (stretches.empty()) return {};
  const std::vector<Bucket> found =
      record.buckets(source, resolution, fromUtcMs, toUtcMs, {metric}, false, run.id);
  return bucketsWithin(stretches, {found.begin(), found.end()}, resolution);
}

}  // namespace mpm::monitor
