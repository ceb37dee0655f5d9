// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "merge/launch_cuda.h"

namespace mpm::merge {

constexpr unsigned kScanThreads = 1024;

/// Of a block of kScanThreads threads: what each one's lower threads bring, and what all bring.
struct Scanned {
  int before = 0;
  int all = 0;
};

/// Every thread of the block calls it. `warpSums` is shared memory, which is free again behind the
/// block's next barrier.
__device__ inline Scanned scanBlock(int mine, int (&warpSums)[kScanThreads / kWarp]) {
  const unsigned lane = threadIdx.x % kWarp;
  int sum = mine;  // of the lanes up to this one
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const int below = __shfl_up_sync(kAllLanes, sum, static_cast<int>(distance));
    if (lane >= distance) sum += below;
  }
  if (lane == kWarp - 1) warpSums[threadIdx.x / kWarp] = sum;
  __syncthreads();
  Scanned scanned{sum - mine, 0};
  for (unsigned warp = 0; warp < kScanThreads / kWarp; ++warp) {
    if (warp < threadIdx.x / kWarp) scanned.before += warpSums[warp];
    scanned.all += warpSums[warp];
  }
  return scanned;
}

}  // namespace mpm::merge
