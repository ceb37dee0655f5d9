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

/// Describes a journal: everything that a summary needs besides the records.
struct Header {
  std::size_t pictures = 0;  ///< of the data set
  std::vector<std::string> classes;
  std::vector<Schedule> schedules;
  int special = 0;  ///< rows that never merge
  /// Names everything else that decides the results: "stride" is "480". Results of different
  /// options are never combined.
  std::map<std::string, std::string> options;
  /// Facts that decide nothing but should be known: the machine, paths.
  std::map<std::string, std::string> notes;
};

/// Converts to one line of JSON, without its end, and back. Throws std::runtime_error, in one
/// sentence, if the line is no header.
std::string lineOf(const Header& header);
Header headerOf(const std::string& line);

/// Says in words what keeps the results of two headers apart: "stride 480 and 512"; empty if
/// nothing does. Notes may differ.
std::string differenceOf(const Header& a, const Header& b);

constexpr const char* kJournalFile = "journal.jsonl";

/// Reason for leaving a picture out.
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

/// Results of one schedule on a picture.
struct ScheduleRecord {
  std::vector<Count> counts;      ///< all pixels that count
  std::vector<Count> edgeCounts;  ///< those near edges
  std::vector<int> rows;          ///< before all merges and behind each; sums over the windows
  int windows = 1;
  double networkMs = 0, ms = 0;     ///< of the network; from photo to labels
  std::optional<double> agreement;  ///< mpm::agreementOf with unmerged labels, of some pictures
};

/// Results of every schedule on a picture, in order, or its error.
struct PictureRecord {
  std::size_t index = 0;  ///< in the data set's list
  std::string name;
  std::string photoSha256,
      labelSha256;  ///< of its files, as they were; empty where one is at fault
  std::vector<ScheduleRecord> schedules;
  std::optional<double> floor;  ///< mpm::noiseFloor of unmerged runs, of some pictures
  std::optional<Fault> fault;
};

/// Converts a record to one line of JSON, without its end, and back. A record has `schedules`
/// schedules and classes below `classes`. Throws std::runtime_error, in one sentence, for any other
/// line.
std::string lineOf(const PictureRecord& record);
PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes);

/// Content of a journal: a header, then a line for each finished picture.
struct JournalContent {
  std::optional<Header> header;        ///< none where not even its line was finished
  std::vector<PictureRecord> records;  ///< one for each picture: of one that was at fault and tried
                                       ///< again the later one
  std::uint64_t size = 0;              ///< bytes up to the end of the last whole line
};

/// Ignores a torn last line, as a power cut leaves it. Throws std::runtime_error, which names the
/// file, if it cannot be read, is no journal or is damaged elsewhere.
JournalContent readJournal(const std::string& path);

/// Writes a journal line by line. Its lines stay, whatever happens next.
class Journal {
 public:
  /// Begins a journal, or continues one about the same, without its torn lines. `restart` drops
  /// what is there. Throws std::runtime_error if it cannot be written, another process writes it,
  /// or it is about something else.
  Journal(const std::string& path, const Header& header, bool restart);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Return what the journal held, and the notes of the run that began it.
  const std::vector<PictureRecord>& records() const { return records_; }
  const std::map<std::string, std::string>& notes() const { return notes_; }

  /// Hands the line to the system before it returns. If it cannot be written whole, nothing of it
  /// is kept, and it throws std::runtime_error.
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
