// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace mpm {

struct OracleMerge {
  at::Tensor merged;  ///< [N', D], of the type of the tokens
  at::Tensor map;     ///< [N] int64: the cluster of each token
};

/// One call of the paper's algorithm, step by step in eager LibTorch: what a PyTorch user would
/// write. Knows nothing of the project's own code, so that neither can copy the other's mistake.
///
/// `tokens` [N, D], N >= 1, float32 or float64, finite: nothing is checked. S is N x N.
OracleMerge oracleMerge(const at::Tensor& tokens);

}  // namespace mpm
