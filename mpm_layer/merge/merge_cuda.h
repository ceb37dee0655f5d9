// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Mutual Pair Merging on a GPU: a ragged batch in one launch of each step, on the caller's stream.
/// Nothing here waits for the device or allocates on it, and no size that depends on the picture
/// comes to the host. Every pointer is to device memory unless it says otherwise.
///
/// A map's entries count an image's rows from the first one behind the special ones. The device
/// refuses nothing: an entry that points at no row stays as it is, counts for nothing, and restores
/// to zeros.
namespace mpm::merge {

enum class Element { float32, bfloat16 };

/// The rows of a batch. Image b has count[b] rows, special ones in front; they are the rows
/// first[b], first[b] + 1, ... of `data`, each of `dim` elements without a gap. `data` begins on a
/// boundary of 16 bytes. Images lie in their order and do not overlap.
struct DeviceRows {
  const void* data = nullptr;
  const std::int32_t* first = nullptr;  ///< [batch]
  const std::int32_t* count = nullptr;  ///< [batch]
};

/// Sizes that the host knows, whatever the picture.
struct MergeSizes {
  int batch = 0;
  int special = 0;    ///< rows in front of each image, which are copied
  int mostRows = 0;   ///< no image has more rows, special ones included
  int originals = 0;  ///< image tokens before the first merge: the map's
  int dim = 0;
  Element element = Element::float32;
};

struct MergeCuda {
  MergeSizes sizes;
  DeviceRows tokens;
  const std::int32_t* map = nullptr;  ///< [batch x originals], or null: nothing was merged yet

  int window = 0;                         ///< as in MergeOptions; 0: no limit
  int gridWidth = 0;                      ///< of the original image tokens, with a window
  const std::int32_t* regions = nullptr;  ///< [originals] of each image, or null
  int regionStride = 0;                   ///< originals; 0: one list for all images

  /// Room for `capacity` rows. With `packed`, image b + 1 begins where image b ends, and what does
  /// not fit is left out, which mergedFirst[batch] > capacity tells: the other mergedFirst and
  /// mergedCount name rows within `capacity` all the same, and the map is what it would be.
  /// Without, each image begins where it began in `tokens`. Rows of `merged` that are not live are
  /// zeros. Overlaps nothing.
  void* merged = nullptr;
  int capacity = 0;
  bool packed = false;
  std::int32_t* mergedFirst = nullptr;  ///< [batch + 1]; the last: rows of all images
  std::int32_t* mergedCount = nullptr;  ///< [batch]
  std::int32_t* mergedMap = nullptr;    ///< [batch x originals]; may be `map`
};

/// Bytes of scratch memory that a call needs: some tens for each row, never rows by rows.
std::size_t mergeCudaScratch(const MergeSizes& sizes);

/// Mutual nearest neighbours of each image become their mean, as PairMerger::merge has it: ties
/// take the lowest row, a zero row has similarity 0, a row that is not finite pairs with none.
/// Special rows are copied. Products are made of three TF32 products each where elements are
/// float32, of one where they are bfloat16; sums are float32. The same input gives the same output,
/// to the bit. `scratch` begins on a boundary of 16 bytes. cudaErrorInvalidValue for sizes that
/// do not fit.
cudaError_t mergeCuda(const MergeCuda& call, void* scratch, cudaStream_t stream);

/// full: [batch x (special + originals)] rows without gaps; each original token has its live row's
/// values, special rows are copied. `map` may be null: nothing was merged yet.
cudaError_t restoreCuda(const MergeSizes& sizes, const DeviceRows& live, const std::int32_t* map,
                        void* full, cudaStream_t stream);

/// sizes[r] = how many original tokens stand behind row r of `live`'s data; 1 for special rows, and
/// 0 for rows of no image. `counts` has `capacity` places.
cudaError_t multiplicitiesCuda(const MergeSizes& sizes, const DeviceRows& live,
                               const std::int32_t* map, std::int32_t* counts, int capacity,
                               cudaStream_t stream);

}  // namespace mpm::merge
