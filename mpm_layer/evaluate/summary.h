// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluate/confusion.h"
#include "evaluate/journal.h"

namespace mpm::evaluate {

/// Sums one schedule over all pictures. Everything but times is a sum of integers and does not
/// depend on the order of pictures.
struct ScheduleTotals {
  explicit ScheduleTotals(std::size_t classes) : all(classes), edges(classes) {}

  Confusion all, edges;
  std::vector<std::uint64_t> rows;  ///< before all merges and behind each; over all windows
  std::uint64_t windows = 0;
  std::vector<double> networkMs, ms;  ///< of each picture
  std::vector<double> agreements;     ///< of each that was compared with the unmerged run
};

class Totals {
 public:
  explicit Totals(const Header& header);

  /// Throws std::runtime_error if the record does not fit the header's schedules.
  void add(const PictureRecord& record);

  std::size_t pictures() const { return pictures_; }  ///< without those at fault
  const std::vector<ScheduleTotals>& schedules() const { return schedules_; }
  const std::vector<double>& floors() const { return floors_; }  ///< of those that were compared
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<std::size_t> merges_;  // of each schedule
  std::vector<ScheduleTotals> schedules_;
  std::vector<double> floors_;
  std::vector<Fault> faults_;
  std::size_t pictures_ = 0;
};

/// Quality and cost of a schedule. NaN marks what is unknown.
struct ScheduleFigures {
  Schedule schedule;
  Quality all, edges;            ///< of all pixels, of those near edges
  std::vector<double> rows;      ///< of a window: before all merges and behind each, special ones
                                 ///< included; means. Empty where the model cannot merge
  double merged = 0;             ///< share of the image tokens that the merges took away
  double networkMs = 0, ms = 0;  ///< of a picture: medians
  double ratio = 0;  ///< of the time from photo to labels to the unmerged one: the median of the
                     ///< ratios within pictures. NaN where nothing was run unmerged
  double agreement = 0;    ///< share of pixels labelled as unmerged: mean over the pictures
                           ///< that were compared
  double beyondFloor = 0;  ///< what agreement lacks of the noise floor; 0 where it reaches it
};

struct Summary {
  std::size_t pictures = 0;
  std::vector<ScheduleFigures> schedules;
  std::size_t compared = 0;  ///< pictures, with the unmerged run
  double floor = 0;          ///< mpm::noiseFloor of unmerged runs: mean over these
  std::vector<Fault> faults;
};

Summary summaryOf(const Totals& totals, const Header& header);

/// Returns the schedule without merges; null if there is none.
const ScheduleFigures* fullTokensOf(const Summary& summary);

}  // namespace mpm::evaluate
