// SPDX-License-Identifier: Apache-2.0
#include "torch/arguments.h"

#include <algorithm>
#include <limits>

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

}  // namespace mpm::operators
