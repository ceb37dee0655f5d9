// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "torch/ragged.h"

/// Operations that differ by device; all others are LibTorch's operators, which are the same on
/// all. Nothing here waits for the device.
namespace mpm::torch_runner {

/// Precision of products. The residual stream, norms and matching are float32 in each.
enum class Precision { fp32, tf32, bf16 };

/// A merge of a ragged batch, with the arguments of merge/merge_cuda.h.
struct MergeRequest {
  Ragged tokens;
  at::Tensor map;      ///< int32 [B, N], or undefined: nothing was merged yet
  at::Tensor regions;  ///< int32 [B or 1, N], or undefined
  std::int64_t special = 0, originals = 0;
  std::int64_t window = 0, gridHeight = 0, gridWidth = 0;

  at::Tensor merged;                ///< room for as many rows as come in, [capacity, D]
  at::Tensor first, count, outMap;  ///< int32 [B + 1], [B], [B, N]: to be filled, contiguous
};

/// Attention within each image of a packed batch. q, k and v [rows, heads, d] have a stride of 1
/// along d and the same memory order.
struct AttentionCall {
  at::Tensor q, k, v;
  double scale = 1;       ///< of q k
  at::Tensor logWeights;  ///< float32 [rows]: added to each key's logit; or undefined
  const Layout& layout;
};

class Device {
 public:
  explicit Device(const at::Device& place_) : place(place_) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual std::string name() const = 0;
  virtual bool has(Precision precision) const = 0;

  /// Returns the number that a head's features have to be a multiple of.
  virtual int headMultiple() const = 0;
  /// Tells whether keys' weights become two more features of q and k (attention.h), and
  /// `logWeights` is always undefined.
  virtual bool foldsWeights() const = 0;
  /// Returns [rows, heads, d], contiguous; rows outside all images are undefined.
  virtual at::Tensor attend(const AttentionCall& call) const = 0;

  /// Merges; the first first[B] rows of `merged` are then live.
  virtual void merge(const MergeRequest& request) const = 0;
  /// Returns [B, special + N, D]: each original token has its live row's values.
  virtual at::Tensor restore(const Ragged& live, const at::Tensor& map,
                             std::int64_t special) const = 0;
  /// Returns how many original tokens each row stands for, int32 [capacity]; 1 for special rows.
  /// Takes only packed batches.
  virtual at::Tensor multiplicities(const Layout& layout, const at::Tensor& map,
                                    std::int64_t special) const = 0;

  /// Copies a tensor from the host; it may change as soon as this returns.
  virtual at::Tensor upload(const at::Tensor& onHost) const = 0;

  const at::Device place;
};

/// Returns the processor, for tests. `folds`: with weights folded as on a GPU.
std::unique_ptr<Device> processorDevice(bool folds);

/// Takes "cuda" or "cuda:1". Throws std::runtime_error if there is no such GPU.
std::unique_ptr<Device> cudaDevice(const std::string& device);

}  // namespace mpm::torch_runner
