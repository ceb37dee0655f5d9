// SPDX-License-Identifier: Apache-2.0
#include "merge/rows_cuda.h"
#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

constexpr unsigned kScanThreads = 1024;

// Sums over a block of kScanThreads threads: those of lower threads, and those of all.
struct Scanned {
  int before = 0;
  int all = 0;
};

// Scans `mine` over the block; every thread must call it. `warpSums` is shared memory, free again
// after the block's next barrier.
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

__device__ int partnerOf(const MatchKey* best, int row) {
  const int other = matchedRow(best[row]);
  return other >= 0 && matchedRow(best[other]) == row ? other : kAlone;
}

// Numbers an image's clusters from left to right, one block per image, kScanThreads rows at a time.
// A cluster's lowest row is in the same batch of rows as the other one, or in an earlier batch.
__global__ void pairRows(MergeSizes sizes, DeviceRows rows, const MatchKey* best,
                         std::int32_t* clusterOf, Cluster* clusters, std::int32_t* count) {
  __shared__ int warpSums[kScanThreads / kWarp];
  const auto image = static_cast<int>(blockIdx.x);
  const int imageCount = imageRows(sizes, rows, image);
  best += placeOf(sizes, image, 0);
  clusterOf += placeOf(sizes, image, 0);
  clusters += placeOf(sizes, image, 0);
  int found = 0;
  for (int begin = 0; begin < imageCount; begin += static_cast<int>(kScanThreads)) {
    const int row = begin + static_cast<int>(threadIdx.x);
    const bool exists = row < imageCount;
    const int partner = exists ? partnerOf(best, row) : kAlone;
    const bool leads = exists && (partner == kAlone || row < partner);
    const Scanned leaders = scanBlock(leads ? 1 : 0, warpSums);
    if (leads) {
      const int cluster = found + leaders.before;
      clusters[cluster] = Cluster{row, partner};
      clusterOf[row] = cluster;
    }
    __syncthreads();  // the numbers of leaders are there
    if (exists && !leads) clusterOf[row] = clusterOf[partner];
    found += leaders.all;
  }
  const int special = rows.count[image] < sizes.special ? rows.count[image] : sizes.special;
  if (threadIdx.x == 0) count[image] = special + found;
}

__device__ int between(int low, int value, int high) {
  return value < low ? low : value > high ? high : value;
}

__global__ void layOutImages(MergeCuda call) {
  __shared__ int warpSums[kScanThreads / kWarp];
  int done = 0;
  for (int begin = 0; begin < call.sizes.batch; begin += static_cast<int>(kScanThreads)) {
    const int image = begin + static_cast<int>(threadIdx.x);
    const bool exists = image < call.sizes.batch;
    const int count = exists ? call.mergedCount[image] : 0;
    const Scanned rows = scanBlock(count, warpSums);
    if (exists) {
      const int wanted = call.packed ? done + rows.before : call.tokens.first[image];
      const int first = between(0, wanted, call.capacity);
      call.mergedFirst[image] = first;
      call.mergedCount[image] = between(0, count, call.capacity - first);
    }
    done += rows.all;
    __syncthreads();  // warpSums is free again
  }
  if (threadIdx.x == 0) call.mergedFirst[call.sizes.batch] = done;
}

}  // namespace

cudaError_t pairCuda(const MergeSizes& sizes, const DeviceRows& rows, const MatchKey* best,
                     std::int32_t* clusterOf, Cluster* clusters, std::int32_t* count,
                     cudaStream_t stream) {
  return launch(pairRows, dim3(static_cast<unsigned>(sizes.batch)), kScanThreads, stream, sizes,
                rows, best, clusterOf, clusters, count);
}

cudaError_t layOutCuda(const MergeCuda& call, cudaStream_t stream) {
  return launch(layOutImages, dim3(1), kScanThreads, stream, call);
}

}  // namespace mpm::merge
