// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "merge/merge_cuda.h"
#include "merge/steps.h"

/// The steps of a merge on a GPU, in their order. Arrays "of rows" are [batch x mostRows]: image by
/// image, from the first image row on. Places behind an image's rows are not read.
namespace mpm::merge {

/// A similarity and its row in one number: the larger is the better match, equal similarities of
/// the lower row. 0: no match. The largest of some, taken in whatever order, is the same.
using MatchKey = unsigned long long;

/// -0 is 0 here.
__host__ __device__ inline MatchKey matchKey(float similarity, int row) {
  const float plain = similarity + 0.0F;
  std::uint32_t bits = 0;
  static_assert(sizeof bits == sizeof plain);
  memcpy(&bits, &plain, sizeof bits);
  bits ^= (bits >> 31) != 0 ? 0xFFFFFFFFU : 0x80000000U;  // ordered as the floats are
  return MatchKey{bits} << 32 | static_cast<std::uint32_t>(~row);
}

/// kNoMatch of merge/match.h, which is -1, for key 0.
__host__ __device__ inline int matchedRow(MatchKey key) {
  return key == 0 ? -1 : static_cast<int>(~static_cast<std::uint32_t>(key));
}

/// Which pairs may form; see MergeCuda.
struct DeviceScope {
  int window = 0;
  int gridWidth = 0;
  const std::int32_t* regions = nullptr;
  int regionStride = 0;
  /// Of rows: each one's lowest member. One that is no original token: the row matches nothing.
  const std::int32_t* lowest = nullptr;

  __host__ __device__ bool restricted() const { return window > 0 || regions != nullptr; }
};

/// inverse, of rows: what inverseNormReference says. Of bfloat16 rows as well.
cudaError_t normaliseCuda(const MergeSizes& sizes, const DeviceRows& rows, double* inverse,
                          cudaStream_t stream);

/// lowest, of rows: the first original token that `map` (null: each token is its own row) takes to
/// each row; more than any token where there is none.
cudaError_t lowestMembersCuda(const MergeSizes& sizes, const DeviceRows& rows,
                              const std::int32_t* map, std::int32_t* lowest, cudaStream_t stream);

/// best, of rows: each one's best match, as matchReference has it; a similarity is within 1e-6 of
/// the exact one, and is the same for equal rows wherever they stand.
cudaError_t matchCuda(const MergeSizes& sizes, const DeviceRows& rows, const double* inverse,
                      const DeviceScope& scope, MatchKey* best, cudaStream_t stream);

/// What pairMutual and compact say. clusterOf, of rows; clusters: those of image b from
/// b * mostRows on; count[b]: special rows and clusters.
cudaError_t pairCuda(const MergeSizes& sizes, const DeviceRows& rows, const MatchKey* best,
                     std::int32_t* clusterOf, Cluster* clusters, std::int32_t* count,
                     cudaStream_t stream);

/// mergedFirst, and mergedCount cut to what fits; see MergeCuda.
cudaError_t layOutCuda(const MergeCuda& call, cudaStream_t stream);

/// All rows of merged: what averageReference says, copies of special rows, and zeros.
cudaError_t averageCuda(const MergeCuda& call, const Cluster* clusters, cudaStream_t stream);

/// mergedMap[i] = clusterOf[map[i]]. An entry that points at no row stays as it is.
cudaError_t composeMapCuda(const MergeCuda& call, const std::int32_t* clusterOf,
                           cudaStream_t stream);

}  // namespace mpm::merge
