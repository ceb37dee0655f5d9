// SPDX-License-Identifier: Apache-2.0
#include "merge/merge_cuda.h"

#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

/// Arrays that a merge computes on its way; see steps_cuda.h.
struct Scratch {
  double* inverse = nullptr;
  MatchKey* best = nullptr;
  Cluster* clusters = nullptr;
  std::int32_t* clusterOf = nullptr;
  std::int32_t* lowest = nullptr;
};

// Lays the arrays out from `memory` on, wider elements first. Returns their size in bytes.
std::size_t layOutScratch(const MergeSizes& sizes, char* memory, Scratch& scratch) {
  const std::size_t rows =
      static_cast<std::size_t>(sizes.batch) * static_cast<std::size_t>(sizes.mostRows);
  std::size_t used = 0;
  const auto place = [&](auto*& array) {
    if (memory != nullptr) array = reinterpret_cast<decltype(+array)>(memory + used);
    used += rows * sizeof *array;
  };
  place(scratch.inverse);
  place(scratch.best);
  place(scratch.clusters);
  place(scratch.clusterOf);
  place(scratch.lowest);
  return used;
}

bool fits(const MergeCuda& call, const void* scratch) {
  const MergeSizes& sizes = call.sizes;
  const bool counts = sizes.batch >= 0 && sizes.special >= 0 && sizes.mostRows >= 0 &&
                      sizes.originals >= 0 && sizes.dim > 0 && call.capacity >= 0;
  const bool scope = call.window >= 0 && (call.window == 0 || call.gridWidth > 0) &&
                     (call.regionStride == 0 || call.regionStride == sizes.originals);
  const bool memory = reinterpret_cast<std::uintptr_t>(scratch) % 16 == 0 &&
                      reinterpret_cast<std::uintptr_t>(call.tokens.data) % 16 == 0;
  return counts && scope && memory;
}

cudaError_t runSteps(const MergeCuda& call, const Scratch& scratch, cudaStream_t stream) {
  const MergeSizes& sizes = call.sizes;
  const DeviceScope scope{call.window, call.gridWidth, call.regions, call.regionStride,
                          scratch.lowest};
  cudaError_t error = normaliseCuda(sizes, call.tokens, scratch.inverse, stream);
  if (error == cudaSuccess && scope.restricted()) {
    error = lowestMembersCuda(sizes, call.tokens, call.map, scratch.lowest, stream);
  }
  if (error == cudaSuccess) {
    error = matchCuda(sizes, call.tokens, scratch.inverse, scope, scratch.best, stream);
  }
  if (error == cudaSuccess) {
    error = pairCuda(sizes, call.tokens, scratch.best, scratch.clusterOf, scratch.clusters,
                     call.mergedCount, stream);
  }
  if (error == cudaSuccess) error = layOutCuda(call, stream);
  if (error == cudaSuccess) error = averageCuda(call, scratch.clusters, stream);
  if (error == cudaSuccess) error = composeMapCuda(call, scratch.clusterOf, stream);
  return error;
}

}  // namespace

std::size_t mergeCudaScratch(const MergeSizes& sizes) {
  Scratch nowhere;
  return layOutScratch(sizes, nullptr, nowhere);
}

cudaError_t mergeCuda(const MergeCuda& call, void* scratch, cudaStream_t stream) {
  if (!fits(call, scratch)) return cudaErrorInvalidValue;
  Scratch arrays;
  layOutScratch(call.sizes, static_cast<char*>(scratch), arrays);
  return runSteps(call, arrays, stream);
}

}  // namespace mpm::merge
