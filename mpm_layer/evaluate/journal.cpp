// SPDX-License-Identifier: Apache-2.0
#include "evaluate/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace mpm::evaluate {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

// What every journal begins with, so that no other file is taken for one that was torn early.
constexpr std::string_view kBegin = R"({"mpm_eval":)";

// The whole lines of a file, and whether another one begins behind them.
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
  if (record.index >= header.pictures || !header.shard.has(record.index))
    throw std::runtime_error("it has a picture that is not in " + nameOf(header.shard));
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
  if (!(content.header->shard == header.shard))
    refuse(path_, "it belongs to " + nameOf(content.header->shard));
  // As it is written: names need not be UTF-8, and JSON is.
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
      // Where even this fails, the line is torn, and the next run drops it.
      [[maybe_unused]] const int ignored = ftruncate(file_, static_cast<off_t>(size_));
      throw std::runtime_error("cannot write " + path_ + ": " + why +
                               "; what is in it is complete, and the same command continues from "
                               "there");
    }
    done += static_cast<std::size_t>(more);
  }
  size_ += line.size();
}

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
  const std::size_t expected = part.header.shard.sizeOf(part.header.pictures);
  if (part.records.size() == expected) return;
  throw std::runtime_error(
      part.path + ": it is not finished, " + std::to_string(expected - part.records.size()) +
      " of " + std::to_string(expected) +
      " pictures are missing; run the command that began it again to finish it");
}

void checkAllThere(const std::map<int, Part>& parts) {
  constexpr std::size_t kMost = 10;
  const int count = parts.begin()->second.header.shard.count;
  const std::size_t lacking = static_cast<std::size_t>(count) - parts.size();
  if (lacking == 0) return;
  std::string missing;
  std::size_t named = 0;
  for (int number = 1; named < std::min(lacking, kMost); ++number) {
    if (parts.contains(number)) continue;
    missing += (named++ == 0 ? "" : ", ") + std::to_string(number);
  }
  if (lacking > named) missing += " and " + std::to_string(lacking - named) + " more";
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
                                 " appears twice: " + known->second.path + " and " + path);
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
