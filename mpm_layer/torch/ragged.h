// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

/// Batches of images with different numbers of live rows, one image behind the other in one tensor.
/// The host knows how many rows there are in all; which images they belong to, the device.
namespace mpm::torch_runner {

/// The map of a batch, int32 [B, N]: for each original token its live image row.
struct TokenMap {
  at::Tensor values;
  bool isIdentity = false;  ///< known to be: nothing has been merged yet
};

/// The weights of a packed batch's keys, which all blocks behind a merge share (attention.h).
struct KeyWeights {
  at::Tensor map;       ///< that they are of
  at::Tensor log;       ///< float32 [capacity]
  at::Tensor features;  ///< of `log` and `scale`: [capacity, 1, 2]; undefined: not made yet
  double scale = 0;
};

/// Which rows belong to which image: image b has count[b] rows, first[b] and those behind it.
struct Layout {
  std::int64_t batch = 0;
  std::int64_t most = 0;      ///< no image has more rows
  std::int64_t capacity = 0;  ///< rows there are, one at least; those of no image are undefined
  at::Tensor first;           ///< int32 [B + 1]; the last: one behind all images
  at::Tensor count;           ///< int32 [B]
  bool isPacked = true;       ///< first[b + 1] = first[b] + count[b]: what attention needs
  mutable KeyWeights keyWeights;

  /// For each row its image, int64 [capacity]; batch - 1 for rows behind all images. Packed ones
  /// alone.
  at::Tensor imageOfRow() const;
  /// Where row i of image b stands, from row `skip` of each image on, int64 [B, rows]; for rows
  /// that an image does not have, any row there is.
  at::Tensor rowsOfImages(std::int64_t skip, std::int64_t rows) const;

 private:
  mutable at::Tensor imageOfRow_;
};

using LayoutPtr = std::shared_ptr<const Layout>;

/// Rows [capacity, D] and where they belong.
struct Ragged {
  at::Tensor rows;
  LayoutPtr layout;
};

/// Every image has `rows` rows.
LayoutPtr fullLayout(std::int64_t batch, std::int64_t rows, const at::Device& device);

/// Packed: `count` rows of each image, `total` in all. `first` is made where it is undefined.
LayoutPtr packedLayout(const at::Tensor& count, std::int64_t total, std::int64_t most,
                       const at::Tensor& first = {});

/// The same images without their first `drop` rows, and with `front` [T, D] (undefined: T = 0) in
/// their place. Packed.
Ragged replaceFront(const Ragged& tokens, std::int64_t drop, const at::Tensor& front);

/// Rows of a padded tensor [B, most, D], of which each image's first count[b] live, packed as
/// `layout` says.
at::Tensor packRows(const at::Tensor& padded, const Layout& layout);

}  // namespace mpm::torch_runner
