// SPDX-License-Identifier: Apache-2.0
#include "merge/rows_cuda.h"
#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

constexpr unsigned kRowsOfBlock = 8;  // a warp each

// Adds half to half: nothing overflows, and only a float32's last bit can be lost. Rows that are
// not finite pair with none, so both are numbers.
template <Element kElement>
__device__ std::uint32_t meanOf(std::uint32_t a, std::uint32_t b);

__device__ float meanOf(float a, float b) { return fmaf(0.5F, b, 0.5F * a); }

template <>
__device__ std::uint32_t meanOf<Element::float32>(std::uint32_t a, std::uint32_t b) {
  return __float_as_uint(meanOf(__uint_as_float(a), __uint_as_float(b)));
}

// Rounds the upper half to nearest, ties to even. The mean in float32 is rounded too where the two
// are far apart, but never onto a tie. Where they are close enough to make a tie, 8 bits of each
// fit its 24.
__device__ std::uint32_t roundedToBf16(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  return (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
}

template <>
__device__ std::uint32_t meanOf<Element::bfloat16>(std::uint32_t a, std::uint32_t b) {
  return roundedToBf16(meanOf(lowerBf16(a), lowerBf16(b))) |
         roundedToBf16(meanOf(upperBf16(a), upperBf16(b))) << 16;
}

template <Element kElement>
__device__ uint4 meanOf(uint4 a, uint4 b) {
  return make_uint4(meanOf<kElement>(a.x, b.x), meanOf<kElement>(a.y, b.y),
                    meanOf<kElement>(a.z, b.z), meanOf<kElement>(a.w, b.w));
}

template <Element kElement>
__device__ std::uint16_t meanOf(std::uint16_t a, std::uint16_t b) {
  const auto word = meanOf<kElement>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  return static_cast<std::uint16_t>(word);
}

// Returns the last image that begins at `row` of merged or before it, or -1. An image that begins
// where the next one does has no rows.
__device__ int imageOf(const MergeCuda& call, int row) {
  int low = -1, high = call.sizes.batch;  // low begins in time, high does not
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (call.mergedFirst[middle] <= row ? low : high) = middle;
  }
  return low;
}

// Runs a warp for each row of merged, live or not.
template <Element kElement, class Piece>
__global__ void averageRows(MergeCuda call, const Cluster* clusters) {
  const std::size_t at = std::size_t{blockIdx.x} * kRowsOfBlock + threadIdx.x / kWarp;
  if (at >= static_cast<std::size_t>(call.capacity)) return;
  const std::size_t bytes = rowBytes(call.sizes);
  char* to = static_cast<char*>(call.merged) + at * bytes;
  const int image = imageOf(call, static_cast<int>(at));
  const int row = image < 0 ? 0 : static_cast<int>(at) - call.mergedFirst[image];
  if (image < 0 || row >= call.mergedCount[image]) {
    clearRow<Piece>(to, bytes);
    return;
  }
  const int special = call.sizes.special;
  Cluster cluster{row - special, kAlone};
  if (row >= special) cluster = clusters[placeOf(call.sizes, image, row - special)];
  const char* first = rowOf(call.sizes, call.tokens, image, special + cluster.first);
  if (cluster.second == kAlone) {
    copyRow<Piece>(first, to, bytes);
    return;
  }
  const char* second = rowOf(call.sizes, call.tokens, image, special + cluster.second);
  const auto* a = reinterpret_cast<const Piece*>(first);
  const auto* b = reinterpret_cast<const Piece*>(second);
  writeRow<Piece>(to, bytes, [=](std::size_t k) { return meanOf<kElement>(a[k], b[k]); });
}

template <Element kElement, class Single>
auto kernelFor(bool pieces) {
  return pieces ? averageRows<kElement, uint4> : averageRows<kElement, Single>;
}

}  // namespace

cudaError_t averageCuda(const MergeCuda& call, const Cluster* clusters, cudaStream_t stream) {
  const bool pieces =
      inPieces(call.sizes) && reinterpret_cast<std::uintptr_t>(call.merged) % 16 == 0;
  const auto kernel = call.sizes.element == Element::float32
                          ? kernelFor<Element::float32, std::uint32_t>(pieces)
                          : kernelFor<Element::bfloat16, std::uint16_t>(pieces);
  const dim3 grid(blocksFor(static_cast<std::size_t>(call.capacity), kRowsOfBlock));
  return launch(kernel, grid, kRowsOfBlock * kWarp, stream, call, clusters);
}

}  // namespace mpm::merge
