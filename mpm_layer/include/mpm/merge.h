// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpm/export.h"
#include "mpm/rows.h"

/// Mutual Pair Merging on plain rows of floats: no OpenCV, no allocation after warm-up.
namespace mpm {

/// Which pairs may form. The default is that of the paper: any two image tokens.
struct MergeOptions {
  /// Pairs only within this many patches of each other, in both directions of the grid
  /// (Chebyshev distance). 0: no limit. A merged token has the place of its lowest member.
  int window = 0;
  /// The grid of original image tokens, row by row; needed only with `window`.
  int gridHeight = 0;
  int gridWidth = 0;
  /// Pairs only between tokens of the same label: one label for each original token, or null.
  /// A merged token has the label of its lowest member.
  const std::int32_t* regions = nullptr;
};

/// Merges mutual nearest neighbours, one image at a time. Holds scratch memory only: the
/// result of a call depends only on its arguments, not on the number of threads.
/// One object serves one thread at a time.
class MPM_API PairMerger {
 public:
  PairMerger();
  ~PairMerger();
  PairMerger(PairMerger&&) noexcept;
  PairMerger& operator=(PairMerger&&) noexcept;

  /// Averages every pair of rows of `tokens` in which each is the other's most similar row.
  ///
  /// `tokens`: the live image rows (N x D), without special tokens.
  /// `map`: for each of `originals` original tokens its row in `tokens` on entry, its row in
  ///   `merged` on return. Before the first merge it is the identity (see `identityMap`).
  /// `merged`: room for N rows; the first N' are written, in the order of each cluster's
  ///   lowest member. It may not overlap `tokens`.
  /// `similarity`: null, or room for `originals`: for each original token the cosine similarity
  ///   of its row in `tokens` to the most similar row that it may pair with, whether they pair or
  ///   not; NaN if there is none. It is the value that matching compared, accurate to 2.5e-6 (5e-7
  ///   where features have both signs and none outweighs the others), so it may exceed 1 by that
  ///   much.
  /// Returns N': ceil(N/2) <= N' <= N, and N' < N if at least two rows are finite and not
  ///   zero.
  ///
  /// Ties go to the lowest index; a zero row has similarity 0 to every row; a row with a NaN
  /// or an infinity never pairs. Throws std::invalid_argument on arguments that do not fit.
  std::size_t merge(ConstRows tokens, const MergeOptions& options, std::int32_t* map,
                    std::size_t originals, Rows merged, float* similarity = nullptr);

  /// Bytes of scratch memory held now.
  std::size_t scratchBytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// map[i] = i.
MPM_API void identityMap(std::int32_t* map, std::size_t originals);

/// full.row(i) = live.row(map[i]) for each of the full.count original tokens.
/// Throws std::invalid_argument on a map that points outside `live`.
MPM_API void restore(ConstRows live, const std::int32_t* map, Rows full);

/// sizes[r] = how many original tokens live row r stands for.
/// Throws std::invalid_argument on a map that points outside the live rows.
MPM_API void multiplicities(const std::int32_t* map, std::size_t originals, std::int32_t* sizes,
                            std::size_t liveRows);

}  // namespace mpm
