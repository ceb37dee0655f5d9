// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/attention.h"

namespace mpm::vit {

/// Rows of the full network that each live row stands for. Special rows come first and stand for
/// themselves; image rows follow `map` [originals], with entries in [0, live - special). Without a
/// map each row stands for itself.
class Members {
 public:
  void set(const std::int32_t* map, std::size_t originals, std::size_t special, std::size_t live);

  std::size_t live() const { return starts_.size() - 1; }  ///< once it was set
  std::size_t rows() const { return members_.size(); }     ///< of the full network
  bool isEachItself() const { return isEachItself_; }      ///< live row i is row i, all of them are
  /// Members of a live row, ascending.
  const std::int32_t* begin(std::size_t row) const { return members_.data() + starts_[row]; }
  const std::int32_t* end(std::size_t row) const { return members_.data() + starts_[row + 1]; }
  std::size_t count(std::size_t row) const { return starts_[row + 1] - starts_[row]; }
  /// Returns the first member of each live row, any row if it has none. `others` lists the live
  /// rows for which that is not all: those with several members or none.
  const std::vector<std::int32_t>& firsts() const { return firsts_; }
  const std::vector<std::size_t>& others() const { return others_; }

 private:
  void listFirsts();

  bool isEachItself_ = true;
  std::vector<std::int32_t> firsts_;
  std::vector<std::size_t> others_;
  std::vector<std::size_t> starts_, next_;
  std::vector<std::int32_t> members_;
};

/// Computes out [live x D] = in + the mean of a table's rows [rows x D] over each row's members, 0
/// for a row without. `out` may be `in`.
void addRowsOfMembers(ConstRows in, ConstRows table, const Members& members, Rows out);

/// Rotary positions. In each head of d features the first half pairs with the second: x[i] of row n
/// becomes own[n][i] x[i] + other[n][i] x[i +- d / 2]. Tables are [rows x d], or [rows x heads d]
/// if heads have different factors.
struct Rotary {
  ConstRows own, other;
};

/// Gives a merged row the mean of its members' factors. Its logits are then the mean of those that
/// its features would have at each member's place. A row with one member gets that one's to the
/// bit, a row without gives zeros. Writes out [live x heads d] from an `in` of that size, which it
/// does not overlap.
void rotateCpu(ConstRows in, const Rotary& rotary, const Members& members, std::size_t heads,
               Rows out);

}  // namespace mpm::vit
