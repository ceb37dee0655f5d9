// SPDX-License-Identifier: Apache-2.0
// mpm.TransformerBlock: a pre-norm block of a ViT, on a ragged batch.
#include <ATen/ATen.h>

#include <cmath>

#include "mpm/gelu.h"
#include "torch/attention.h"
#include "torch/layer.h"
#include "torch/linear.h"

namespace mpm::torch_runner {
namespace {

/// The linear layers around attention, for keys with weights or without.
struct HeadForm {
  Heads heads;
  Linear qkv, projection;

  HeadForm(const Heads& heads_, const Linear& qkv_, const Linear& projection_)
      : heads(heads_), qkv(padQkv(qkv_, heads_)), projection(padProjection(projection_, heads_)) {}
};

class TransformerBlock : public TorchLayer {
 public:
  TransformerBlock(const Settings& settings, const Device& device)
      : TorchLayer(settings, device), gelu_(*geluOf(settings, "erf")) {
    const at::Tensor qkv = settings.matrix("qkv_weight", -1, -1);
    const std::int64_t dim = qkv.size(1), attended = qkv.size(0) / 3;
    heads_ = settings.integer("heads", 1, 1);
    if (qkv.size(0) % 3 != 0 || attended % heads_ != 0) {
      settings.identity.refuseInput(
          "qkv_weight", "has " + std::to_string(qkv.size(0)) + " rows; expected q, k and v for " +
                            std::to_string(heads_) + " heads, a multiple of " +
                            std::to_string(3 * heads_));
    }
    const double scale = settings.number("scale", 0);
    const std::int64_t features = attended / heads_;
    scale_ = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(features));
    const double eps = settings.number("eps", 1e-5);
    norm1_ = normOf(settings, "norm1", dim, eps);
    norm2_ = normOf(settings, "norm2", dim, settings.number("eps2", eps));

    const at::Tensor hidden = settings.matrix("fc1_weight", -1, dim);
    const std::int64_t width = hidden.size(0);
    qkv_ = linearOf(settings, "qkv", qkv, {});
    projection_ = linearOf(settings, "proj", settings.matrix("proj_weight", dim, attended),
                           settings.vector("layer_scale1", dim));
    fc1_ = linearOf(settings, "fc1", hidden, {});
    fc2_ = linearOf(settings, "fc2", settings.matrix("fc2_weight", dim, width),
                    settings.vector("layer_scale2", dim));
  }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(-1), dim = qkv_.weight.size(1);
    if (inputs.shape("tokens")[2] != dim) {
      identity_.refuseInput("tokens", "is " + shapeText(inputs.shape("tokens")) + "; expected " +
                                          std::to_string(dim) + " features");
    }
    const Ragged tokens = inputs.tokens(special);
    const Layout& layout = *tokens.layout;
    if (!layout.isPacked) {
      identity_.refuseInput("tokens", "are scores; expected tokens, whose images lie side by side");
    }
    const TokenMap map = inputs.map(special);
    const bool isWeighted = map.values.defined() && !map.isIdentity;
    const KeyWeights* const weights =
        isWeighted ? &keyWeightsOf(layout, map.values, special, device_) : nullptr;

    const HeadForm& form = formFor(isWeighted && device_.foldsWeights());
    const at::Tensor qkv = form.qkv(norm1_(tokens.rows));
    const at::Tensor attended = attend(qkv, form.heads, scale_, layout, weights, device_);
    at::Tensor rows = tokens.rows + form.projection(attended);
    rows.add_(fc2_(gelu(gelu_, fc1_(norm2_(rows)))));
    giveTokens(outputs[0], {rows, tokens.layout});
  }

 private:
  Norm normOf(const Settings& settings, const std::string& name, std::int64_t dim,
              double eps) const {
    return {place(settings.vector(name + "_scale", dim)),
            place(settings.vector(name + "_shift", dim)), eps};
  }

  Linear linearOf(const Settings& settings, const std::string& name, const at::Tensor& weight,
                  const at::Tensor& scale) const {
    return {weight, settings.vector(name + "_bias", weight.size(0)), scale, precision_,
            device_.place};
  }

  /// Made when it is first asked for: a block has weights always or never, but for merges that are
  /// switched off.
  const HeadForm& formFor(bool folds) {
    std::unique_ptr<HeadForm>& form = forms_[folds ? 1 : 0];
    if (form == nullptr) {
      const std::int64_t features = qkv_.weight.size(0) / 3 / heads_;
      form = std::make_unique<HeadForm>(Heads(heads_, features, folds, device_), qkv_, projection_);
    }
    return *form;
  }

  Gelu gelu_;
  std::int64_t heads_ = 1;
  double scale_ = 1;
  Norm norm1_, norm2_;
  Linear qkv_, projection_, fc1_, fc2_;  // the scales of layers multiplied in
  std::unique_ptr<HeadForm> forms_[2];
};

}  // namespace

LayerPtr makeTransformerBlock(const Settings& settings, const Device& device) {
  return std::make_unique<TransformerBlock>(settings, device);
}

}  // namespace mpm::torch_runner
