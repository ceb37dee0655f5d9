// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Optional.h>
#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <tuple>
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

/// Loads libmpm_torch with dlopen, as a program would, and finds an operator in the dispatcher.
inline c10::OperatorHandle findOperator(const char* op) {
  static void* const library = dlopen(MPM_TORCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return c10::Dispatcher::singleton().findSchemaOrThrow(op, "");
}

inline Merged callMergePairs(const MergeCall& call) {
  using MaybeTensor = c10::optional<at::Tensor>;
  using Signature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
      const at::Tensor&, const MaybeTensor&, const MaybeTensor&, std::int64_t, std::int64_t,
      at::IntArrayRef, const MaybeTensor&);
  static const auto op = findOperator("mpm::merge_pairs").typed<Signature>();
  const auto [tokens, rows, map] =
      op.call(call.tokens, call.rows, call.map, call.special, call.window, call.grid, call.regions);
  return {tokens, rows, map};
}

inline at::Tensor callRestore(const at::Tensor& tokens, const at::Tensor& map,
                              std::int64_t special) {
  using Signature = at::Tensor(const at::Tensor&, const at::Tensor&, std::int64_t);
  static const auto op = findOperator("mpm::restore").typed<Signature>();
  return op.call(tokens, map, special);
}

}  // namespace mpm
