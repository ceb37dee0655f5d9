// SPDX-License-Identifier: Apache-2.0
// Mutual Pair Merging as operators of PyTorch. The contract is that of the layers in
// mpm/layers.h, with int64 where they have whole floats:
//
//   tokens  [B, S+M, D] float32: S = special rows, then M image rows, of which the live ones
//           come first. May be cut to the longest image's live rows between two merges.
//   rows    [B] live rows, special ones included. Without it, all rows live.
//   map     [B, N] for each original image token its live image row, counted from 0. Without
//           it, nothing has been merged yet: N = M.
//   window  pairs only within so many patches; needs grid = [height, width] of the N tokens.
//   regions [B, N] or [1, N]: pairs only within a label.
//
// merge_pairs returns tokens of the shape it got, rows and map. No row past the live ones is
// read; in the result such rows are zero. restore gives each of the N original tokens its live
// row's values.
//
// On a GPU tokens may be bfloat16 too, nothing waits for the device, and so the values of rows, map
// and regions are not checked: they have to be what they say.
//
// Inference only: a backward pass through an operator throws, because the result of a merge is
// not differentiable where pairs change, and silence would train a wrong model.
//
// The schemas, and shapes without values, for tracers and torch.compile: what a merge leaves live
// depends on the values, but no shape does.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
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
  checkDimensions(kMerge, "tokens", tokens, 3);
  if (map.has_value()) checkDimensions(kMerge, "map", *map, 2);
  const c10::SymInt batch = tokens.sym_size(0);
  const c10::SymInt originals =
      map.has_value() ? map->sym_size(1) : tokens.sym_size(1) - c10::SymInt(special);
  const at::TensorOptions integers = tokens.options().dtype(at::kLong);
  return {at::empty_like(tokens, at::MemoryFormat::Contiguous), at::empty_symint({batch}, integers),
          at::empty_symint({batch, originals}, integers)};
}

at::Tensor restoreMeta(const at::Tensor& tokens, const at::Tensor& map, std::int64_t special) {
  checkDimensions(kRestore, "tokens", tokens, 3);
  checkDimensions(kRestore, "map", map, 2);
  return at::empty_symint(
      {tokens.sym_size(0), map.sym_size(1) + c10::SymInt(special), tokens.sym_size(2)},
      tokens.options());
}

}  // namespace

TORCH_LIBRARY(mpm, m) {
  m.def(
      "merge_pairs(Tensor tokens, Tensor? rows=None, Tensor? map=None, *, int special=0, "
      "int window=0, int[] grid=[], Tensor? regions=None) -> (Tensor, Tensor, Tensor)");
  m.def("restore(Tensor tokens, Tensor map, *, int special=0) -> Tensor");
}

TORCH_LIBRARY_IMPL(mpm, Autograd, m) {
  m.impl("merge_pairs", torch::autograd::autogradNotImplementedFallback());
  m.impl("restore", torch::autograd::autogradNotImplementedFallback());
}

TORCH_LIBRARY_IMPL(mpm, Meta, m) {
  m.impl("merge_pairs", mergePairsMeta);
  m.impl("restore", restoreMeta);
}

}  // namespace mpm::operators
