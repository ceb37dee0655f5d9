// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "mpm/runner.h"
#include "torch/ragged.h"

namespace mpm::torch_runner {

/// The device part of a blob.
struct DeviceBlob {
  enum class Kind { tokens, rows, map, dense };
  Kind kind = Kind::dense;
  at::Tensor values;   ///< tokens: Ragged::rows; map: TokenMap::values; dense: float32, its shape
  LayoutPtr layout{};  ///< of tokens and of rows
  bool isIdentity = false;  ///< of a map
};

/// float32 of a device as a blob, for programs that have it there already.
inline RunnerBlob denseBlob(const at::Tensor& values) {
  RunnerBlob blob;
  blob.shape.assign(values.sizes().begin(), values.sizes().end());
  auto part = std::make_shared<DeviceBlob>();
  part->values = values.contiguous();
  blob.device = part;
  return blob;
}

/// What a layer hands out. Fills the device part of `blob`, whose shape stays as the caller set it.
void giveTokens(RunnerBlob& blob, const Ragged& tokens);
void giveRows(RunnerBlob& blob, const LayoutPtr& layout);
void giveMap(RunnerBlob& blob, const TokenMap& map);
void giveDense(RunnerBlob& blob, const at::Tensor& values);

/// Copies the device part of `blob` to its host part and waits for it: live rows of tokens alone.
/// Throws std::runtime_error where the blob has no device part, no host part, or not the shape of
/// what lies on the device.
void downloadBlob(const RunnerBlob& blob);

}  // namespace mpm::torch_runner
