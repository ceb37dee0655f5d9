// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpm/export.h"

/// Interface to a device that computes the layers of mpm/layers.h instead of the processor. A
/// runner is a shared library of its own, such as libmpm_torch. It is loaded when a net asks for
/// its device; other processes never load it.
namespace mpm {

/// A blob between two layers: on the host, on the device, or both.
struct RunnerBlob {
  std::vector<int> shape;        ///< as in mpm/layers.h
  float* host = nullptr;         ///< float32 of that shape; undefined if only `device` is set
  std::shared_ptr<void> device;  ///< the runner's own; null: only the host has it
};

/// A float32 weight, valid only while the layer is made. Values that pass between layers are inputs
/// of each forward, even if the model has them as constants.
struct RunnerConstant {
  std::string name;  ///< as mpm/layers.h calls it: "qkv_weight"
  std::vector<int> shape;
  const float* values = nullptr;
};

/// Parameters that a layer is made from.
struct RunnerLayerParams {
  std::string kind;  ///< "mpm.TransformerBlock"
  std::string name;  ///< the net's, for error messages
  /// Validated attributes as the model has them: "heads", "grid". Missing ones have their defaults
  /// of mpm/layers.h.
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> words;  ///< "gelu"; "precision": always there
  std::vector<RunnerConstant> constants;
};

/// One layer on the device. The work that calls start there runs in the order of the calls.
class RunnerLayer {
 public:
  virtual ~RunnerLayer() = default;

  /// Fills the device part of each output, whose shape is already set; need not wait for it.
  /// `inputs` are by name ("tokens", "rows", "map", "regions", "image"). Their shapes fit each
  /// other as mpm/layers.h says; values on the host need not. If a blob has a device part, its host
  /// part is not read. Tokens on the device came there with their rows, so "rows" on the host add
  /// nothing. Host parts may change after the call. Unused outputs may be missing at the end of
  /// `outputs`. Throws std::runtime_error.
  virtual void forward(const std::map<std::string, RunnerBlob>& inputs,
                       std::vector<RunnerBlob>& outputs) = 0;

  /// Switches a merge on or off; off, it copies its tokens. Other kinds ignore it.
  virtual void setEnabled(bool) {}
};

/// Runs on one device. It and its layers are called from one thread at a time, across all nets.
/// Device parts of blobs are released from any thread.
class Runner {
 public:
  virtual ~Runner() = default;

  /// Returns the device's name: "NVIDIA H200".
  virtual std::string deviceName() const = 0;
  /// Tells whether it can compute in "fp32", "tf32" or "bf16".
  virtual bool hasPrecision(const std::string& precision) const = 0;
  /// Makes a layer; null if this kind is not computed on the device, so that the processor computes
  /// it. Called once for each layer of a chain (mpm/layers.h). Throws std::runtime_error.
  virtual std::unique_ptr<RunnerLayer> layer(const RunnerLayerParams& params) = 0;
  /// Copies the device part of a blob to its host part, and waits for it. Values that the layers'
  /// contract leaves undefined stay as they are. Throws std::runtime_error.
  virtual void download(const RunnerBlob& blob) = 0;
};

/// The one function that a runner's library exports, as `mpm_runner`. Returns the runner for a
/// device ("cuda"), which lives until the process ends. Returns null if there is none; `why` then
/// says the reason in one sentence. `version` is the caller's kRunnerVersion; any other is refused.
extern "C" using RunnerEntry = Runner * (int version, const char* device, std::string* why);
constexpr int kRunnerVersion = 2;
constexpr const char* kRunnerEntry = "mpm_runner";

}  // namespace mpm
