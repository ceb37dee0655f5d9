// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/confusion.h"
#include "evaluate/distances.h"
#include "mpm/schedule.h"

namespace mpm::evaluate {

/// Every `count`-th picture of a data set, from the `number`-th on; numbers begin with 1.
struct Shard {
  int number = 1, count = 1;

  bool has(std::size_t index) const {
    return index % static_cast<std::size_t>(count) == static_cast<std::size_t>(number - 1);
  }
  /// How many of so many pictures it has.
  std::size_t sizeOf(std::size_t pictures) const {
    const auto first = static_cast<std::size_t>(number - 1);
    return pictures > first ? (pictures - first - 1) / static_cast<std::size_t>(count) + 1 : 0;
  }
  bool operator==(const Shard&) const = default;
};

/// What a journal is about: everything that a summary needs beside the records.
struct Header {
  std::size_t pictures = 0;  ///< of the data set, all shards together
  std::vector<std::string> classes;
  std::vector<std::size_t> small;  ///< classes that are told apart
  std::vector<Schedule> schedules;
  int special = 0;  ///< rows that never merge
  cv::Size grid;    ///< of the patches; empty where the model cannot merge
  Shard shard;
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
/// empty where nothing does. Shards and notes may differ.
std::string differenceOf(const Header& a, const Header& b);

std::string nameOf(const Shard& shard);      ///< "shard 2 of 4"
std::string fileNameOf(const Shard& shard);  ///< "shard_2_of_4.jsonl"; of all "journal.jsonl"

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
  double networkMs = 0, ms = 0;      ///< of the network; from photo to labels
  std::vector<Distances> distances;  ///< of each merge's pairs; empty where nobody asked
};

/// What is known of a picture: what every schedule made of it, in their order, or what is wrong.
struct PictureRecord {
  std::size_t index = 0;  ///< in the data set's list
  std::string name;
  std::string photoSha256,
      labelSha256;  ///< of its files, as they were; empty where one is at fault
  std::vector<ScheduleRecord> schedules;
  std::optional<Fault> fault;
};

/// A record as one line of JSON without its end, and back. What is read has `schedules` schedules
/// and classes below `classes`; std::runtime_error, one sentence, where the line says anything
/// else.
std::string lineOf(const PictureRecord& record);
PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes);

}  // namespace mpm::evaluate
