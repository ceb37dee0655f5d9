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

bool isTrueIn(const nlohmann::json& settings, const char* key) {
  const auto found = settings.find(key);
  return found != settings.end() && *found == true;
}

// None in records of earlier versions.
std::vector<Zone> zonesIn(const nlohmann::json& settings) {
  std::vector<Zone> zones;
  try {
    for (const auto& told : settings.value("zones", nlohmann::json::array())) {
      Zone& zone = zones.emplace_back(Zone{told.at("name").get<std::string>(), {}});
      for (const auto& corner : told.at("corners"))
        zone.corners.emplace_back(corner.at(0).get<double>(), corner.at(1).get<double>());
    }
  } catch (const nlohmann::json::exception&) {
    zones.clear();
  }
  return zones;
}

std::optional<Ground> groundIn(const nlohmann::json& settings) {
  const auto told = settings.find("ground");
  if (told == settings.end()) return {};
  Ground ground;
  try {
    for (std::size_t i = 0; i < ground.points.size(); ++i) {
      const auto& point = told->at("points").at(i);
      const auto& metres = told->at("metres").at(i);
      ground.points[i] = {point.at(0).get<double>(), point.at(1).get<double>()};
      ground.metres[i] = {metres.at(0).get<double>(), metres.at(1).get<double>()};
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return ground;
}

const Zone* zoneIn(const std::vector<Zone>& zones, const std::string& part) {
  const auto zone = std::find_if(zones.begin(), zones.end(),
                                 [&](const Zone& one) { return metricPart(one.name) == part; });
  return zone == zones.end() ? nullptr : &*zone;
}

}  // namespace

bool PastRun::hasModelOf(const PastRun& other) const {
  return modelHash == other.modelHash && precision == other.precision && device == other.device &&
         views == other.views;
}

bool PastRun::hasTimesOf(const PastRun& other) const {
  return begunUtcMs == other.begunUtcMs || (!replay && !other.replay);
}

bool PastRun::hasPlaceOf(const PastRun& other, const MetricName& metric) const {
  if (metric.kind == MetricKind::squareMetres && ground && other.ground &&
      *ground != *other.ground) {
    return false;
  }
  const Zone *here = zoneIn(zones, metric.zone), *there = zoneIn(other.zones, metric.zone);
  return here == nullptr || there == nullptr || here->corners == there->corners;
}

Way PastRun::last(std::int64_t beforeUtcMs) const {
  Way way = first;
  for (const Event& event : events) {
    if (event.at.utcMs < beforeUtcMs) way = changed(way, event);
  }
  return way;
}

PastRun pastRun(const RunFacts& facts) {
  auto settings = nlohmann::json::parse(facts.settings, nullptr, false);
  if (!settings.is_object()) settings = nlohmann::json::object();
  PastRun run;
  run.begunUtcMs = facts.begun.utcMs;
  run.model = facts.model;
  run.modelHash = facts.modelHash;
  run.precision = wordIn(settings, "precision");
  run.device = wordIn(settings, "device");
  run.zones = zonesIn(settings);
  run.ground = groundIn(settings);
  run.replay = isTrueIn(settings, "replay");
  run.views = isTrueIn(settings, "new_view") ? 1 : 0;
  run.first.schedule = scheduleIn(settings);
  run.first.memory = isTrueIn(settings, "memory");
  return run;
}

std::vector<PastRun> pastRuns(const RecordReader& record, const std::string& source) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<PastRun> runs;
  int views = 0;
  for (const RecordedRun& recorded : record.runs(source)) {
    PastRun& run = runs.emplace_back(pastRun(recorded.facts));
    run.id = recorded.id;
    run.views = views += run.views;
    std::vector<Event> events = record.events(source, 0, kEver, run.id);
    std::copy_if(std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()),
                 std::back_inserter(run.events), changesWay);
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
      record.buckets(source, resolution, fromUtcMs, toUtcMs, {metric}, run.id);
  return bucketsWithin(stretches, {found.begin(), found.end()}, resolution);
}

}  // namespace mpm::monitor
