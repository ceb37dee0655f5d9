// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm {

/// `count` rows of `dim` floats each; row i starts at data + i * stride. Not owned.
/// Rows do not overlap: stride >= dim.
template <class Float>
struct RowsOf {
  Float* data = nullptr;
  std::size_t count = 0;
  std::size_t dim = 0;
  std::size_t stride = 0;

  RowsOf() = default;
  RowsOf(Float* data_, std::size_t count_, std::size_t dim_) : RowsOf(data_, count_, dim_, dim_) {}
  RowsOf(Float* data_, std::size_t count_, std::size_t dim_, std::size_t stride_)
      : data(data_), count(count_), dim(dim_), stride(stride_) {}

  Float* row(std::size_t i) const { return data + i * stride; }
};

using Rows = RowsOf<float>;

/// Rows that are only read.
struct ConstRows : RowsOf<const float> {
  using RowsOf<const float>::RowsOf;
  ConstRows() = default;
  ConstRows(const Rows& rows)  // NOLINT(google-explicit-constructor): reading is always allowed
      : RowsOf<const float>(rows.data, rows.count, rows.dim, rows.stride) {}
};

}  // namespace mpm
