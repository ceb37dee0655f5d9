// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpm/export.h"

/// What computes the layers of mpm/layers.h on a device other than the processor. A runner is a
/// separate shared library (libmpm_torch is one), which is found and loaded when a net asks for its
/// device; other processes load none of it.
namespace mpm {

/// A blob between two layers: on the host, on the device, or both.
struct RunnerBlob {
  std::vector<int> shape;        ///< as in mpm/layers.h
  float* host = nullptr;         ///< float32 of that shape; undefined if only `device` is set
  std::shared_ptr<void> device;  ///< the runner's own; null: only the host has it
};

/// A weight, float32, valid only while the layer is being made. What passes between layers is an
/// input of each forward, even if the model has it as a constant.
struct RunnerConstant {
  std::string name;  ///< as mpm/layers.h calls it: "qkv_weight"
  std::vector<int> shape;
  const float* values = nullptr;
};

/// What a layer is made of.
struct RunnerLayerParams {
  std::string kind;  ///< "mpm.TransformerBlock"
  std::string name;  ///< the net's, for error messages
  /// Attributes as the model has them, found right: "heads", "grid". One that it leaves out has its
  /// default of mpm/layers.h.
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> words;  ///< "gelu"; "precision": always there
  std::vector<RunnerConstant> constants;
};

/// One layer on the device. The work that calls start there runs in the order of the calls.
class RunnerLayer {
 public:
  virtual ~RunnerLayer() = default;

  /// `inputs` are by name ("tokens", "rows", "map", "regions", "image"); their shapes fit each
  /// other as mpm/layers.h says, values on the host need not. If a blob has a device part, its host
  /// part is not read. Tokens on the device came there with their rows, so "rows" on the host say
  /// nothing new of them. Fills the device part of each output, whose shape is already set, and
  /// need not wait for it. Host parts may change as soon as it returns. Outputs that the net does
  /// not use may be missing at the end of `outputs`. Throws std::runtime_error.
  virtual void forward(const std::map<std::string, RunnerBlob>& inputs,
                       std::vector<RunnerBlob>& outputs) = 0;

  /// A merge that is off copies its tokens. Other kinds ignore it.
  virtual void setEnabled(bool) {}
};

/// It and its layers are called from one thread at a time, across all nets. Device parts of blobs
/// are released from any thread.
class Runner {
 public:
  virtual ~Runner() = default;

  /// "NVIDIA H200"
  virtual std::string deviceName() const = 0;
  /// Whether it can compute in "fp32", "tf32" or "bf16".
  virtual bool hasPrecision(const std::string& precision) const = 0;
  /// Null if this kind is not computed on the device; the processor computes it then. Called once
  /// for each layer of a chain (mpm/layers.h). Throws std::runtime_error.
  virtual std::unique_ptr<RunnerLayer> layer(const RunnerLayerParams& params) = 0;
  /// Copies the device part of a blob to its host part, and waits until that is done. What the
  /// layers' contract leaves undefined stays as it is. Throws std::runtime_error.
  virtual void download(const RunnerBlob& blob) = 0;
};

/// The one function that a runner's library exports, as `mpm_runner`. Returns the runner for a
/// device ("cuda"), which lives until the process ends, or null; `why` then says in one sentence
/// why there is none. `version` is the caller's kRunnerVersion; any other is refused.
extern "C" using RunnerEntry = Runner * (int version, const char* device, std::string* why);
constexpr int kRunnerVersion = 2;
constexpr const char* kRunnerEntry = "mpm_runner";

}  // namespace mpm
