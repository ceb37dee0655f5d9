// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Mutual Pair Merging on a GPU: each step is one launch for a ragged batch, on the caller's
/// stream. Nothing here waits for the device or allocates on it. No size that depends on the
/// picture comes to the host. Every pointer is to device memory unless it says otherwise.
///
/// A map's entries count an image's rows from the first one after the special ones. The device
/// rejects nothing: an entry outside the rows stays unchanged, counts for nothing and restores to
/// zeros.
namespace mpm::merge {

enum class Element { float32, bfloat16 };

/// The rows of a batch. Image b has count[b] rows, special ones first, from first[b] on in `data`.
/// A row has `dim` elements and rows have no gaps. `data` is aligned to 16 bytes. Images are in
/// order and do not overlap.
struct DeviceRows {
  const void* data = nullptr;
  const std::int32_t* first = nullptr;  ///< [batch]
  const std::int32_t* count = nullptr;  ///< [batch]
};

/// Sizes that the host knows and that do not depend on the picture.
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

  /// Room for `capacity` rows; it overlaps nothing. Rows that are not live become zeros. With
  /// `packed`, image b + 1 begins where image b ends, otherwise each begins where it did in
  /// `tokens`. If packed rows do not fit, mergedFirst[batch] > capacity and the rest is left out.
  /// The other entries of mergedFirst and mergedCount stay within `capacity`; the map is
  /// unaffected.
  void* merged = nullptr;
  int capacity = 0;
  bool packed = false;
  std::int32_t* mergedFirst = nullptr;  ///< [batch + 1]; the last: rows of all images
  std::int32_t* mergedCount = nullptr;  ///< [batch]
  std::int32_t* mergedMap = nullptr;    ///< [batch x originals]; may be `map`
};

/// Returns the bytes of scratch memory for a call: some tens per row, never rows by rows.
std::size_t mergeCudaScratch(const MergeSizes& sizes);

/// Replaces mutual nearest neighbours of each image by their mean, as PairMerger::merge does. Ties
/// take the lowest row; a zero row has similarity 0; a row that is not finite never pairs. Special
/// rows are copied. A float32 product takes three TF32 products, a bfloat16 one takes one; sums are
/// float32. The same input gives the same output to the bit. `scratch` is aligned to 16 bytes.
/// Returns cudaErrorInvalidValue for sizes that do not fit.
cudaError_t mergeCuda(const MergeCuda& call, void* scratch, cudaStream_t stream);

/// Writes [batch x (special + originals)] rows without gaps to `full`. Original tokens get their
/// live row's values; special rows are copied. A null `map` means that nothing was merged yet.
cudaError_t restoreCuda(const MergeSizes& sizes, const DeviceRows& live, const std::int32_t* map,
                        void* full, cudaStream_t stream);

/// Counts the original tokens of each row of `live`: 1 for special rows, 0 for rows of no image.
/// `counts` has `capacity` entries.
cudaError_t multiplicitiesCuda(const MergeSizes& sizes, const DeviceRows& live,
                               const std::int32_t* map, std::int32_t* counts, int capacity,
                               cudaStream_t stream);

}  // namespace mpm::merge
