// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "merge/match.h"
#include "merge/slots.h"
#include "processor/float_buffer.h"

namespace mpm::merge {

class MatchScratch {
 public:
  Slots slots;
  std::vector<Match> best;  ///< of each slot
  processor::FloatBuffer panelsA, panelsB;
  std::vector<float> zeroRow;
  std::vector<Extent> runExtents;
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  ///< pairs of runs

  std::size_t bytes() const;
};

}  // namespace mpm::merge
