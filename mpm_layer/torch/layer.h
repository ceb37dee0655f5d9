// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contract/runner.h"
#include "torch/device.h"
#include "torch/ragged.h"

/// Common parts of the kinds of layers (kinds.cpp): their settings, inputs and outputs.
namespace mpm::torch_runner {

/// Identifies a layer in error messages.
struct Identity {
  std::string kind, name;

  /// Throws std::runtime_error: "mpm.MutualPairMerge 'merge2', input map: <problem>".
  [[noreturn]] void refuse(const std::string& problem) const;
  [[noreturn]] void refuseInput(const std::string& input, const std::string& problem) const;
};

/// Return a text such as "[1 x 1024 x 192]".
std::string shapeText(at::IntArrayRef shape);
std::string shapeText(const std::vector<int>& shape);

/// Attributes and constants of a layer, with checks. Lives while the layer is made.
class Settings {
 public:
  Settings(const RunnerLayerParams& params, const Device& device)
      : identity{params.kind, params.name}, device_(device), params_(params) {}

  double number(const std::string& attribute, double otherwise) const;
  std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const {
    return static_cast<std::int64_t>(number(attribute, static_cast<double>(otherwise)));
  }
  /// Returns [height, width]; zeros: any.
  std::vector<std::int64_t> grid() const;
  std::string word(const std::string& attribute, const std::string& otherwise) const;
  /// Returns the attribute's precision; throws if the device does not have it.
  Precision precision() const;

  /// Returns a required constant: float32 on the host, [rows x columns]; further dimensions count
  /// as columns; -1: any number.
  at::Tensor matrix(const std::string& constant, std::int64_t rows, std::int64_t columns) const;
  /// Returns `length` floats in any shape, or undefined if there is no such constant.
  at::Tensor vector(const std::string& constant, std::int64_t length) const;
  /// Returns all floats of a constant, or undefined.
  at::Tensor all(const std::string& constant) const;
  bool hasConstant(const std::string& constant) const { return find(constant) != nullptr; }

  const Identity identity;

 private:
  const RunnerConstant* find(const std::string& constant) const;
  const Device& device_;
  const RunnerLayerParams& params_;
};

/// Returns the precision of this name; throws std::invalid_argument on any other.
Precision precisionOf(const std::string& name);

/// The device part of a blob.
struct DeviceBlob {
  enum class Kind { tokens, rows, map, dense };
  Kind kind = Kind::dense;
  at::Tensor values;   ///< tokens: Ragged::rows; map: TokenMap::values; dense: float32, its shape
  LayoutPtr layout{};  ///< of tokens and of rows
  bool isIdentity = false;  ///< of a map
};

/// Makes a blob of float32 values that are on a device already.
inline RunnerBlob denseBlob(const at::Tensor& values) {
  RunnerBlob blob;
  blob.shape.assign(values.sizes().begin(), values.sizes().end());
  auto part = std::make_shared<DeviceBlob>();
  part->values = values.contiguous();
  blob.device = part;
  return blob;
}

/// Store results in the device part of `blob`; its shape stays as the caller set it.
void giveTokens(RunnerBlob& blob, const Ragged& tokens);
void giveRows(RunnerBlob& blob, const LayoutPtr& layout);
void giveMap(RunnerBlob& blob, const TokenMap& map);
void giveDense(RunnerBlob& blob, const at::Tensor& values);

/// Copies the device part of `blob` to its host part and waits for it: only live rows of tokens.
/// Throws std::runtime_error if the blob lacks a device part or a host part, or its shape differs
/// from that on the device.
void downloadBlob(const RunnerBlob& blob);

/// Inputs of a layer on its device. Checks and copies blobs that only have a host part; does not
/// check values on the device. Refers to what it is made from.
class Inputs {
 public:
  Inputs(const Identity& identity, const Device& device,
         const std::map<std::string, RunnerBlob>& blobs)
      : identity_(identity), device_(device), blobs_(blobs) {}

  bool has(const std::string& name) const { return blobs_.count(name) > 0; }
  const std::vector<int>& shape(const std::string& name) const { return get(name).shape; }

  /// Returns how many rows of "tokens" [B, S+N, D] are special: those that the map leaves over,
  /// else `setting`, where -1 is 0.
  std::int64_t special(std::int64_t setting) const;
  /// Returns "tokens" with the live rows of "rows", if there is such an input.
  Ragged tokens(std::int64_t special) const;
  /// Returns "map" [B, N]; `values` is undefined if there is no such input.
  TokenMap map(std::int64_t special) const;
  /// Returns labels "regions" [B or 1, N] as int32; undefined if there is no such input.
  at::Tensor regions() const;
  /// Returns float32 values of the input's shape.
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

using Outputs = std::vector<RunnerBlob>;

/// Base of all kinds: the device, the precision, and a name for errors.
class TorchLayer : public RunnerLayer {
 public:
  TorchLayer(const Settings& settings, const Device& device)
      : identity_(settings.identity), device_(device), precision_(settings.precision()) {}

  void forward(const std::map<std::string, RunnerBlob>& inputs, Outputs& outputs) final;

 protected:
  virtual void compute(const Inputs& inputs, Outputs& outputs) = 0;

  /// Copies a tensor from the host to the device; undefined stays undefined.
  at::Tensor place(const at::Tensor& onHost) const {
    return onHost.defined() ? onHost.to(device_.place) : onHost;
  }

  const Identity identity_;
  const Device& device_;
  const Precision precision_;
};

/// Makes a layer of one of the kinds of mpm/layers.h; null if no device computes that kind. Throws
/// std::runtime_error.
std::unique_ptr<RunnerLayer> makeLayer(const Settings& settings, const Device& device);

}  // namespace mpm::torch_runner
