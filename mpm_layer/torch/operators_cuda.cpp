// SPDX-License-Identifier: Apache-2.0
// The operators on a GPU: on the current stream, without waiting, with scratch memory of PyTorch's
// caching allocator. Shapes and types are checked as on the processor; values, which the host does
// not see, are not.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <limits>
#include <tuple>

#include "torch/merge_call_cuda.h"
#include "torch/operators.h"

namespace mpm::operators {
namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();

void checkPlace(const char* op, const char* name, const at::Tensor& integers,
                const at::Tensor& tokens) {
  TORCH_CHECK(!integers.defined() || integers.device() == tokens.device(), op, ": ", name,
              " are on ", integers.device(), "; expected ", tokens.device(), ", as tokens");
}

/// Converts contiguous int64 to int32; undefined stays undefined.
at::Tensor narrowed(const at::Tensor& integers) {
  return integers.defined() ? integers.to(at::kInt) : integers;
}

const std::int32_t* pointerTo(const at::Tensor& integers) {
  return integers.defined() ? integers.data_ptr<std::int32_t>() : nullptr;
}

/// Returns the start of each image in [B, rows, D].
at::Tensor begins(const TokenSizes& sizes, const at::TensorOptions& integers) {
  return at::arange(sizes.batch + 1, integers).mul_(sizes.rows());
}

void checkTotal(const char* op, const TokenSizes& sizes) {
  TORCH_CHECK(sizes.batch * sizes.rows() <= kMostInt, op, ": tokens have ",
              sizes.batch * sizes.rows(), " rows in all images; expected at most ", kMostInt);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> mergePairsCuda(
    const at::Tensor& tokens, const OptionalTensor& givenRows, const OptionalTensor& givenMap,
    std::int64_t special, std::int64_t window, at::IntArrayRef grid,
    const OptionalTensor& givenRegions) {
  const MergeInputs in =
      checkMerge(tokens, givenRows, givenMap, special, window, grid, givenRegions);
  const TokenSizes& sizes = in.sizes;
  checkTotal(kMerge, sizes);
  checkPlace(kMerge, "rows", in.rows, tokens);
  checkPlace(kMerge, "map", in.map, tokens);
  checkPlace(kMerge, "regions", in.regions, tokens);
  TORCH_CHECK(in.window == 0 || std::int64_t{in.gridHeight} * in.gridWidth == in.originals, kMerge,
              ": window = ", window, " with grid = ", grid, "; expected a grid of the ",
              in.originals, " original tokens");
  const c10::cuda::CUDAGuard device(tokens.device());
  const at::TensorOptions integers = tokens.options().dtype(at::kInt);
  const at::Tensor merged = at::empty_like(in.tokens, at::MemoryFormat::Contiguous);
  const at::Tensor mergedFirst = at::empty({sizes.batch + 1}, integers);
  const at::Tensor mergedRows = at::empty({sizes.batch}, integers);
  const at::Tensor mergedMap = at::empty({sizes.batch, in.originals}, integers);
  if (sizes.batch == 0) return {merged, mergedRows.to(at::kLong), mergedMap.to(at::kLong)};

  const at::Tensor first = begins(sizes, integers);
  const at::Tensor count =
      in.rows.defined() ? narrowed(in.rows) : at::full({sizes.batch}, sizes.rows(), integers);
  const at::Tensor map = narrowed(in.map), regions = narrowed(in.regions);
  merge::MergeCuda call;
  call.sizes = mergeSizes(sizes.batch, special, sizes.rows(), in.originals, in.tokens);
  call.tokens = {in.tokens.data_ptr(), pointerTo(first), pointerTo(count)};
  call.map = pointerTo(map);
  call.window = in.window;
  call.gridWidth = in.gridWidth;
  call.regions = pointerTo(regions);
  const bool isOneList = regions.defined() && regions.size(0) == 1;
  call.regionStride = isOneList ? 0 : static_cast<int>(in.originals);
  call.merged = merged.data_ptr();
  call.capacity = static_cast<int>(sizes.batch * sizes.rows());
  call.mergedFirst = mergedFirst.data_ptr<std::int32_t>();
  call.mergedCount = mergedRows.data_ptr<std::int32_t>();
  call.mergedMap = mergedMap.data_ptr<std::int32_t>();
  mergeOnStream(call);
  return {merged, mergedRows.to(at::kLong), mergedMap.to(at::kLong)};
}

at::Tensor restoreOnCuda(const at::Tensor& tokens, const at::Tensor& givenMap,
                         std::int64_t special) {
  const TokenSizes sizes = checkTokens(kRestore, tokens, special);
  checkTotal(kRestore, sizes);
  const at::Tensor checked = checkIntegers(kRestore, "map", givenMap, {{sizes.batch, -1}},
                                           "the batch and original tokens");
  checkPlace(kRestore, "map", checked, tokens);
  const std::int64_t originals = checked.size(1);
  TORCH_CHECK(originals <= kMostInt, kRestore, ": map has ", originals,
              " original tokens; expected at most ", kMostInt);
  const c10::cuda::CUDAGuard device(tokens.device());
  const at::Tensor live = tokens.contiguous(), map = narrowed(checked);
  const at::Tensor full = at::empty({sizes.batch, special + originals, sizes.dim}, live.options());
  if (sizes.batch == 0) return full;
  const at::TensorOptions integers = tokens.options().dtype(at::kInt);
  const at::Tensor first = begins(sizes, integers);
  const at::Tensor count = at::full({sizes.batch}, sizes.rows(), integers);
  checkCuda(merge::restoreCuda(mergeSizes(sizes.batch, special, sizes.rows(), originals, live),
                               {live.data_ptr(), pointerTo(first), pointerTo(count)},
                               pointerTo(map), full.data_ptr(), at::cuda::getCurrentCUDAStream()));
  return full;
}

}  // namespace

TORCH_LIBRARY_IMPL(mpm, CUDA, m) {
  m.impl("merge_pairs", mergePairsCuda);
  m.impl("restore", restoreOnCuda);
}

}  // namespace mpm::operators
