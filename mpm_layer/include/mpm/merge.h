// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpm/export.h"
#include "mpm/rows.h"

/// Mutual Pair Merging on plain rows of floats: no OpenCV, no allocation after warm-up.
namespace mpm {

/// Restricts which pairs may form. By default any two image tokens may, as in the paper.
struct MergeOptions {
  /// Pairs form only within this many patches of each other, in both directions of the grid
  /// (Chebyshev distance). 0: no limit. A merged token is where its lowest member is.
  int window = 0;
  /// Grid of original image tokens, row by row; needed only with `window`.
  int gridHeight = 0;
  int gridWidth = 0;
  /// Labels, one for each original token: pairs form only between tokens of the same label. Null:
  /// no labels. A merged token has the label of its lowest member.
  const std::int32_t* regions = nullptr;
};

/// Merges mutual nearest neighbours, one image at a time. Holds only scratch memory: a result
/// depends on the call's arguments alone, not on the number of threads. One object serves one
/// thread at a time.
class MPM_API PairMerger {
 public:
  PairMerger();
  ~PairMerger();
  PairMerger(PairMerger&&) noexcept;
  PairMerger& operator=(PairMerger&&) noexcept;

  /// Averages every pair of rows of `tokens` in which each is the other's most similar row.
  ///
  /// `tokens`: the live image rows (N x D), without prefix tokens.
  /// `map`: for each of `originals` original tokens its row, in `tokens` on entry and in `merged`
  ///   on return. Before the first merge it is the identity (see `identityMap`).
  /// `merged`: room for N rows; the first N' are written, in the order of each cluster's
  ///   lowest member. It may not overlap `tokens`.
  /// `similarity`: null, or room for `originals` values, one for each original token: the cosine
  ///   similarity of its row in `tokens` to the most similar row that it may pair with, whether
  ///   they pair or not; NaN if there is none. Matching compares these values. They are accurate to
  ///   2.5e-6, so they may exceed 1 by that much. They are accurate to 5e-7 if features have both
  ///   signs and none outweighs the others.
  /// Returns N': ceil(N/2) <= N' <= N, and N' < N if at least two rows are finite and not zero.
  ///
  /// Ties go to the lowest index. A zero row has similarity 0 to every row. A row with a NaN or an
  /// infinity never pairs. Throws std::invalid_argument on arguments that do not fit.
  std::size_t merge(ConstRows tokens, const MergeOptions& options, std::int32_t* map,
                    std::size_t originals, Rows merged, float* similarity = nullptr);

  /// Returns the bytes of scratch memory that it holds.
  std::size_t scratchBytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Sets map[i] = i.
MPM_API void identityMap(std::int32_t* map, std::size_t originals);

/// Sets full.row(i) = live.row(map[i]) for each of the full.count original tokens. Throws
/// std::invalid_argument on a map that points outside `live`.
MPM_API void restore(ConstRows live, const std::int32_t* map, Rows full);

/// Sets sizes[r] to the number of original tokens that live row r stands for. Throws
/// std::invalid_argument on a map that points outside the live rows.
MPM_API void multiplicities(const std::int32_t* map, std::size_t originals, std::int32_t* sizes,
                            std::size_t liveRows);

}  // namespace mpm
