// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "evaluate/confusion.h"
#include "evaluate/header.h"
#include "evaluate/totals.h"

namespace mpm::evaluate {

/// What a schedule keeps and costs. What nothing says is NaN.
struct ScheduleFigures {
  Schedule schedule;
  Quality all, edges;            ///< of all pixels, of those near edges
  double smallIou = 0;           ///< the mean over the small classes
  std::vector<double> rows;      ///< of a window: before all merges and behind each, special ones
                                 ///< included; means. Empty where the model cannot merge
  double merged = 0;             ///< share of the image tokens that the merges took away
  double networkMs = 0, ms = 0;  ///< of a picture: medians
  double ratio = 0;  ///< of the time from photo to labels to full tokens': the median of the ratios
                     ///< within pictures. NaN where full tokens were not run
  std::vector<Distances> distances;  ///< of each merge's pairs
};

struct Summary {
  std::size_t pictures = 0, distancePictures = 0;
  std::vector<ScheduleFigures> schedules;
  Distances random;  ///< of all pairs of patches
  std::vector<Fault> faults;
};

Summary summaryOf(const Totals& totals, const Header& header);

/// The schedule without merges; null where there is none.
const ScheduleFigures* fullTokensOf(const Summary& summary);

}  // namespace mpm::evaluate
