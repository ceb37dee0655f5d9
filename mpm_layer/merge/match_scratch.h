// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <hwy/aligned_allocator.h>
#include <utility>
#include <vector>

#include "merge/match.h"
#include "merge/slots.h"

namespace mpm::merge {

/// Aligned floats that grow and never shrink; their content is undefined after growing.
class FloatBuffer {
 public:
  float* reserve(std::size_t count) {
    if (count > capacity_) {
      data_ = hwy::AllocateAligned<float>(count);
      capacity_ = count;
    }
    return data_.get();
  }
  std::size_t bytes() const { return capacity_ * sizeof(float); }

 private:
  hwy::AlignedFreeUniquePtr<float[]> data_;
  std::size_t capacity_ = 0;
};

class MatchScratch {
 public:
  Slots slots;
  std::vector<Match> best;  ///< of each slot
  FloatBuffer panelsA, panelsB;
  std::vector<float> zeroRow;
  std::vector<Extent> runExtents;
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  ///< pairs of runs

  std::size_t bytes() const;
};

}  // namespace mpm::merge
