// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/record.h"

namespace mpm::evaluate {

/// What a journal holds: a header, then a line for each finished picture.
struct JournalContent {
  std::optional<Header> header;        ///< none where not even its line was finished
  std::vector<PictureRecord> records;  ///< one for each picture: of one that was at fault and tried
                                       ///< again the later one
  std::uint64_t size = 0;              ///< bytes up to the end of the last whole line
};

/// A last line that is torn, as a power cut leaves it, is left out. std::runtime_error, which names
/// the file, where it cannot be read, is no journal, or is damaged elsewhere.
JournalContent readJournal(const std::string& path);

/// A journal that grows, line by line. What is in it stays in it, whatever happens next.
class Journal {
 public:
  /// Begins one, or goes on with one that is about the same, torn lines dropped. `restart`: drops
  /// what is there. std::runtime_error where it cannot be written, another process writes it, or it
  /// is about something else.
  Journal(const std::string& path, const Header& header, bool restart);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// What was there, and the notes of who began it.
  const std::vector<PictureRecord>& records() const { return records_; }
  const std::map<std::string, std::string>& notes() const { return notes_; }

  /// The line is the system's when this returns. Where it cannot be written whole, nothing of it
  /// is: std::runtime_error.
  void append(const PictureRecord& record);

 private:
  void write(std::string line);
  void goOn(const Header& header);

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<PictureRecord> records_;
  std::map<std::string, std::string> notes_;
};

/// Shards put together.
struct Joined {
  Header header;                       ///< the first one's, as if of a run without shards
  std::vector<PictureRecord> records;  ///< of every picture, in the data set's order
  std::vector<std::string> machines;   ///< that they were made on, each once
};

/// From journals, or folders that hold them. std::runtime_error, one sentence, where a shard is
/// missing, there twice, not finished or was run with other options.
Joined joinJournals(const std::vector<std::string>& places);

}  // namespace mpm::evaluate
