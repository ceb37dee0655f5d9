// SPDX-License-Identifier: Apache-2.0
#include "evaluate/join.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "evaluate/journal.h"

namespace mpm::evaluate {
namespace {

namespace fs = std::filesystem;

bool isJournal(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == fileNameOf(Shard{}) || (name.starts_with("shard_") && name.ends_with(".jsonl"));
}

std::vector<std::string> journalsIn(const std::string& place) {
  std::error_code failed;
  if (!fs::is_directory(place, failed)) return {place};
  std::vector<std::string> journals;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, failed)) {
    if (isJournal(entry.path())) journals.push_back(entry.path().string());
  }
  if (failed) throw std::runtime_error("cannot read the folder " + place + ": " + failed.message());
  if (journals.empty())
    throw std::runtime_error("there is no journal in " + place + "; mpm eval --out " + place +
                             " writes one");
  std::sort(journals.begin(), journals.end());
  return journals;
}

struct Part {
  std::string path;
  Header header;
  std::vector<PictureRecord> records;
};

Part readPart(const std::string& path) {
  JournalContent content = readJournal(path);
  if (!content.header) throw std::runtime_error(path + ": it is empty");
  return {path, std::move(*content.header), std::move(content.records)};
}

void checkFits(const Part& part, const Part& first) {
  std::string difference = differenceOf(first.header, part.header);
  if (difference.empty() && part.header.shard.count != first.header.shard.count) {
    difference = "shards of " + std::to_string(first.header.shard.count) + " and of " +
                 std::to_string(part.header.shard.count);
  }
  if (difference.empty()) return;
  throw std::runtime_error(first.path + " and " + part.path +
                           " do not belong together: " + difference);
}

void checkFinished(const Part& part) {
  std::size_t expected = 0;
  for (std::size_t i = 0; i < part.header.pictures; ++i) expected += part.header.shard.has(i);
  if (part.records.size() == expected) return;
  throw std::runtime_error(part.path + ": it is not finished, " +
                           std::to_string(expected - part.records.size()) + " of " +
                           std::to_string(expected) +
                           " pictures are missing; the command that began it goes on with it");
}

void checkAllThere(const std::map<int, Part>& parts) {
  const int count = parts.begin()->second.header.shard.count;
  std::string missing;
  for (int number = 1; number <= count; ++number) {
    if (!parts.contains(number)) missing += (missing.empty() ? "" : ", ") + std::to_string(number);
  }
  if (missing.empty()) return;
  throw std::runtime_error("of " + std::to_string(count) + " shards these are missing: " + missing);
}

}  // namespace

Joined joinJournals(const std::vector<std::string>& places) {
  std::map<int, Part> parts;
  for (const std::string& place : places) {
    for (const std::string& path : journalsIn(place)) {
      Part part = readPart(path);
      if (!parts.empty()) checkFits(part, parts.begin()->second);
      const auto [known, isNew] = parts.try_emplace(part.header.shard.number, std::move(part));
      if (!isNew)
        throw std::runtime_error(nameOf(part.header.shard) +
                                 " is there twice: " + known->second.path + " and " + path);
    }
  }
  if (parts.empty()) throw std::runtime_error("there is no journal to join");
  for (const auto& [number, part] : parts) checkFinished(part);
  checkAllThere(parts);
  Joined joined;
  joined.header = parts.begin()->second.header;
  joined.header.shard = {};
  for (auto& [number, part] : parts) {
    const std::string& machine = part.header.notes["machine"];
    if (std::find(joined.machines.begin(), joined.machines.end(), machine) == joined.machines.end())
      joined.machines.push_back(machine);
    std::move(part.records.begin(), part.records.end(), std::back_inserter(joined.records));
  }
  std::sort(joined.records.begin(), joined.records.end(),
            [](const PictureRecord& a, const PictureRecord& b) { return a.index < b.index; });
  return joined;
}

}  // namespace mpm::evaluate
