// SPDX-License-Identifier: Apache-2.0
#include "evaluate/header.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mpm::evaluate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "mpm_eval";
constexpr int kVersion = 1;

Header fieldsOf(const Json& json) {
  Header header;
  if (json.at(kKind) != kVersion)
    throw std::runtime_error("it is the journal of another version of mpm eval");
  header.pictures = json.at("pictures");
  header.classes = json.at("classes").get<std::vector<std::string>>();
  header.small = json.at("small").get<std::vector<std::size_t>>();
  header.schedules = json.at("schedules").get<std::vector<Schedule>>();
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
  if (!isSound) throw std::runtime_error("its first line makes no sense");
}

std::string listOf(const std::vector<Schedule>& schedules) {
  std::string list;
  for (const Schedule& schedule : schedules) list += (list.empty() ? "" : "; ") + nameOf(schedule);
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
  const Json json = {{kKind, kVersion},
                     {"pictures", header.pictures},
                     {"classes", header.classes},
                     {"small", header.small},
                     {"schedules", header.schedules},
                     {"special", header.special},
                     {"grid", {header.grid.width, header.grid.height}},
                     {"shard", {header.shard.number, header.shard.count}},
                     {"options", header.options},
                     {"notes", header.notes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Header headerOf(const std::string& line) {
  try {
    Header header = fieldsOf(Json::parse(line));
    check(header);
    return header;
  } catch (const Json::exception&) {
    throw std::runtime_error("it is no journal of mpm eval");
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

std::string nameOf(const Schedule& schedule) {
  std::string name;
  for (const int block : schedule) {
    if (!name.empty()) name += ',';
    name += std::to_string(block);
  }
  return name.empty() ? "none" : name;
}

std::string fileNameOf(const Shard& shard) {
  if (shard.count == 1) return "journal.jsonl";
  return cv::format("shard_%d_of_%d.jsonl", shard.number, shard.count);
}

}  // namespace mpm::evaluate
