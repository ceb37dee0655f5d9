// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpm/runner.h"
#include "torch/blob.h"
#include "torch/device.h"
#include "torch/inputs.h"
#include "torch/settings.h"

namespace mpm::torch_runner {

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

using LayerPtr = std::unique_ptr<RunnerLayer>;

// The kinds of mpm/layers.h, one function each; all throw std::runtime_error.
LayerPtr makeLinear(const Settings& settings, const Device& device);
LayerPtr makeMaskDecoderHead(const Settings& settings, const Device& device);
LayerPtr makeMeanRows(const Settings& settings, const Device& device);
LayerPtr makeMergeRestore(const Settings& settings, const Device& device);
LayerPtr makeMutualPairMerge(const Settings& settings, const Device& device);
LayerPtr makeNormalize(const Settings& settings, const Device& device);
LayerPtr makePatchEmbed(const Settings& settings, const Device& device);
LayerPtr makeReplaceSpecial(const Settings& settings, const Device& device);
LayerPtr makeTransformerBlock(const Settings& settings, const Device& device);

}  // namespace mpm::torch_runner
