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
/// `tokens` [N, D], N >= 1, float32 or float64, finite: nothing is checked. S is N x N. `regions`
/// [N], not in the paper: where it is there, S is masked between tokens of different ones.
OracleMerge oracleMerge(const at::Tensor& tokens, const at::Tensor& regions = {});

/// S of that, its diagonal masked, too.
at::Tensor oracleSimilarity(const at::Tensor& tokens, const at::Tensor& regions = {});

}  // namespace mpm
