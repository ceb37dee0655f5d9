// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

#include "vit/attention.h"
#include "vit/gemm.h"
#include "vit/gemm_tasks.h"
#include "vit/row_kernels.h"
#include "vit/softmax.h"

namespace mpm::vit {
namespace {

constexpr std::size_t kTileQueries = 64;

ConstRows columns(ConstRows rows, std::size_t first, std::size_t count) {
  return {rows.data + first, rows.count, count, rows.stride};
}

// All arguments: one head's columns; q, logits, out: the rows of one tile.
void attendTile(ConstRows q, ConstRows k, ConstRows v, const Attention& attention, Rows logits,
                Rows out) {
  if (k.count == 0) {
    for (std::size_t i = 0; i < out.count; ++i) std::fill_n(out.row(i), out.dim, 0.0F);
    return;
  }
  multiplyTransposed(q, k, logits);
  float sums[kTileQueries];
  for (std::size_t i = 0; i < q.count; ++i) {
    sums[i] = softmaxNumerators(logits.row(i), k.count, attention.scale, attention.keyWeights);
  }
  multiply(logits, v, out);
  for (std::size_t i = 0; i < q.count; ++i) {
    scaleBy(out.row(i), sums[i] == 0 ? 0 : 1 / sums[i], out.dim);
  }
}

// Each has logits of its own: no more than can run at once, whatever the number of threads.
std::size_t workerCount(std::size_t tiles) {
  static const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(tiles, cores);
}

}  // namespace

void attentionCpu(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  AttentionScratch& scratch, Rows out) {
  assert(q.dim == k.dim && q.dim == v.dim && q.dim == out.dim);
  assert(k.count == v.count && q.count == out.count && q.dim % attention.heads == 0);
  const std::size_t d = q.dim / attention.heads;
  const std::size_t tilesPerHead = (q.count + kTileQueries - 1) / kTileQueries;
  const std::size_t tiles = attention.heads * tilesPerHead;
  const std::size_t workers = workerCount(tiles);
  const std::size_t stride = (k.count + 15) / 16 * 16;
  float* const memory = scratch.logits.reserve(workers * kTileQueries * stride);

  std::atomic<std::size_t> next{0};
  forEachGemmTask(workers, [&](std::size_t worker) {
    for (std::size_t tile; (tile = next++) < tiles;) {
      const std::size_t column = tile / tilesPerHead * d;
      const std::size_t row = tile % tilesPerHead * kTileQueries;
      const std::size_t rows = std::min(kTileQueries, q.count - row);
      attendTile({q.row(row) + column, rows, d, q.stride}, columns(k, column, d),
                 columns(v, column, d), attention,
                 {memory + worker * kTileQueries * stride, rows, k.count, stride},
                 {out.row(row) + column, rows, d, out.stride});
    }
  });
}

}  // namespace mpm::vit
