// SPDX-License-Identifier: Apache-2.0
// Mutual Pair Merging as operators of PyTorch. The contract is that of the layers in
// mpm/layers.h, with int64 instead of integers in float32:
//
//   tokens  [B, S+M, D] float32: S = special rows, then M image rows, live ones first. May be
//           cut to the longest image's live rows between two merges.
//   rows    [B] live rows, special ones included. Without it, all rows are live.
//   map     [B, N] for each original image token its live image row, counted from 0. Without
//           it, nothing has been merged yet: N = M.
//   window  pairs form only within so many patches; needs grid = [height, width] of the N tokens.
//   regions [B, N] or [1, N]: pairs form only within a label.
//
// merge_pairs returns tokens of the same shape, rows and map. It reads no row past the live ones;
// in the result such rows are zero. restore gives each of the N original tokens its live row's
// values.
//
// On a GPU tokens may be bfloat16 too, and nothing waits for the device. The values of rows, map
// and regions are therefore not checked: they have to be valid.
//
// Inference only: a backward pass through an operator throws. The result of a merge is not
// differentiable where pairs change, and a silent gradient would train a wrong model.
//
// Tracers and torch.compile get shapes without values: which rows are live depends on the values,
// but no shape does.
#include "torch/operators.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "mpm/merge.h"

namespace mpm::operators {
namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();

bool fits(at::IntArrayRef sizes, const std::vector<std::int64_t>& shape) {
  return std::equal(
      sizes.begin(), sizes.end(), shape.begin(), shape.end(),
      [](std::int64_t is, std::int64_t wanted) { return wanted < 0 || is == wanted; });
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + (shape[i] < 0 ? std::string("any") : std::to_string(shape[i]));
  }
  return text + "]";
}

void checkWindow(std::int64_t window, at::IntArrayRef grid, MergeInputs& in) {
  TORCH_CHECK(window >= 0 && window <= kMostInt, kMerge, ": window = ", window,
              "; expected 0 (no limit) to ", kMostInt);
  in.window = static_cast<int>(window);
  if (window == 0) return;
  const bool sides = grid.size() == 2 && *std::min_element(grid.begin(), grid.end()) > 0 &&
                     *std::max_element(grid.begin(), grid.end()) <= kMostInt;
  TORCH_CHECK(sides, kMerge, ": window = ", window, " with grid = ", grid,
              "; expected grid = [height, width] of the original image tokens");
  in.gridHeight = static_cast<int>(grid[0]);
  in.gridWidth = static_cast<int>(grid[1]);
}

}  // namespace

TokenSizes checkTokens(const char* op, const at::Tensor& tokens, std::int64_t special) {
  TORCH_CHECK(tokens.dim() == 3, op, ": tokens are ", tokens.sizes(),
              "; expected 3 dimensions, [batch, special and image tokens, features]");
  const bool isBf16 = tokens.is_cuda() && tokens.scalar_type() == at::kBFloat16;
  TORCH_CHECK(isBf16 || tokens.scalar_type() == at::kFloat, op, ": tokens are ",
              tokens.scalar_type(), "; expected Float (tokens.float())",
              tokens.is_cuda() ? ", or BFloat16" : "");
  TORCH_CHECK(tokens.size(2) > 0, op, ": tokens are ", tokens.sizes(),
              "; expected at least one feature");
  const std::int64_t rows = tokens.size(1);
  TORCH_CHECK(rows <= kMostInt, op, ": tokens have ", rows, " rows; expected at most ", kMostInt);
  TORCH_CHECK(special >= 0 && special < rows, op, ": special = ", special, " of ", rows,
              " rows; expected 0 or more, and at least one image row after the special ones");
  return {tokens.size(0), special, rows - special, tokens.size(2)};
}

at::Tensor checkIntegers(const char* op, const char* name, const at::Tensor& integers,
                         std::initializer_list<std::vector<std::int64_t>> shapes,
                         const char* meaning) {
  TORCH_CHECK(integers.scalar_type() == at::kLong, op, ": ", name, " has type ",
              integers.scalar_type(), "; expected Long");
  bool fitsOne = false;
  std::string expected;
  for (const auto& shape : shapes) {
    fitsOne = fitsOne || fits(integers.sizes(), shape);
    expected += (expected.empty() ? "" : " or ") + shapeText(shape);
  }
  TORCH_CHECK(fitsOne, op, ": ", name, " is ", integers.sizes(), "; expected ", expected, ", ",
              meaning);
  return integers.contiguous();
}

void readIntegers(const char* op, const char* name, const at::Tensor& integers, std::int64_t row,
                  const Bounds& bounds, std::vector<std::int32_t>& values) {
  const std::int64_t count = integers.size(-1);
  const std::int64_t* const from = integers.data_ptr<std::int64_t>() + row * count;
  values.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    TORCH_CHECK(from[i] >= bounds.low && from[i] <= bounds.high, op, ": ", name, "[", row, ", ", i,
                "] = ", from[i], "; expected ", bounds.low, " to ", bounds.high, ", ",
                bounds.meaning);
    values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(from[i]);
  }
}

MergeInputs checkMerge(const at::Tensor& tokens, const OptionalTensor& rows,
                       const OptionalTensor& map, std::int64_t special, std::int64_t window,
                       at::IntArrayRef grid, const OptionalTensor& regions) {
  MergeInputs in;
  in.sizes = checkTokens(kMerge, tokens, special);
  in.tokens = tokens.contiguous();
  in.originals = in.sizes.image;
  const std::int64_t batch = in.sizes.batch;
  if (rows.has_value()) {
    in.rows = checkIntegers(kMerge, "rows", *rows, {{batch}}, "the batch of tokens");
  }
  if (map.has_value()) {
    in.map = checkIntegers(kMerge, "map", *map, {{batch, -1}}, "the batch and original tokens");
    in.originals = in.map.size(1);
    TORCH_CHECK(in.originals >= in.sizes.image && in.originals <= kMostInt, kMerge, ": map has ",
                in.originals, " original tokens; expected at least ", in.sizes.image, ", the ",
                in.sizes.rows(), " rows of tokens less ", special, " special ones");
  }
  if (regions.has_value()) {
    in.regions =
        checkIntegers(kMerge, "regions", *regions, {{batch, in.originals}, {1, in.originals}},
                      "the batch (or 1, for all) and original tokens");
  }
  checkWindow(window, grid, in);
  return in;
}

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

/// Returns the live image rows of image `image`.
std::int64_t liveImageRows(const MergeInputs& in, std::int64_t image) {
  const TokenSizes& sizes = in.sizes;
  if (!in.rows.defined()) return sizes.image;
  const std::int64_t live = in.rows.data_ptr<std::int64_t>()[image];
  TORCH_CHECK(live >= sizes.special && live <= sizes.rows(), kMerge, ": rows[", image, "] = ", live,
              "; expected ", sizes.special, " to ", sizes.rows(),
              ", the special rows to all rows of tokens");
  return live - sizes.special;
}

MergeOptions optionsOf(const MergeInputs& in) {
  MergeOptions options;
  options.window = in.window;
  options.gridHeight = in.gridHeight;
  options.gridWidth = in.gridWidth;
  return options;
}

void readMap(const MergeInputs& in, std::int64_t image, std::int64_t live,
             std::vector<std::int32_t>& map) {
  if (in.map.defined()) {
    readIntegers(kMerge, "map", in.map, image, {0, live - 1, "the live image rows"}, map);
    return;
  }
  TORCH_CHECK(live == in.sizes.image, kMerge, ": rows[", image, "] leaves ", live, " of ",
              in.sizes.image, " image rows live; expected all of them, or a map");
  map.resize(static_cast<std::size_t>(live));
  identityMap(map.data(), map.size());
}

/// Merges image `image` into `out` [S+M, D] and composes `map`. Returns its live image rows.
std::int64_t mergeImage(const MergeInputs& in, std::int64_t image, std::vector<std::int32_t>& map,
                        float* out) {
  // Megabytes of scratch memory, which the next call on this thread finds warm.
  thread_local PairMerger merger;
  const TokenSizes& sizes = in.sizes;
  const std::int64_t live = liveImageRows(in, image);
  readMap(in, image, live, map);
  MergeOptions options = optionsOf(in);
  std::vector<std::int32_t> regions;
  if (in.regions.defined()) {
    readIntegers(kMerge, "regions", in.regions, in.regions.size(0) == 1 ? 0 : image,
                 {std::numeric_limits<std::int32_t>::min(), kMostInt, "a label"}, regions);
    options.regions = regions.data();
  }

  const std::int64_t specialFloats = sizes.special * sizes.dim;
  const std::int64_t imageFloats = sizes.rows() * sizes.dim;
  const float* const from = in.tokens.data_ptr<float>() + image * imageFloats;
  const auto count = static_cast<std::size_t>(live);
  const auto dim = static_cast<std::size_t>(sizes.dim);
  std::size_t merged = 0;
  try {
    merged = merger.merge({from + specialFloats, count, dim}, options, map.data(), map.size(),
                          {out + specialFloats, count, dim});
  } catch (const std::invalid_argument& error) {
    TORCH_CHECK(false, kMerge, ": ", error.what());
  }
  std::copy_n(from, specialFloats, out);
  std::fill(out + specialFloats + static_cast<std::int64_t>(merged * dim), out + imageFloats, 0.0F);
  return static_cast<std::int64_t>(merged);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> mergePairsCpu(
    const at::Tensor& tokens, const OptionalTensor& rows, const OptionalTensor& map,
    std::int64_t special, std::int64_t window, at::IntArrayRef grid,
    const OptionalTensor& regions) {
  const MergeInputs in = checkMerge(tokens, rows, map, special, window, grid, regions);
  const TokenSizes& sizes = in.sizes;
  const at::TensorOptions integers = tokens.options().dtype(at::kLong);
  const at::Tensor merged = at::empty_like(in.tokens, at::MemoryFormat::Contiguous);
  const at::Tensor mergedRows = at::empty({sizes.batch}, integers);
  const at::Tensor mergedMap = at::empty({sizes.batch, in.originals}, integers);
  std::vector<std::int32_t> imageMap;
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    const std::int64_t live = mergeImage(
        in, image, imageMap, merged.data_ptr<float>() + image * sizes.rows() * sizes.dim);
    mergedRows.data_ptr<std::int64_t>()[image] = sizes.special + live;
    std::copy(imageMap.begin(), imageMap.end(),
              mergedMap.data_ptr<std::int64_t>() + image * in.originals);
  }
  return {merged, mergedRows, mergedMap};
}

at::Tensor restoreCpu(const at::Tensor& tokens, const at::Tensor& map, std::int64_t special) {
  const TokenSizes sizes = checkTokens(kRestore, tokens, special);
  const at::Tensor live = tokens.contiguous();
  const at::Tensor checked =
      checkIntegers(kRestore, "map", map, {{sizes.batch, -1}}, "the batch and original tokens");
  const std::int64_t originals = checked.size(1);
  const at::Tensor full =
      at::empty({sizes.batch, sizes.special + originals, sizes.dim}, tokens.options());
  const auto dim = static_cast<std::size_t>(sizes.dim);
  std::vector<std::int32_t> imageMap;
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    readIntegers(kRestore, "map", checked, image, {0, sizes.image - 1, "the image rows of tokens"},
                 imageMap);
    const float* const from = live.data_ptr<float>() + image * sizes.rows() * sizes.dim;
    float* const to = full.data_ptr<float>() + image * (sizes.special + originals) * sizes.dim;
    const std::int64_t specialFloats = sizes.special * sizes.dim;
    std::copy_n(from, specialFloats, to);
    restore({from + specialFloats, static_cast<std::size_t>(sizes.image), dim}, imageMap.data(),
            {to + specialFloats, static_cast<std::size_t>(originals), dim});
  }
  return full;
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

TORCH_LIBRARY_IMPL(mpm, CPU, m) {
  m.impl("merge_pairs", mergePairsCpu);
  m.impl("restore", restoreCpu);
}

}  // namespace mpm::operators
