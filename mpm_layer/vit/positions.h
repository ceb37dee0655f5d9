// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/attention.h"

namespace mpm::vit {

/// Which rows of the full network stand behind each live row: special rows for themselves, in
/// front; image rows by `map` [originals], every entry in [0, live - special). Without a map each
/// row stands for itself.
class Members {
 public:
  void set(const std::int32_t* map, std::size_t originals, std::size_t special, std::size_t live);

  std::size_t live() const { return starts_.size() - 1; }  ///< once it was set
  std::size_t rows() const { return members_.size(); }     ///< of the full network
  bool isEachItself() const { return isEachItself_; }      ///< live row i is row i, all of them are
  /// Those of a live row, in rising order.
  const std::int32_t* begin(std::size_t row) const { return members_.data() + starts_[row]; }
  const std::int32_t* end(std::size_t row) const { return members_.data() + starts_[row + 1]; }
  std::size_t count(std::size_t row) const { return starts_[row + 1] - starts_[row]; }
  /// Of each live row the first member, of one of none any row; and the live rows for which that
  /// is not all: those of several members, or of none.
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

/// out [live x D] = in + the mean of a table's rows [rows x D] over each row's members, of a row of
/// none 0. `out` may be `in`.
void addRowsOfMembers(ConstRows in, ConstRows table, const Members& members, Rows out);

/// Rotary positions: in each head of d features, of which the first half pairs with the second,
/// x[i] of row n becomes own[n][i] x[i] + other[n][i] x[i +- d / 2]; tables [rows x d], or of heads
/// with factors of their own [rows x heads d].
struct Rotary {
  ConstRows own, other;
};

/// A merged row's factors are the mean of its members': then its logits are the mean of those that
/// its features would have at each member's place. A row of one member has that one's, to the bit,
/// and a row of none gives zeros.
/// out [live x heads d] from in of the same size, which it does not overlap.
void rotateCpu(ConstRows in, const Rotary& rotary, const Members& members, std::size_t heads,
               Rows out);

}  // namespace mpm::vit
