// SPDX-License-Identifier: Apache-2.0
#include "evaluate/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>

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
  if (!std::filesystem::is_regular_file(path, ignored)) refuse(path, "it is no file");
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
    if (!lines.torn.starts_with(begin)) refuse(path, "it is no journal of mpm eval");
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
      refuse(path, "another process is writing it; another --out is right for a second run");
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
    refuse(path_, "it is of " + nameOf(content.header->shard));
  const std::string difference = differenceOf(*content.header, header);
  if (!difference.empty()) {
    refuse(path_, "it was begun otherwise, " + difference +
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
                               "; what is in it is finished, and the same command goes on from "
                               "there");
    }
    done += static_cast<std::size_t>(more);
  }
  size_ += line.size();
}

}  // namespace mpm::evaluate
