// SPDX-License-Identifier: Apache-2.0
// Attention of tokens on a grid: within windows, some cells of which lie beside it, and with what
// distances add. By matrices of who stands where, so that means over members are products.
#include <ATen/ATen.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "torch/net_oracle_call.h"

namespace mpm::test {
namespace {

/// Along one direction: [L x places] each row's share of the places, of its own window.
at::Tensor sharesOf(const at::Tensor& members, const at::Tensor& places, std::int64_t count) {
  return at::matmul(members, at::one_hot(places, count).to(at::kDouble));
}

/// [H x L x M]: the mean over the places of queries and keys of q . table[query - key + n - 1].
at::Tensor distances(const at::Tensor& q, const at::Tensor& table, const at::Tensor& ofQueries,
                     const at::Tensor& ofKeys) {
  const std::int64_t n = ofKeys.size(1);
  const at::Tensor place = at::arange(n, at::kLong);
  const at::Tensor between = (place.unsqueeze(1) - place + (n - 1)).reshape({-1});
  const at::Tensor vectors = table.index_select(0, between).reshape({n, n, -1});
  return at::matmul(at::einsum("hld,li,ijd->hlj", {q, ofQueries, vectors}), ofKeys.t());
}

/// What windows have beside the grid: the window of each such cell, and its place there.
struct Outside {
  std::vector<std::int64_t> window, y, x;
};

Outside outsideOf(const std::vector<std::int64_t>& grid, const std::vector<std::int64_t>& window,
                  std::int64_t down, std::int64_t across) {
  Outside cells;
  for (std::int64_t y = 0; y < down * window[0]; ++y) {
    for (std::int64_t x = 0; x < across * window[1]; ++x) {
      if (y < grid[0] && x < grid[1]) continue;
      cells.window.push_back(y / window[0] * across + x / window[1]);
      cells.y.push_back(y % window[0]);
      cells.x.push_back(x % window[1]);
    }
  }
  return cells;
}

at::Tensor withCells(const at::Tensor& shares, const std::vector<std::int64_t>& places) {
  if (places.empty()) return shares;
  return at::cat(
      {shares, at::one_hot(at::tensor(places, at::kLong), shares.size(1)).to(at::kDouble)});
}

}  // namespace

GridLogits gridLogits(const NodeCall& call, const at::Tensor& q, at::Tensor k, at::Tensor v,
                      const at::Tensor& members, double scale) {
  const std::vector<std::int64_t> grid = call.integers("grid");
  const std::vector<std::int64_t> window = call.integers("window", grid);
  call.require(grid.size() == 2 && window.size() == 2 && members.size(1) == grid[0] * grid[1],
               "grid and window do not fit its tokens");
  const std::int64_t down = (grid[0] + window[0] - 1) / window[0];
  const std::int64_t across = (grid[1] + window[1] - 1) / window[1];
  const at::Tensor token = at::arange(members.size(1), at::kLong);
  const at::Tensor y = token.div(grid[1], "floor"), x = token.remainder(grid[1]);
  const at::Tensor windows = sharesOf(
      members, y.div(window[0], "floor") * across + x.div(window[1], "floor"), down * across);
  call.require(windows.gt(1e-9).sum(1).eq(1).all().item<bool>(), "a row stands in two windows");

  const Outside cells = outsideOf(grid, window, down, across);
  if (!cells.window.empty()) {
    const auto count = static_cast<std::int64_t>(cells.window.size());
    const at::Tensor outside = call.named("outside").reshape({3, q.size(0), 1, q.size(2)});
    k = at::cat({k, outside[1].expand({-1, count, -1})}, 1);
    v = at::cat({v, outside[2].expand({-1, count, -1})}, 1);
  }
  at::Tensor logits = at::matmul(q, k.transpose(1, 2)) * scale;
  if (call.named("distance_down").defined()) {
    const at::Tensor ofY = sharesOf(members, y.remainder(window[0]), window[0]);
    const at::Tensor ofX = sharesOf(members, x.remainder(window[1]), window[1]);
    logits = logits + distances(q, call.named("distance_down"), ofY, withCells(ofY, cells.y)) +
             distances(q, call.named("distance_across"), ofX, withCells(ofX, cells.x));
  }
  const at::Tensor same = at::matmul(windows, withCells(windows, cells.window).t());
  return {logits + same.gt(0.5).to(at::kDouble).log(), v};
}

}  // namespace mpm::test
