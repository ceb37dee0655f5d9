// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

/// Batches of images with different numbers of live rows, one image after the other in one tensor.
/// The host knows the total of rows; the device knows which images they belong to.
namespace mpm::torch_runner {

/// The map of a batch, int32 [B, N]: for each original token its live image row.
struct TokenMap {
  at::Tensor values;
  bool isIdentity = false;  ///< known to be: nothing has been merged yet
};

/// Weights of a packed batch's keys, which all blocks after a merge share (attention.h).
struct KeyWeights {
  at::Tensor map;       ///< that they are of
  at::Tensor log;       ///< float32 [capacity]
  at::Tensor features;  ///< of `log` and `scale`: [capacity, 1, 2]; undefined: not made yet
  double scale = 0;
};

/// Assigns rows to images: image b has count[b] rows from first[b] on.
struct Layout {
  std::int64_t batch = 0;
  std::int64_t most = 0;      ///< no image has more rows
  std::int64_t capacity = 0;  ///< rows there are, one at least; those of no image are undefined
  at::Tensor first;           ///< int32 [B + 1]; the last: one behind all images
  at::Tensor count;           ///< int32 [B]
  bool isPacked = true;       ///< first[b + 1] = first[b] + count[b]: what attention needs
  mutable KeyWeights keyWeights;

  /// Returns the image of each row, int64 [capacity]; batch - 1 for rows after all images. Takes
  /// only packed layouts.
  at::Tensor imageOfRow() const;
  /// Returns the index of row i of image b, from row `skip` of each image on, int64 [B, rows]. For
  /// rows that an image does not have, it is any valid index.
  at::Tensor rowsOfImages(std::int64_t skip, std::int64_t rows) const;

 private:
  mutable at::Tensor imageOfRow_;
};

using LayoutPtr = std::shared_ptr<const Layout>;

/// Rows [capacity, D] and their layout.
struct Ragged {
  at::Tensor rows;
  LayoutPtr layout;
};

/// Returns a layout in which every image has `rows` rows.
LayoutPtr fullLayout(std::int64_t batch, std::int64_t rows, const at::Device& device);

/// Returns a packed layout: `count` rows of each image, `total` in all. Fills in an undefined
/// `first`.
LayoutPtr packedLayout(const at::Tensor& count, std::int64_t total, std::int64_t most,
                       const at::Tensor& first = {});

/// Replaces each image's first `drop` rows by `front` [T, D] (undefined: T = 0). Packed.
Ragged replaceFront(const Ragged& tokens, std::int64_t drop, const at::Tensor& front);

/// Packs a padded tensor [B, most, D] as `layout` says; each image's first count[b] rows are live.
at::Tensor packRows(const at::Tensor& padded, const Layout& layout);

}  // namespace mpm::torch_runner
