// SPDX-License-Identifier: Apache-2.0
#include "evaluate/record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mpm::evaluate {
namespace {

using Json = nlohmann::ordered_json;

// Thousandths of a millisecond are more than any clock is good for here.
double rounded(double ms) { return std::round(ms * 1000) / 1000; }

// Threes of numbers in one list: a journal has millions of them.
Json countsJson(const std::vector<Count>& counts) {
  Json list = Json::array();
  for (const Count& count : counts) {
    list.push_back(count.truth);
    list.push_back(count.found);
    list.push_back(count.pixels);
  }
  return list;
}

std::vector<Count> countsOf(const Json& list, std::size_t classes) {
  if (list.size() % 3 != 0) throw std::runtime_error("its counts are not threes of numbers");
  std::vector<Count> counts;
  for (std::size_t i = 0; i < list.size(); i += 3) {
    counts.push_back({list.at(i), list.at(i + 1), list.at(i + 2)});
    if (counts.back().truth >= classes || counts.back().found >= classes)
      throw std::runtime_error("it has a class beyond the last one");
  }
  return counts;
}

Json distancesJson(const Distances& distances) {
  Json list = Json::array();
  for (const auto& [distance, pairs] : distances) {
    list.push_back(distance);
    list.push_back(pairs);
  }
  return list;
}

Distances distancesOf(const Json& list) {
  if (list.size() % 2 != 0) throw std::runtime_error("its distances are not pairs of numbers");
  Distances distances;
  for (std::size_t i = 0; i < list.size(); i += 2)
    distances[list.at(i).get<std::int32_t>()] = list.at(i + 1).get<std::uint64_t>();
  return distances;
}

Json scheduleJson(const ScheduleRecord& record) {
  Json json = {{"counts", countsJson(record.counts)},
               {"edge_counts", countsJson(record.edgeCounts)},
               {"rows", record.rows},
               {"windows", record.windows},
               {"network_ms", rounded(record.networkMs)},
               {"ms", rounded(record.ms)}};
  if (record.distances.empty()) return json;
  Json& merges = json["distances"] = Json::array();
  for (const Distances& distances : record.distances) merges.push_back(distancesJson(distances));
  return json;
}

ScheduleRecord scheduleOf(const Json& json, std::size_t classes) {
  ScheduleRecord record;
  record.counts = countsOf(json.at("counts"), classes);
  record.edgeCounts = countsOf(json.at("edge_counts"), classes);
  record.rows = json.at("rows").get<std::vector<int>>();
  record.windows = json.at("windows");
  record.networkMs = json.at("network_ms");
  record.ms = json.at("ms");
  if (!json.contains("distances")) return record;
  for (const Json& merge : json.at("distances")) record.distances.push_back(distancesOf(merge));
  return record;
}

FaultKind kindNamed(const std::string& name) {
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if (name == kFaultNames[i]) return static_cast<FaultKind>(i);
  }
  throw std::runtime_error("it has a fault of an unknown kind, " + name);
}

PictureRecord pictureOf(const Json& json, std::size_t schedules, std::size_t classes) {
  PictureRecord record;
  record.index = json.at("index");
  record.name = json.at("name");
  if (json.contains("fault")) {
    record.fault = Fault{kindNamed(json.at("fault")), json.at("sentence")};
    return record;
  }
  for (const Json& schedule : json.at("schedules"))
    record.schedules.push_back(scheduleOf(schedule, classes));
  if (record.schedules.size() != schedules)
    throw std::runtime_error("it has results of another number of schedules");
  return record;
}

}  // namespace

std::string lineOf(const PictureRecord& record) {
  Json json = {{"index", record.index}, {"name", record.name}};
  if (record.fault) {
    json["fault"] = nameOf(record.fault->kind);
    json["sentence"] = record.fault->sentence;
  } else {
    Json& schedules = json["schedules"] = Json::array();
    for (const ScheduleRecord& one : record.schedules) schedules.push_back(scheduleJson(one));
  }
  // Names come from files, whose bytes need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes) {
  try {
    return pictureOf(Json::parse(line), schedules, classes);
  } catch (const Json::exception&) {
    throw std::runtime_error("it is no record of a picture");
  }
}

}  // namespace mpm::evaluate
