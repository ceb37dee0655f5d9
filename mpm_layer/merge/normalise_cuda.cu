// SPDX-License-Identifier: Apache-2.0
#include "merge/rows_cuda.h"
#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

constexpr unsigned kRowsOfBlock = 8;  // a warp each

// Squares in double, where those of float32 neither overflow nor vanish.
__device__ double squareOf(float x) { return static_cast<double>(x) * static_cast<double>(x); }

template <Element kElement>
__device__ double sumOfSquares(const void* row, int dim) {
  double sum = 0;
  for (auto k = static_cast<int>(laneOf()); k < dim; k += static_cast<int>(kWarp)) {
    if constexpr (kElement == Element::float32) {
      sum += squareOf(static_cast<const float*>(row)[k]);
    } else {
      sum += squareOf(lowerBf16(static_cast<const std::uint16_t*>(row)[k]));
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  return sum;
}

template <Element kElement>
__global__ void inverseNorms(MergeSizes sizes, DeviceRows rows, double* inverse) {
  const auto image = static_cast<int>(blockIdx.y);
  const auto row = static_cast<int>(blockIdx.x * kRowsOfBlock + threadIdx.x / kWarp);
  if (row >= imageRows(sizes, rows, image)) return;
  const double sum =
      sumOfSquares<kElement>(rowOf(sizes, rows, image, sizes.special + row), sizes.dim);
  if (laneOf() != 0) return;
  // A NaN or an infinity in the row makes the sum NaN or infinite; either gives NaN here.
  const double finite = sum - sum == 0 ? 1 / sqrt(sum) : sum - sum;
  inverse[placeOf(sizes, image, row)] = sum == 0 ? 0 : finite;
}

}  // namespace

cudaError_t normaliseCuda(const MergeSizes& sizes, const DeviceRows& rows, double* inverse,
                          cudaStream_t stream) {
  const dim3 grid(blocksFor(static_cast<std::size_t>(sizes.mostRows), kRowsOfBlock),
                  static_cast<unsigned>(sizes.batch));
  const auto kernel = sizes.element == Element::float32 ? inverseNorms<Element::float32>
                                                        : inverseNorms<Element::bfloat16>;
  return launch(kernel, grid, kRowsOfBlock * kWarp, stream, sizes, rows, inverse);
}

}  // namespace mpm::merge
