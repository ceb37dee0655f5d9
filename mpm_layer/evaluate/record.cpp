// SPDX-License-Identifier: Apache-2.0
#include "evaluate/record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mpm::evaluate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "mpm_eval";
constexpr int kVersion = 2;  // 1: before pictures had digests

// Where a whole number is asked for, one with a point is cut; of one that is negative or large that
// is undefined. What is written here are times, in milliseconds.
Json parsed(const std::string& line) {
  const auto check = [](int, Json::parse_event_t event, const Json& value) {
    if (event != Json::parse_event_t::value || !value.is_number_float()) return true;
    const auto number = value.get<double>();
    if (number >= 0 && number <= 1e9) return true;
    throw std::runtime_error("it has a number that cannot be a time");
  };
  return Json::parse(line, check);
}

Header fieldsOf(const Json& json) {
  Header header;
  if (json.at(kKind) != kVersion)
    throw std::runtime_error(
        "it is the journal of another version of mpm eval; evaluate anew, with another --out or "
        "--restart");
  header.pictures = json.at("pictures");
  header.classes = json.at("classes").get<std::vector<std::string>>();
  header.small = json.at("small").get<std::vector<std::size_t>>();
  for (const Json& blocks : json.at("schedules"))
    header.schedules.emplace_back(blocks.get<std::vector<int>>());
  header.special = json.at("special");
  header.grid = {json.at("grid").at(0).get<int>(), json.at("grid").at(1).get<int>()};
  header.shard = {json.at("shard").at(0), json.at("shard").at(1)};
  header.options = json.at("options").get<std::map<std::string, std::string>>();
  header.notes = json.at("notes").get<std::map<std::string, std::string>>();
  return header;
}

void check(const Header& header) {
  const Shard& shard = header.shard;
  bool isSound = shard.count >= 1 && shard.number >= 1 && shard.number <= shard.count;
  for (const std::size_t k : header.small) isSound = isSound && k < header.classes.size();
  if (!isSound) throw std::runtime_error("its first line is not valid");
}

std::string listOf(const std::vector<Schedule>& schedules) {
  std::string list;
  for (const Schedule& schedule : schedules) list += (list.empty() ? "" : "; ") + schedule.text();
  return list;
}

// Everything that has to be equal, in words.
std::map<std::string, std::string> wordsOf(const Header& header) {
  std::map<std::string, std::string> words = header.options;
  words["schedules"] = listOf(header.schedules);
  words["number of pictures"] = std::to_string(header.pictures);
  words["number of classes"] = std::to_string(header.classes.size());
  for (std::size_t k = 0; k < header.classes.size(); ++k)
    words[cv::format("name of class %d", static_cast<int>(k))] = header.classes[k];
  std::string& small = words["small classes"];
  for (const std::size_t k : header.small) small += (small.empty() ? "" : ",") + header.classes[k];
  words["grid"] = std::to_string(header.grid.width) + " x " + std::to_string(header.grid.height);
  words["special rows"] = std::to_string(header.special);
  return words;
}

std::string orNothing(const std::string& word) { return word.empty() ? "nothing" : word; }

}  // namespace

std::string lineOf(const Header& header) {
  Json schedules = Json::array();
  for (const Schedule& schedule : header.schedules) schedules.push_back(schedule.blocks());
  const Json json = {{kKind, kVersion},
                     {"pictures", header.pictures},
                     {"classes", header.classes},
                     {"small", header.small},
                     {"schedules", schedules},
                     {"special", header.special},
                     {"grid", {header.grid.width, header.grid.height}},
                     {"shard", {header.shard.number, header.shard.count}},
                     {"options", header.options},
                     {"notes", header.notes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Header headerOf(const std::string& line) {
  try {
    Header header = fieldsOf(parsed(line));
    check(header);
    return header;
  } catch (const Json::exception&) {
    throw std::runtime_error("it is not a journal of mpm eval");
  }
}

std::string differenceOf(const Header& a, const Header& b) {
  const auto wordsA = wordsOf(a), wordsB = wordsOf(b);
  const auto compare = [](const auto& from, const auto& to, bool isSwapped) -> std::string {
    for (const auto& [key, word] : from) {
      const auto other = to.find(key);
      const std::string otherWord = other == to.end() ? "" : other->second;
      if (word == otherWord) continue;
      return key + ' ' + orNothing(isSwapped ? otherWord : word) + " and " +
             orNothing(isSwapped ? word : otherWord);
    }
    return "";
  };
  const std::string difference = compare(wordsA, wordsB, false);
  return difference.empty() ? compare(wordsB, wordsA, true) : difference;
}

std::string nameOf(const Shard& shard) {
  return "shard " + std::to_string(shard.number) + " of " + std::to_string(shard.count);
}

std::string fileNameOf(const Shard& shard) {
  if (shard.count == 1) return "journal.jsonl";
  return cv::format("shard_%d_of_%d.jsonl", shard.number, shard.count);
}

namespace {

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
  if (list.size() % 3 != 0) throw std::runtime_error("its counts do not come in threes");
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
  if (list.size() % 2 != 0) throw std::runtime_error("its distances do not come in pairs");
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
  record.photoSha256 = json.at("photo_sha256");
  record.labelSha256 = json.at("label_sha256");
  for (const Json& schedule : json.at("schedules"))
    record.schedules.push_back(scheduleOf(schedule, classes));
  if (record.schedules.size() != schedules)
    throw std::runtime_error("it has results for a different number of schedules");
  return record;
}

}  // namespace

std::string lineOf(const PictureRecord& record) {
  Json json = {{"index", record.index}, {"name", record.name}};
  if (record.fault) {
    json["fault"] = nameOf(record.fault->kind);
    json["sentence"] = record.fault->sentence;
  } else {
    json["photo_sha256"] = record.photoSha256;
    json["label_sha256"] = record.labelSha256;
    Json& schedules = json["schedules"] = Json::array();
    for (const ScheduleRecord& one : record.schedules) schedules.push_back(scheduleJson(one));
  }
  // Names come from files, whose bytes need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes) {
  try {
    return pictureOf(parsed(line), schedules, classes);
  } catch (const Json::exception&) {
    throw std::runtime_error("it is not a record of a picture");
  }
}

}  // namespace mpm::evaluate
