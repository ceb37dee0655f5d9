// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "merge/merge_cuda.h"
#include "merge/steps.h"

/// The steps of a merge on a GPU, in order. Arrays "of rows" are [batch x mostRows]: image by
/// image, from the first image row on. Entries after an image's rows are not read.
namespace mpm::merge {

/// A similarity and its row in one number. The larger key is the better match; of equal
/// similarities that is the lower row. 0 means no match. A maximum does not depend on the order.
using MatchKey = unsigned long long;

/// Makes the key of a match, with -0 taken as 0.
__host__ __device__ inline MatchKey matchKey(float similarity, int row) {
  const float plain = similarity + 0.0F;
  std::uint32_t bits = 0;
  static_assert(sizeof bits == sizeof plain);
  memcpy(&bits, &plain, sizeof bits);
  bits ^= (bits >> 31) != 0 ? 0xFFFFFFFFU : 0x80000000U;  // ordered as the floats are
  return MatchKey{bits} << 32 | static_cast<std::uint32_t>(~row);
}

/// Returns the row of a key; for key 0 it is -1, which is kNoMatch of merge/match.h.
__host__ __device__ inline int matchedRow(MatchKey key) {
  return key == 0 ? -1 : static_cast<int>(~static_cast<std::uint32_t>(key));
}

/// Says which pairs may form; see MergeCuda.
struct DeviceScope {
  int window = 0;
  int gridWidth = 0;
  const std::int32_t* regions = nullptr;
  int regionStride = 0;
  /// Lowest member of each row. A row without an original token here matches nothing.
  const std::int32_t* lowest = nullptr;

  __host__ __device__ bool restricted() const { return window > 0 || regions != nullptr; }
};

/// Writes the result of inverseNormReference for each row, of bfloat16 rows too.
cudaError_t normaliseCuda(const MergeSizes& sizes, const DeviceRows& rows, double* inverse,
                          cudaStream_t stream);

/// Writes the first original token that `map` takes to each row, or more than any token if none. A
/// null `map` makes each token its own row.
cudaError_t lowestMembersCuda(const MergeSizes& sizes, const DeviceRows& rows,
                              const std::int32_t* map, std::int32_t* lowest, cudaStream_t stream);

/// Writes each row's best match, as matchReference chooses it. A similarity is within 1e-6 of the
/// exact one, and is the same for equal rows wherever they are.
cudaError_t matchCuda(const MergeSizes& sizes, const DeviceRows& rows, const double* inverse,
                      const DeviceScope& scope, MatchKey* best, cudaStream_t stream);

/// Does the work of pairMutual and compact. clusterOf has an entry per row. The clusters of image b
/// begin at b * mostRows. count[b] counts special rows and clusters.
cudaError_t pairCuda(const MergeSizes& sizes, const DeviceRows& rows, const MatchKey* best,
                     std::int32_t* clusterOf, Cluster* clusters, std::int32_t* count,
                     cudaStream_t stream);

/// Writes mergedFirst, and cuts mergedCount to what fits; see MergeCuda.
cudaError_t layOutCuda(const MergeCuda& call, cudaStream_t stream);

/// Writes all rows of merged: means as averageReference computes them, special rows, and zeros.
cudaError_t averageCuda(const MergeCuda& call, const Cluster* clusters, cudaStream_t stream);

/// Sets mergedMap[i] = clusterOf[map[i]]. An entry outside the rows stays unchanged.
cudaError_t composeMapCuda(const MergeCuda& call, const std::int32_t* clusterOf,
                           cudaStream_t stream);

}  // namespace mpm::merge
