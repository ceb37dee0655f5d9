// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpm/export.h"

/// What computes the layers of mpm/layers.h on another device than the processor. A runner is a
/// shared library of its own (libmpm_torch is one), found and loaded when a net asks for its
/// device: nothing of it is in a process that does not.
namespace mpm {

/// A blob between two layers: on the host, on the device, or both.
struct RunnerBlob {
  std::vector<int> shape;        ///< as mpm/layers.h has it
  float* host = nullptr;         ///< float32 of that shape; undefined where only `device` is set
  std::shared_ptr<void> device;  ///< the runner's own; null: only the host has it
};

/// A weight, float32; lives as long as the layer is being made. What passes between layers is an
/// input of each forward, also where the model has it as a constant.
struct RunnerConstant {
  std::string name;  ///< as mpm/layers.h calls it: "qkv_weight"
  std::vector<int> shape;
  const float* values = nullptr;
};

/// What a layer is made of.
struct RunnerLayerParams {
  std::string kind;  ///< "mpm.TransformerBlock"
  std::string name;  ///< the net's, for error messages
  /// Attributes as the model has them: "heads", "grid"; one that it left out has its default of
  /// mpm/layers.h, but "special" is always there, in layers on tokens.
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> words;  ///< "gelu"; "precision": always there
  std::vector<RunnerConstant> constants;
};

/// One layer on the device. What calls begin there runs in their order.
class RunnerLayer {
 public:
  virtual ~RunnerLayer() = default;

  /// `inputs`, by their names ("tokens", "rows", "map", "regions", "image"). Where a blob has its
  /// device part, its host part is not read. With "tokens" on the device, "rows" are there too.
  /// Fills the device part of each output, whose shapes are set, and need not wait for it. Host
  /// parts may change as soon as it returns. Outputs that the net has no use for may be missing at
  /// the end. Throws std::runtime_error.
  virtual void forward(const std::map<std::string, RunnerBlob>& inputs,
                       std::vector<RunnerBlob>& outputs) = 0;

  /// A merge that is off copies its tokens. Other kinds ignore it.
  virtual void setEnabled(bool) {}
};

/// Calls of it and of its layers come from one thread at a time, whatever the net. Device parts of
/// blobs are let go from any thread.
class Runner {
 public:
  virtual ~Runner() = default;

  /// "NVIDIA H200"
  virtual std::string deviceName() const = 0;
  /// Whether it can compute in "fp32", "tf32" or "bf16".
  virtual bool hasPrecision(const std::string& precision) const = 0;
  /// Null where this kind is not computed on the device. The kinds that are `isForDevices` in
  /// mpm/layer_kinds.h are asked for. Throws std::runtime_error.
  virtual std::unique_ptr<RunnerLayer> layer(const RunnerLayerParams& params) = 0;
  /// Copies the device part of a blob to its host part, and waits for it. What the layers' contract
  /// leaves undefined is left as it is. Throws std::runtime_error.
  virtual void download(const RunnerBlob& blob) = 0;
};

/// The one function that a runner's library exports, as `mpm_runner`: the runner for a device
/// ("cuda"), which lives until the process ends, or null, and `why` says in one sentence why there
/// is none. `version` is kRunnerVersion of the caller; another one is refused.
extern "C" using RunnerEntry = Runner * (int version, const char* device, std::string* why);
constexpr int kRunnerVersion = 2;
constexpr const char* kRunnerEntry = "mpm_runner";

}  // namespace mpm
