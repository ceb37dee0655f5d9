// SPDX-License-Identifier: Apache-2.0
#include "merge/rows_cuda.h"
#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

constexpr unsigned kThreads = 256;

// Describes one thread's original token: its image and its entry of the map.
struct Entry {
  int image = 0;
  int token = 0;
  std::size_t at = 0;  ///< in the map
  int row = -1;        ///< among the image rows
  bool exists = false;
  bool pointsAtRow = false;
};

__device__ Entry entryOfThread(const MergeSizes& sizes, const DeviceRows& rows,
                               const std::int32_t* map) {
  Entry entry;
  entry.image = static_cast<int>(blockIdx.y);
  entry.token = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  entry.exists = entry.token < sizes.originals;
  if (!entry.exists) return entry;
  entry.at = static_cast<std::size_t>(entry.image) * static_cast<std::size_t>(sizes.originals) +
             static_cast<std::size_t>(entry.token);
  entry.row = map == nullptr ? entry.token : map[entry.at];
  entry.pointsAtRow = entry.row >= 0 && entry.row < imageRows(sizes, rows, entry.image);
  return entry;
}

dim3 gridOf(const MergeSizes& sizes) {
  return dim3(blocksFor(static_cast<std::size_t>(sizes.originals), kThreads),
              static_cast<unsigned>(sizes.batch));
}

__global__ void lowestMembers(MergeSizes sizes, DeviceRows rows, const std::int32_t* map,
                              std::int32_t* lowest) {
  const Entry entry = entryOfThread(sizes, rows, map);
  if (!entry.pointsAtRow) return;
  atomicMin(&lowest[placeOf(sizes, entry.image, entry.row)], entry.token);
}

__global__ void composeMaps(MergeSizes sizes, DeviceRows rows, const std::int32_t* map,
                            const std::int32_t* clusterOf, std::int32_t* mergedMap) {
  const Entry entry = entryOfThread(sizes, rows, map);
  if (!entry.exists) return;
  mergedMap[entry.at] =
      entry.pointsAtRow ? clusterOf[placeOf(sizes, entry.image, entry.row)] : entry.row;
}

__device__ bool hasPlace(int at, int capacity) { return at >= 0 && at < capacity; }

__global__ void countMembers(MergeSizes sizes, DeviceRows rows, const std::int32_t* map,
                             std::int32_t* counts, int capacity) {
  const Entry entry = entryOfThread(sizes, rows, map);
  if (!entry.pointsAtRow) return;
  const int at = rows.first[entry.image] + sizes.special + entry.row;
  if (hasPlace(at, capacity)) atomicAdd(&counts[at], 1);
}

__global__ void countSpecial(MergeSizes sizes, DeviceRows rows, std::int32_t* counts,
                             int capacity) {
  const auto image = static_cast<int>(blockIdx.x);
  for (auto row = static_cast<int>(threadIdx.x); row < sizes.special && row < rows.count[image];
       row += static_cast<int>(kThreads)) {
    const int at = rows.first[image] + row;
    if (hasPlace(at, capacity)) counts[at] = 1;
  }
}

}  // namespace

cudaError_t lowestMembersCuda(const MergeSizes& sizes, const DeviceRows& rows,
                              const std::int32_t* map, std::int32_t* lowest, cudaStream_t stream) {
  const std::size_t places =
      static_cast<std::size_t>(sizes.batch) * static_cast<std::size_t>(sizes.mostRows);
  // Fills with 0x7F7F7F7F, which is more than any token.
  const cudaError_t error = cudaMemsetAsync(lowest, 0x7F, places * sizeof(std::int32_t), stream);
  if (error != cudaSuccess) return error;
  return launch(lowestMembers, gridOf(sizes), kThreads, stream, sizes, rows, map, lowest);
}

cudaError_t composeMapCuda(const MergeCuda& call, const std::int32_t* clusterOf,
                           cudaStream_t stream) {
  return launch(composeMaps, gridOf(call.sizes), kThreads, stream, call.sizes, call.tokens,
                call.map, clusterOf, call.mergedMap);
}

cudaError_t multiplicitiesCuda(const MergeSizes& sizes, const DeviceRows& live,
                               const std::int32_t* map, std::int32_t* counts, int capacity,
                               cudaStream_t stream) {
  if (sizes.batch < 0 || sizes.special < 0 || sizes.originals < 0 || capacity < 0) {
    return cudaErrorInvalidValue;
  }
  cudaError_t error =
      cudaMemsetAsync(counts, 0, static_cast<std::size_t>(capacity) * sizeof(std::int32_t), stream);
  if (error != cudaSuccess) return error;
  error = launch(countMembers, gridOf(sizes), kThreads, stream, sizes, live, map, counts, capacity);
  if (error != cudaSuccess || sizes.special == 0) return error;
  return launch(countSpecial, dim3(static_cast<unsigned>(sizes.batch)), kThreads, stream, sizes,
                live, counts, capacity);
}

}  // namespace mpm::merge
