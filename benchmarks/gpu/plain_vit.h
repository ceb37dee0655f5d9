// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.h"

namespace mpm::bench {

/// The same network as a user of PyTorch would write it: eager, all tokens, attention by
/// scaled_dot_product_attention, everything in `type`.
class PlainVit {
 public:
  PlainVit(const Model& model, at::Device device, at::ScalarType type);

  /// image [B, 3, H, W] -> scores [B, N, classes].
  at::Tensor forward(const at::Tensor& image) const;

 private:
  LayerSpec moved(const LayerSpec& spec) const;

  at::Device device_;
  at::ScalarType type_;
  Model model_;
};

/// One merge of a batch as the paper has it, eager, padded: tokens [B, N, D], of image b the first
/// lengths[b] rows live (undefined: all). Waits for the device, since the longest image says how
/// many rows are left.
struct PaperMerge {
  at::Tensor merged;   ///< [B, longest, D]
  at::Tensor lengths;  ///< [B]
  at::Tensor map;      ///< [B, N]: the cluster of each row
};
PaperMerge paperMerge(const at::Tensor& tokens, const at::Tensor& lengths = {});

}  // namespace mpm::bench
