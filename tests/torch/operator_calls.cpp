// SPDX-License-Identifier: Apache-2.0
#include "torch/operator_calls.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>

#include <stdexcept>
#include <tuple>

namespace mpm {
namespace {

using MaybeTensor = c10::optional<at::Tensor>;
using MergeSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor&, const MaybeTensor&, const MaybeTensor&, std::int64_t, std::int64_t,
    at::IntArrayRef, const MaybeTensor&);
using RestoreSignature = at::Tensor(const at::Tensor&, const at::Tensor&, std::int64_t);

c10::OperatorHandle find(const char* op) {
  static void* const library = dlopen(MPM_TORCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return c10::Dispatcher::singleton().findSchemaOrThrow(op, "");
}

}  // namespace

Merged callMergePairs(const MergeCall& call) {
  static const auto op = find("mpm::merge_pairs").typed<MergeSignature>();
  const auto [tokens, rows, map] =
      op.call(call.tokens, call.rows, call.map, call.special, call.window, call.grid, call.regions);
  return {tokens, rows, map};
}

at::Tensor callRestore(const at::Tensor& tokens, const at::Tensor& map, std::int64_t special) {
  static const auto op = find("mpm::restore").typed<RestoreSignature>();
  return op.call(tokens, map, special);
}

}  // namespace mpm
