// SPDX-License-Identifier: Apache-2.0
#include "evaluate/journal.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace mpm::evaluate {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "mpm_eval";
constexpr int kVersion = 3;  // 1 had no digests of pictures, 2 distances of pairs

// Rejects numbers with a point that cannot be times in milliseconds, the only such numbers here.
// Reading one as an integer cuts it, which is undefined if it is negative or large.
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
  for (const Json& blocks : json.at("schedules"))
    header.schedules.emplace_back(blocks.get<std::vector<int>>());
  header.special = json.at("special");
  header.options = json.at("options").get<std::map<std::string, std::string>>();
  header.notes = json.at("notes").get<std::map<std::string, std::string>>();
  return header;
}

std::string listOf(const std::vector<Schedule>& schedules) {
  std::string list;
  for (const Schedule& schedule : schedules) list += (list.empty() ? "" : "; ") + schedule.text();
  return list;
}

// Describes in words everything that has to be equal.
std::map<std::string, std::string> wordsOf(const Header& header) {
  std::map<std::string, std::string> words = header.options;
  words["schedules"] = listOf(header.schedules);
  words["number of pictures"] = std::to_string(header.pictures);
  words["number of classes"] = std::to_string(header.classes.size());
  for (std::size_t k = 0; k < header.classes.size(); ++k)
    words[cv::format("name of class %d", static_cast<int>(k))] = header.classes[k];
  words["special rows"] = std::to_string(header.special);
  return words;
}

std::string orNothing(const std::string& word) { return word.empty() ? "nothing" : word; }

}  // namespace

std::string lineOf(const Header& header) {
  Json schedules = Json::array();
  for (const Schedule& schedule : header.schedules) schedules.push_back(schedule.blocks());
  const Json json = {{kKind, kVersion},           {"pictures", header.pictures},
                     {"classes", header.classes}, {"schedules", schedules},
                     {"special", header.special}, {"options", header.options},
                     {"notes", header.notes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Header headerOf(const std::string& line) {
  try {
    return fieldsOf(parsed(line));
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

namespace {

// Rounds to thousandths of a millisecond, beyond which no clock is accurate here.
double rounded(double ms) { return std::round(ms * 1000) / 1000; }

// Writes groups of three numbers as one list: a journal has millions of them.
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

Json scheduleJson(const ScheduleRecord& record) {
  Json json = {{"counts", countsJson(record.counts)},
               {"edge_counts", countsJson(record.edgeCounts)},
               {"rows", record.rows},
               {"windows", record.windows},
               {"network_ms", rounded(record.networkMs)},
               {"ms", rounded(record.ms)}};
  if (record.agreement) json["agreement"] = *record.agreement;
  return json;
}

std::optional<double> shareOf(const Json& json, const char* name) {
  if (!json.contains(name)) return std::nullopt;
  const double share = json.at(name);
  if (share > 1) throw std::runtime_error("it has a share of more than 1");
  return share;
}

ScheduleRecord scheduleOf(const Json& json, std::size_t classes) {
  ScheduleRecord record;
  record.counts = countsOf(json.at("counts"), classes);
  record.edgeCounts = countsOf(json.at("edge_counts"), classes);
  record.rows = json.at("rows").get<std::vector<int>>();
  record.windows = json.at("windows");
  record.networkMs = json.at("network_ms");
  record.ms = json.at("ms");
  record.agreement = shareOf(json, "agreement");
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
  record.floor = shareOf(json, "floor");
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
    if (record.floor) json["floor"] = *record.floor;
  }
  // Replaces invalid bytes, since names come from files and need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes) {
  try {
    return pictureOf(parsed(line), schedules, classes);
  } catch (const Json::exception&) {
    throw std::runtime_error("it is not a record of a picture");
  }
}

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

// Every journal begins with this, so that no other file passes for one that was torn early.
constexpr std::string_view kBegin = R"({"mpm_eval":)";

// Whole lines of a file, and the torn line after them.
struct Lines {
  std::vector<std::string> whole;
  std::string torn;
};

Lines linesOf(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) refuse(path, "it is not a file");
  std::ifstream file(path, std::ios::binary);
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) {  // no end of line behind it
      lines.torn = line;
    } else {
      lines.whole.push_back(std::move(line));
    }
  }
  if (!file.eof()) refuse(path, "it cannot be read");
  return lines;
}

void keep(const PictureRecord& record, const Header& header,
          std::map<std::size_t, PictureRecord>& records) {
  if (record.index >= header.pictures)
    throw std::runtime_error("it has a picture that the data set does not have");
  const auto known = records.find(record.index);
  if (known != records.end() && !known->second.fault)
    throw std::runtime_error("it has the picture " + record.name + " twice");
  records[record.index] = record;
}

}  // namespace

JournalContent readJournal(const std::string& path) {
  const Lines lines = linesOf(path);
  JournalContent content;
  if (lines.whole.empty()) {
    const std::string_view begin = kBegin.substr(0, std::min(kBegin.size(), lines.torn.size()));
    if (!lines.torn.starts_with(begin)) refuse(path, "it is not a journal of mpm eval");
    return content;
  }
  std::map<std::size_t, PictureRecord> records;
  for (std::size_t i = 0; i < lines.whole.size(); ++i) {
    try {
      if (i == 0) {
        content.header = headerOf(lines.whole[0]);
      } else {
        const Header& header = *content.header;
        keep(recordOf(lines.whole[i], header.schedules.size(), header.classes.size()), header,
             records);
      }
    } catch (const std::runtime_error& error) {
      refuse(path, i == 0 ? error.what()
                          : "line " + std::to_string(i + 1) + " is damaged: " + error.what());
    }
    content.size += lines.whole[i].size() + 1;
  }
  for (auto& [index, record] : records) content.records.push_back(std::move(record));
  return content;
}

Journal::Journal(const std::string& path, const Header& header, bool restart)
    : path_(path), notes_(header.notes) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0)
      refuse(path, "another process is writing it; give a second run another --out");
    if (!restart) goOn(header);
    if (ftruncate(file_, static_cast<off_t>(size_)) != 0)
      throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
    if (size_ == 0) write(lineOf(header));
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() { close(file_); }

void Journal::goOn(const Header& header) {
  JournalContent content = readJournal(path_);
  if (!content.header) return;
  // Compares the header as written: names need not be UTF-8, and JSON is.
  const std::string difference = differenceOf(*content.header, headerOf(lineOf(header)));
  if (!difference.empty()) {
    refuse(path_, "it was begun differently, " + difference +
                      "; --restart drops it, and another --out keeps both");
  }
  notes_ = std::move(content.header->notes);
  records_ = std::move(content.records);
  size_ = content.size;
}

void Journal::append(const PictureRecord& record) { write(lineOf(record)); }

void Journal::write(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t more = ::write(file_, line.data() + done, line.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) {
      const std::string why = std::strerror(errno);
      // If even this fails, the line is torn and the next run drops it.
      [[maybe_unused]] const int ignored = ftruncate(file_, static_cast<off_t>(size_));
      throw std::runtime_error("cannot write " + path_ + ": " + why +
                               "; what is in it is complete, and the same command continues from "
                               "there");
    }
    done += static_cast<std::size_t>(more);
  }
  size_ += line.size();
}

}  // namespace mpm::evaluate
