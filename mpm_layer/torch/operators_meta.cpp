// SPDX-License-Identifier: Apache-2.0
// Shapes without values, for tracers and torch.compile. What a merge leaves live depends on the
// values, but no shape does.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <tuple>

#include "torch/arguments.h"

namespace mpm::operators {
namespace {

void checkDimensions(const char* op, const char* name, const at::Tensor& tensor, int expected) {
  TORCH_CHECK(tensor.dim() == expected, op, ": ", name, " has ", tensor.dim(),
              " dimensions; expected ", expected);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> mergePairsMeta(
    const at::Tensor& tokens, const OptionalTensor&, const OptionalTensor& map,
    std::int64_t special, std::int64_t, at::IntArrayRef, const OptionalTensor&) {
  checkDimensions("mpm::merge_pairs", "tokens", tokens, 3);
  if (map.has_value()) checkDimensions("mpm::merge_pairs", "map", *map, 2);
  const c10::SymInt batch = tokens.sym_size(0);
  const c10::SymInt originals =
      map.has_value() ? map->sym_size(1) : tokens.sym_size(1) - c10::SymInt(special);
  const at::TensorOptions integers = tokens.options().dtype(at::kLong);
  return {at::empty_like(tokens, at::MemoryFormat::Contiguous), at::empty_symint({batch}, integers),
          at::empty_symint({batch, originals}, integers)};
}

at::Tensor restoreMeta(const at::Tensor& tokens, const at::Tensor& map, std::int64_t special) {
  checkDimensions("mpm::restore", "tokens", tokens, 3);
  checkDimensions("mpm::restore", "map", map, 2);
  return at::empty_symint(
      {tokens.sym_size(0), map.sym_size(1) + c10::SymInt(special), tokens.sym_size(2)},
      tokens.options());
}

}  // namespace

TORCH_LIBRARY_IMPL(mpm, Meta, m) {
  m.impl("merge_pairs", mergePairsMeta);
  m.impl("restore", restoreMeta);
}

}  // namespace mpm::operators
