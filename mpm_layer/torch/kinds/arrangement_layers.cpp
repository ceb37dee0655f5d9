// SPDX-License-Identifier: Apache-2.0
// mpm.MergeRestore and mpm.ReplaceSpecial: rows move, and none is computed.
#include <ATen/ATen.h>

#include "torch/layer.h"

namespace mpm::torch_runner {
namespace {

class MergeRestore : public TorchLayer {
 public:
  MergeRestore(const Settings& settings, const Device& device)
      : TorchLayer(settings, device),
        special_(settings.has("special") ? settings.integer("special", 0, 0) : -1) {}

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    if (!inputs.has("map")) identity_.refuse("has no input map, which it needs");
    const std::int64_t special = inputs.special(special_);
    const Ragged live = inputs.tokens(special);
    const at::Tensor full = device_.restore(live, inputs.map(special).values, special);
    giveTokens(outputs[0], {full.view({-1, full.size(2)}),
                            fullLayout(full.size(0), full.size(1), device_.place)});
  }

 private:
  const std::int64_t special_;
};

class ReplaceSpecial : public TorchLayer {
 public:
  ReplaceSpecial(const Settings& settings, const Device& device)
      : TorchLayer(settings, device),
        special_(settings.integer("special", -1, 0)),
        keeps_(settings.integer("keep", 0, 0) != 0) {
    if (special_ < 0) {
      settings.identity.refuse("needs special = the number of rows in front to replace, 0 or more");
    }
    if (settings.integer("kept", 0, 0) != 0)
      settings.identity.refuse("keeps some of its special rows; expected all or none");
    if (settings.hasConstant("special_rows"))
      front_ = place(settings.matrix("special_rows", -1, -1));
  }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(special_);
    const std::vector<int>& shape = inputs.shape("tokens");
    if (front_.defined() && front_.size(1) != shape[2]) {
      identity_.refuseInput("special_rows", "is " + shapeText(front_.sizes()) +
                                                "; expected [any x " + std::to_string(shape[2]) +
                                                "], the features of tokens");
    }
    const Ragged out = replaceFront(inputs.tokens(special), keeps_ ? 0 : special, front_);
    giveTokens(outputs[0], out);
    if (outputs.size() > 1) giveRows(outputs[1], out.layout);
  }

 private:
  const std::int64_t special_;
  const bool keeps_;
  at::Tensor front_;
};

}  // namespace

LayerPtr makeMergeRestore(const Settings& settings, const Device& device) {
  return std::make_unique<MergeRestore>(settings, device);
}

LayerPtr makeReplaceSpecial(const Settings& settings, const Device& device) {
  return std::make_unique<ReplaceSpecial>(settings, device);
}

}  // namespace mpm::torch_runner
