// SPDX-License-Identifier: Apache-2.0
#include "torch/merge_arguments.h"

#include <algorithm>
#include <limits>

namespace mpm::operators {
namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();

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
