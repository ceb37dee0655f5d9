// SPDX-License-Identifier: Apache-2.0
#include "merge/rows_cuda.h"

namespace mpm::merge {
namespace {

constexpr unsigned kRowsOfBlock = 8;  // a warp each

// Returns the live row of an image's full row `at`, special rows counted in both; -1 if none.
__device__ int liveRow(const MergeSizes& sizes, const DeviceRows& live, const std::int32_t* map,
                       int image, int at) {
  int row = at;
  if (at >= sizes.special && map != nullptr) {
    const int token = at - sizes.special;
    const std::size_t first =
        static_cast<std::size_t>(image) * static_cast<std::size_t>(sizes.originals);
    const int entry = map[first + static_cast<std::size_t>(token)];
    if (entry < 0 || entry >= live.count[image]) return -1;
    row = sizes.special + entry;
  }
  return row < live.count[image] ? row : -1;
}

template <class Piece>
__global__ void restoreRows(MergeSizes sizes, DeviceRows live, const std::int32_t* map,
                            void* full) {
  const auto image = static_cast<int>(blockIdx.y);
  const auto row = static_cast<int>(blockIdx.x * kRowsOfBlock + threadIdx.x / kWarp);
  const int rows = sizes.special + sizes.originals;
  if (row >= rows) return;
  const std::size_t bytes = rowBytes(sizes);
  const std::size_t at = static_cast<std::size_t>(image) * static_cast<std::size_t>(rows) +
                         static_cast<std::size_t>(row);
  char* to = static_cast<char*>(full) + at * bytes;
  const int from = liveRow(sizes, live, map, image, row);
  if (from < 0) {
    clearRow<Piece>(to, bytes);
  } else {
    copyRow<Piece>(rowOf(sizes, live, image, from), to, bytes);
  }
}

}  // namespace

cudaError_t restoreCuda(const MergeSizes& sizes, const DeviceRows& live, const std::int32_t* map,
                        void* full, cudaStream_t stream) {
  if (sizes.batch < 0 || sizes.special < 0 || sizes.originals < 0 || sizes.dim < 1) {
    return cudaErrorInvalidValue;
  }
  const bool pieces = inPieces(sizes) && reinterpret_cast<std::uintptr_t>(full) % 16 == 0;
  const auto single =
      sizes.element == Element::float32 ? restoreRows<std::uint32_t> : restoreRows<std::uint16_t>;
  const dim3 grid(
      blocksFor(static_cast<std::size_t>(sizes.special + sizes.originals), kRowsOfBlock),
      static_cast<unsigned>(sizes.batch));
  return launch(pieces ? restoreRows<uint4> : single, grid, kRowsOfBlock * kWarp, stream, sizes,
                live, map, full);
}

}  // namespace mpm::merge
