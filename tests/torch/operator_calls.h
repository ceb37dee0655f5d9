// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Optional.h>

#include <cstdint>
#include <vector>

namespace mpm {

/// Arguments of mpm::merge_pairs, as their defaults are.
struct MergeCall {
  at::Tensor tokens;
  c10::optional<at::Tensor> rows, map;
  std::int64_t special = 0, window = 0;
  std::vector<std::int64_t> grid;
  c10::optional<at::Tensor> regions;
};

struct Merged {
  at::Tensor tokens, rows, map;
};

/// Both load libmpm_torch with dlopen, as a program would, and call through the dispatcher.
Merged callMergePairs(const MergeCall& call);
at::Tensor callRestore(const at::Tensor& tokens, const at::Tensor& map, std::int64_t special);

}  // namespace mpm
