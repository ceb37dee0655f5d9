// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/confusion.h"
#include "evaluate/distances.h"

namespace mpm::evaluate {

/// The blocks that are merged before; empty: full tokens.
using Schedule = std::vector<int>;

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
  std::vector<ScheduleRecord> schedules;
  std::optional<Fault> fault;
};

/// A record as one line of JSON without its end, and back. What is read has `schedules` schedules
/// and classes below `classes`; std::runtime_error, one sentence, where the line says anything
/// else.
std::string lineOf(const PictureRecord& record);
PictureRecord recordOf(const std::string& line, std::size_t schedules, std::size_t classes);

}  // namespace mpm::evaluate
