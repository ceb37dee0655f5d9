// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "merge/rows_cuda.h"
#include "merge/steps_cuda.h"
#include "merge/tile_cuda.h"

namespace mpm::merge {
namespace {

/// Describes the rows of a tile (the first kTile entries) and its columns.
struct TileRows {
  int exponent[2 * kTile];
  float factor[2 * kTile];  ///< 1 / |row| without the power of two; NaN: takes no part
  std::int32_t y[2 * kTile], x[2 * kTile], region[2 * kTile];
  MatchKey best[2 * kTile];
};

template <Element kElement>
struct TileShared {
  Slab<kElement> slab;
  TileRows rows;
};

/// First row and first column of a tile, which lies on an image's diagonal or above it.
struct TilePlace {
  int row = 0, column = 0;
};

// Returns tile t of the upper triangle, counted column by column, so that small images come first.
// A column begins where 8 t + 1 is a square: there the root is exact, and between it is far from
// whole.
__device__ TilePlace tileAt(unsigned t) {
  const auto column = static_cast<unsigned>((sqrt(8.0 * t + 1) - 1) / 2);
  const unsigned row = t - static_cast<unsigned>(column * (column + 1ULL) / 2);
  return {static_cast<int>(row) * kTile, static_cast<int>(column) * kTile};
}

// Describes one of the tile's 2 * kTile rows in each thread.
__device__ void describeRow(const MergeSizes& sizes, const DeviceScope& scope,
                            const double* inverse, int image, int row, int rows, TileRows& tile) {
  const auto at = static_cast<int>(threadIdx.x);
  int exponent = 0;
  double factor = nan("");
  tile.best[at] = 0;
  if (row < rows) {
    const double whole = inverse[placeOf(sizes, image, row)];
    factor = isfinite(whole) ? frexp(whole, &exponent) : whole;
    if (scope.restricted()) {
      const std::int32_t token = scope.lowest[placeOf(sizes, image, row)];
      if (token >= sizes.originals) {
        factor = nan("");
      } else {
        tile.y[at] = scope.window > 0 ? token / scope.gridWidth : 0;
        tile.x[at] = scope.window > 0 ? token % scope.gridWidth : 0;
        tile.region[at] = scope.regions == nullptr
                              ? 0
                              : scope.regions[static_cast<std::size_t>(image) *
                                                  static_cast<std::size_t>(scope.regionStride) +
                                              static_cast<std::size_t>(token)];
      }
    }
  }
  tile.exponent[at] = exponent;
  tile.factor[at] = static_cast<float>(factor);
}

// Tells whether the scope lets two rows pair. a indexes the tile's rows, b its columns.
__device__ bool allows(const DeviceScope& scope, const TileRows& tile, int a, int b) {
  if (!scope.restricted()) return true;
  if (tile.region[a] != tile.region[b]) return false;
  return scope.window == 0 ||
         (abs(tile.y[a] - tile.y[b]) <= scope.window && abs(tile.x[a] - tile.x[b]) <= scope.window);
}

// Tells whether any pair of the tile is allowed. It costs 64 comparisons per thread, less than a
// slab of products. With a window most tiles have no such pair.
__device__ bool anyAllowed(const DeviceScope& scope, const TileRows& tile) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int a = thread / 2;
  bool any = false;
  if (!isnan(tile.factor[a])) {
    for (int k = 0; k < kTile / 2; ++k) {
      const int b = kTile + thread % 2 * (kTile / 2) + k;
      any = any || (!isnan(tile.factor[b]) && allows(scope, tile, a, b));
    }
  }
  return __syncthreads_or(any ? 1 : 0) != 0;
}

// Turns products into similarities: -infinity where the two may not pair, NaN where one takes no
// part. Neither is greater than anything.
__device__ void makeSimilarities(const DeviceScope& scope, const TileRows& tile, TilePlace place,
                                 Products& products) {
  const auto lane = static_cast<int>(laneOf());
#pragma unroll
  for (int i = 0; i < kRowBlocks; ++i) {
#pragma unroll
    for (int j = 0; j < kColumnBlocks; ++j) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int a = warpRow() + 16 * i + lane / 4 + 8 * (k / 2);
        const int b = warpColumn() + 8 * j + lane % 4 * 2 + k % 2;
        const float factor = tile.factor[a] * tile.factor[kTile + b];
        const bool same = place.row + a == place.column + b;
        float& product = products.of[i][j][k];
        const bool pair = !same && allows(scope, tile, a, kTile + b);
        product = pair ? product * factor : -INFINITY;
      }
    }
  }
}

// Holds a running best. Rows are offered in ascending order, so a tie keeps the lowest.
struct Running {
  float similarity = -INFINITY;
  int row = 0;

  __device__ void offer(float other, int otherRow) {
    if (other > similarity) {
      similarity = other;
      row = otherRow;
    }
  }
  __device__ MatchKey key() const { return similarity > -INFINITY ? matchKey(similarity, row) : 0; }
};

__device__ MatchKey largestAcross(MatchKey key, int from, int to) {
  for (int distance = from; distance < to; distance *= 2) {
    const MatchKey other = __shfl_xor_sync(kAllLanes, key, distance);
    key = other > key ? other : key;
  }
  return key;
}

__device__ void reduceRows(const Products& products, TilePlace place, TileRows& tile) {
  const auto lane = static_cast<int>(laneOf());
#pragma unroll
  for (int i = 0; i < kRowBlocks; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Running running;
#pragma unroll
      for (int j = 0; j < kColumnBlocks; ++j) {
        const int column = place.column + warpColumn() + 8 * j + lane % 4 * 2;
        running.offer(products.of[i][j][2 * half], column);
        running.offer(products.of[i][j][2 * half + 1], column + 1);
      }
      const MatchKey key = largestAcross(running.key(), 1, 4);  // four lanes share a row
      const int a = warpRow() + 16 * i + 8 * half + lane / 4;
      if (lane % 4 == 0) atomicMax(&tile.best[a], key);
    }
  }
}

__device__ void reduceColumns(const Products& products, TilePlace place, TileRows& tile) {
  const auto lane = static_cast<int>(laneOf());
#pragma unroll
  for (int j = 0; j < kColumnBlocks; ++j) {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      Running running;
#pragma unroll
      for (int i = 0; i < kRowBlocks; ++i) {
        const int row = place.row + warpRow() + 16 * i + lane / 4;
        running.offer(products.of[i][j][odd], row);
        running.offer(products.of[i][j][2 + odd], row + 8);
      }
      const MatchKey key = largestAcross(running.key(), 4, 32);  // eight lanes share a column
      const int b = kTile + warpColumn() + 8 * j + lane % 4 * 2 + odd;
      if (lane / 4 == 0) atomicMax(&tile.best[b], key);
    }
  }
}

// Runs a block for each tile of the upper triangle, for both its rows and its columns.
template <Element kElement>
__global__ __launch_bounds__(kTileThreads) void matchTiles(MergeSizes sizes, DeviceRows rows,
                                                           const double* inverse, DeviceScope scope,
                                                           bool pieces, MatchKey* best) {
  __shared__ TileShared<kElement> shared;
  static_assert(sizeof shared <= kSharedBytes);
  const auto image = static_cast<int>(blockIdx.y);
  const TilePlace place = tileAt(blockIdx.x);
  const int count = imageRows(sizes, rows, image);
  if (place.column >= count) return;

  const auto at = static_cast<int>(threadIdx.x);
  const int row = at < kTile ? place.row + at : place.column + at - kTile;
  describeRow(sizes, scope, inverse, image, row, count, shared.rows);
  __syncthreads();
  if (scope.restricted() && !anyAllowed(scope, shared.rows)) return;

  Products products;
  const TileSource source{
      rowOf(sizes, rows, image, sizes.special), count, place.row, place.column, sizes.dim, pieces};
  multiplyTile(source, shared.rows.exponent, shared.slab, products);
  makeSimilarities(scope, shared.rows, place, products);
  reduceRows(products, place, shared.rows);
  reduceColumns(products, place, shared.rows);
  __syncthreads();
  const MatchKey key = shared.rows.best[at];
  if (key != 0) atomicMax(&best[placeOf(sizes, image, row)], key);
}

}  // namespace

cudaError_t matchCuda(const MergeSizes& sizes, const DeviceRows& rows, const double* inverse,
                      const DeviceScope& scope, MatchKey* best, cudaStream_t stream) {
  const auto most = static_cast<std::size_t>(sizes.mostRows);
  const std::size_t bytes = static_cast<std::size_t>(sizes.batch) * most * sizeof(MatchKey);
  const cudaError_t error = cudaMemsetAsync(best, 0, bytes, stream);
  if (error != cudaSuccess) return error;
  const unsigned tiles = blocksFor(most, kTile);
  const dim3 grid(static_cast<unsigned>(std::size_t{tiles} * (tiles + 1) / 2),
                  static_cast<unsigned>(sizes.batch));
  const auto kernel = sizes.element == Element::float32 ? matchTiles<Element::float32>
                                                        : matchTiles<Element::bfloat16>;
  return launch(kernel, grid, kTileThreads, stream, sizes, rows, inverse, scope, inPieces(sizes),
                best);
}

}  // namespace mpm::merge
