// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpm/runner.h"
#include "torch/device.h"
#include "torch/ragged.h"

/// What the kinds of layers share (kinds.cpp): what a layer is made of, what it is handed and what
/// it hands out.
namespace mpm::torch_runner {

/// A layer as its error messages name it.
struct Identity {
  std::string kind, name;

  /// Throws std::runtime_error: "mpm.MutualPairMerge 'merge2', input map: <problem>".
  [[noreturn]] void refuse(const std::string& problem) const;
  [[noreturn]] void refuseInput(const std::string& input, const std::string& problem) const;
};

/// "[1 x 1024 x 192]"
std::string shapeText(at::IntArrayRef shape);
std::string shapeText(const std::vector<int>& shape);

/// What a layer is made of: attributes, and constants, which are checked. Lives as long as the
/// layer is being made.
class Settings {
 public:
  Settings(const RunnerLayerParams& params, const Device& device)
      : identity{params.kind, params.name}, device_(device), params_(params) {}

  double number(const std::string& attribute, double otherwise) const;
  std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const {
    return static_cast<std::int64_t>(number(attribute, static_cast<double>(otherwise)));
  }
  /// [height, width]; zeros: any.
  std::vector<std::int64_t> grid() const;
  std::string word(const std::string& attribute, const std::string& otherwise) const;
  /// What the attribute says; throws where the device has it not.
  Precision precision() const;

  /// A constant that has to be there: float32 on the host, [rows x columns], where further
  /// dimensions count as columns; -1: any number.
  at::Tensor matrix(const std::string& constant, std::int64_t rows, std::int64_t columns) const;
  /// `length` floats in any shape, or undefined where there is no such constant.
  at::Tensor vector(const std::string& constant, std::int64_t length) const;
  /// As many floats as there are, or undefined.
  at::Tensor all(const std::string& constant) const;
  bool hasConstant(const std::string& constant) const { return find(constant) != nullptr; }

  const Identity identity;

 private:
  const RunnerConstant* find(const std::string& constant) const;
  const Device& device_;
  const RunnerLayerParams& params_;
};

/// The precision of this name; throws std::invalid_argument on any other.
Precision precisionOf(const std::string& name);

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

/// What a layer is handed, on its device. Where a blob has but its host part, that is checked and
/// copied; values on the device are not looked at. Refers to what it is made from.
class Inputs {
 public:
  Inputs(const Identity& identity, const Device& device,
         const std::map<std::string, RunnerBlob>& blobs)
      : identity_(identity), device_(device), blobs_(blobs) {}

  bool has(const std::string& name) const { return blobs_.count(name) > 0; }
  const std::vector<int>& shape(const std::string& name) const { return get(name).shape; }

  /// How many rows of "tokens" [B, S+N, D] are special: what the map leaves over, else `setting`,
  /// where -1 is 0.
  std::int64_t special(std::int64_t setting) const;
  /// "tokens", of which "rows" live, if there is such an input.
  Ragged tokens(std::int64_t special) const;
  /// "map" [B, N]; `values` is undefined where there is no such input.
  TokenMap map(std::int64_t special) const;
  /// Labels "regions" [B or 1, N] as int32; undefined where there is no such input.
  at::Tensor regions() const;
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

using Outputs = std::vector<RunnerBlob>;

/// What the kinds share: the device, the precision, whose name stands in an error.
class TorchLayer : public RunnerLayer {
 public:
  TorchLayer(const Settings& settings, const Device& device)
      : identity_(settings.identity), device_(device), precision_(settings.precision()) {}

  void forward(const std::map<std::string, RunnerBlob>& inputs, Outputs& outputs) final;

 protected:
  virtual void compute(const Inputs& inputs, Outputs& outputs) = 0;

  /// A tensor of the host on the device, or undefined.
  at::Tensor place(const at::Tensor& onHost) const {
    return onHost.defined() ? onHost.to(device_.place) : onHost;
  }

  const Identity identity_;
  const Device& device_;
  const Precision precision_;
};

/// A layer of one of the kinds of mpm/layers.h; null where no device computes that kind. Throws
/// std::runtime_error.
std::unique_ptr<RunnerLayer> makeLayer(const Settings& settings, const Device& device);

}  // namespace mpm::torch_runner
