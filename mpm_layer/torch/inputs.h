// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mpm/runner.h"
#include "torch/blob.h"
#include "torch/device.h"
#include "torch/settings.h"

namespace mpm::torch_runner {

/// What a layer is handed, on its device. Where a blob has but its host part, that is checked and
/// copied; values on the device are not looked at. Refers to what it is made from.
class Inputs {
 public:
  Inputs(const Identity& identity, const Device& device,
         const std::map<std::string, RunnerBlob>& blobs)
      : identity_(identity), device_(device), blobs_(blobs) {}

  bool has(const std::string& name) const { return blobs_.count(name) > 0; }
  const std::vector<int>& shape(const std::string& name) const { return get(name).shape; }

  /// How many rows of "tokens" [B, S+N, D] are special, and whether the shape of "map" fits: what
  /// the map leaves over, or 0, where `setting` is -1. There is an image row at least.
  std::int64_t special(std::int64_t setting) const;
  /// "tokens", of which "rows" live, if there is such an input.
  Ragged tokens(std::int64_t special) const;
  /// "map" [B, N]; `values` is undefined where there is no such input.
  TokenMap map(std::int64_t special) const;
  /// Labels "regions" [B or 1, N] as int32; undefined where there is no such input.
  at::Tensor regions(std::int64_t count) const;
  /// float32 of its shape.
  at::Tensor dense(const std::string& name) const;

 private:
  const RunnerBlob& get(const std::string& name) const;
  const DeviceBlob* onDevice(const std::string& name, DeviceBlob::Kind kind) const;
  at::Tensor upload(const std::string& name) const;
  LayoutPtr rowsLayout(std::int64_t special) const;
  int readInteger(const std::string& name, int at, int low, int high, const char* meaning) const;

  const Identity& identity_;
  const Device& device_;
  const std::map<std::string, RunnerBlob>& blobs_;
};

}  // namespace mpm::torch_runner
