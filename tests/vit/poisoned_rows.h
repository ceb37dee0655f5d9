// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mpm/rows.h"
#include "random_rows.h"
#include "vit/kernels.h"

namespace mpm::test {

/// Rows that own their values, with a gap after each and more rows behind the live ones. All
/// that is not live is a NaN that nobody may write, and that shows in the result when read.
template <class T>
class PoisonedRowsOf {
 public:
  PoisonedRowsOf(std::size_t count, std::size_t dim)
      : count_(count), dim_(dim), data_((count + kSpareRows) * stride(), poison()) {}
  explicit PoisonedRowsOf(const OwnedRows& rows) : PoisonedRowsOf(rows.count, rows.dim) {
    for (std::size_t i = 0; i < count_; ++i) {
      std::copy_n(rows.view().row(i), dim_, view().row(i));
    }
  }

  RowsOf<T> view() { return {data_.data(), count_, dim_, stride()}; }

  void expectPoisonUntouched() const {
    for (std::size_t at = 0; at < data_.size(); ++at) {
      if (at / stride() < count_ && at % stride() < dim_) continue;
      const T wanted = poison();
      ASSERT_EQ(std::memcmp(&data_[at], &wanted, sizeof wanted), 0)
          << "row " << at / stride() << ", column " << at % stride() << " was written";
    }
  }

 private:
  static constexpr std::size_t kSpareRows = 3, kGap = 5;
  static T poison() {
    const std::uint32_t bits = 0x7fc0dead;
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::size_t stride() const { return dim_ + kGap; }

  std::size_t count_, dim_;
  std::vector<T> data_;
};

using PoisonedRows = PoisonedRowsOf<float>;
using PoisonedUnits = PoisonedRowsOf<vit::Unit>;

/// Every |actual - expected| <= tolerance * max(1, |expected|).
inline void expectNear(ConstRows actual, ConstRows expected, double tolerance) {
  ASSERT_EQ(actual.count, expected.count);
  ASSERT_EQ(actual.dim, expected.dim);
  for (std::size_t i = 0; i < expected.count; ++i) {
    for (std::size_t k = 0; k < expected.dim; ++k) {
      const double wanted = expected.row(i)[k], error = std::abs(actual.row(i)[k] - wanted);
      // Not `error > ...`, which lets a NaN pass.
      ASSERT_TRUE(error <= tolerance * std::max(1.0, std::abs(wanted)))
          << "row " << i << ", column " << k << ": " << actual.row(i)[k] << " instead of "
          << wanted;
    }
  }
}

}  // namespace mpm::test
