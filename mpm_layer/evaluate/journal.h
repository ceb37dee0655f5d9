// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/confusion.h"
#include "mpm/schedule.h"

namespace mpm::evaluate {

/// What a journal is about: everything that a summary needs beside the records.
struct Header {
  std::size_t pictures = 0;  ///< of the data set
  std::vector<std::string> classes;
  std::vector<Schedule> schedules;
  int special = 0;  ///< rows that never merge
  /// Whatever else decides the results, in words: "stride" is "480". Results of different options
  /// are never put together.
  std::map<std::string, std::string> options;
  /// What decides nothing, but should be known: the machine, paths.
  std::map<std::string, std::string> notes;
};

/// As one line of JSON without its end, and back. std::runtime_error, one sentence, where the line
/// is no header.
std::string lineOf(const Header& header);
Header headerOf(const std::string& line);

/// What keeps the results of two headers from being put together, in words: "stride 480 and 512";
/// empty where nothing does. Notes may differ.
std::string differenceOf(const Header& a, const Header& b);

constexpr const char* kJournalFile = "journal.jsonl";

/// Why a picture is left out.
enum class FaultKind {
  missingPhoto,
  missingLabel,
  unreadablePhoto,
  unreadableLabel,
  otherSize,    ///< the label picture has another size than the photo
  outsideClass  ///< the label picture has a number that stands for no class
};
constexpr std::array<const char*, 6> kFaultNames = {
    "missing photo",    "missing label", "unreadable photo",
    "unreadable label", "other size",    "number outside the classes"};
inline const char* nameOf(FaultKind kind) { return kFaultNames[static_cast<std::size_t>(kind)]; }

struct Fault {
  FaultKind kind = FaultKind::missingLabel;
  std::string sentence;  ///< names the file
};

/// What one schedule made of a picture.
struct ScheduleRecord {
  std::vector<Count> counts;      ///< all pixels that count
  std::vector<Count> edgeCounts;  ///< those near edges
  std::vector<int> rows;          ///< before all merges and behind each; sums over the windows
  int windows = 1;
  double networkMs = 0, ms = 0;     ///< of the network; from photo to labels
  std::optional<double> agreement;  ///< mpm::agreementOf with full tokens, of some pictures
};

/// What is known of a picture: what every schedule made of it, in their order, or what is wrong.
struct PictureRecord {
  std::size_t index = 0;  ///< in the data set's list
  std::string name;
  std::string photoSha256,
      labelSha256;  ///< of its files, as they were; empty where one is at fault
  std::vector<ScheduleRecord> schedules;
  std::optional<double> floor;  ///< mpm::noiseFloor of full tokens, of some pictures
  std::optional<Fault> fault;
};

/// A record as one line of JSON without its end, and back. What is read has `schedules` schedules
/// and classes below `classes`; std::runtime_error, one sentence, where the line says anything
/// else.
std::string lineOf(const PictureRecord& record);
PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes);

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

}  // namespace mpm::evaluate
