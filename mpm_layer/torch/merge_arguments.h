// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "torch/arguments.h"

namespace mpm::operators {

constexpr char kMerge[] = "mpm::merge_pairs";
constexpr char kRestore[] = "mpm::restore";

/// Arguments of a merge whose shapes and types are checked; rows, map and regions are undefined
/// where not given. Their values are not looked at.
struct MergeInputs {
  TokenSizes sizes;
  std::int64_t originals = 0;
  at::Tensor tokens, rows, map, regions;  ///< contiguous
  int window = 0, gridHeight = 0, gridWidth = 0;
};

/// Throws a c10::Error of one sentence.
MergeInputs checkMerge(const at::Tensor& tokens, const OptionalTensor& rows,
                       const OptionalTensor& map, std::int64_t special, std::int64_t window,
                       at::IntArrayRef grid, const OptionalTensor& regions);

}  // namespace mpm::operators
