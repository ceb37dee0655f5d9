// SPDX-License-Identifier: Apache-2.0
// mpm.Normalize and mpm.Linear: row by row, of tokens or of single rows [B, D].
#include <ATen/ATen.h>

#include "torch/layer.h"
#include "torch/linear.h"

namespace mpm::torch_runner {
namespace {

class RowLayer : public TorchLayer {
 public:
  using TorchLayer::TorchLayer;

 protected:
  /// Rows [n, D] to float32 [n, M].
  virtual at::Tensor computeRows(const at::Tensor& rows) const = 0;
  /// -1: any.
  virtual std::int64_t features() const = 0;

  void compute(const Inputs& inputs, Outputs& outputs) final {
    const std::vector<int>& shape = inputs.shape("tokens");
    const bool single = shape.size() == 2;
    if (single && inputs.has("rows")) {
      identity_.refuseInput("rows", "is there, but tokens is " + shapeText(shape) +
                                        ", one live row for each image; expected no rows");
    }
    const std::int64_t special = single ? 0 : inputs.special(0);
    if (features() >= 0 && shape.back() != features()) {
      identity_.refuseInput("tokens", "is " + shapeText(shape) + "; expected " +
                                          std::to_string(features()) + " features");
    }
    if (single) return giveDense(outputs[0], computeRows(inputs.dense("tokens")));
    const Ragged tokens = inputs.tokens(special);
    giveTokens(outputs[0], {computeRows(tokens.rows), tokens.layout});
  }
};

class NormalizeLayer : public RowLayer {
 public:
  NormalizeLayer(const Settings& settings, const Device& device)
      : RowLayer(settings, device),
        norm_{place(settings.all("scale")), place(settings.all("shift")),
              settings.number("eps", 1e-5), settings.integer("centred", 1, 0) != 0} {}

 protected:
  at::Tensor computeRows(const at::Tensor& rows) const override { return norm_(rows); }
  std::int64_t features() const override {
    if (norm_.scale.defined()) return norm_.scale.numel();
    return norm_.shift.defined() ? norm_.shift.numel() : -1;
  }

 private:
  Norm norm_;
};

class LinearLayer : public RowLayer {
 public:
  LinearLayer(const Settings& settings, const Device& device) : RowLayer(settings, device) {
    const at::Tensor weight = settings.matrix("weight", -1, -1);
    linear_ = {weight, settings.vector("bias", weight.size(0)), {}, precision_, device.place};
    gelu_ = geluOf(settings, "");
  }

 protected:
  at::Tensor computeRows(const at::Tensor& rows) const override {
    const at::Tensor out = linear_(rows).to(at::kFloat);
    return gelu_ ? gelu(*gelu_, out) : out;
  }
  std::int64_t features() const override { return linear_.weight.size(1); }

 private:
  Linear linear_;
  std::optional<Gelu> gelu_;
};

}  // namespace

LayerPtr makeNormalize(const Settings& settings, const Device& device) {
  return std::make_unique<NormalizeLayer>(settings, device);
}

LayerPtr makeLinear(const Settings& settings, const Device& device) {
  return std::make_unique<LinearLayer>(settings, device);
}

}  // namespace mpm::torch_runner
