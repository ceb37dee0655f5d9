// SPDX-License-Identifier: Apache-2.0
// mpm.MaskDecoderHead and mpm.MeanRows: what stands at the end of a net. Float32 products in bf16
// too: there is little to compute, and similarities and means need the digits.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <limits>

#include "torch/attention.h"
#include "torch/layer.h"
#include "torch/linear.h"

namespace mpm::torch_runner {
namespace {

/// Rows of length 1; a zero row stays zero.
at::Tensor unitRows(const at::Tensor& rows) {
  const at::Tensor values = rows.to(at::kFloat);
  const at::Tensor length = at::sqrt(values.square().sum(-1, /*keepdim=*/true));
  return values / length.clamp_min(std::numeric_limits<float>::min());
}

class MaskDecoderHead : public TorchLayer {
 public:
  MaskDecoderHead(const Settings& settings, const Device& device)
      : TorchLayer(settings, device), classes_(settings.integer("special", 0, 0)) {
    if (classes_ < 1) {
      settings.identity.refuse("needs special = the number of class rows in front, 1 or more");
    }
    const at::Tensor patches = settings.matrix("proj_patch", -1, -1);
    const std::int64_t dim = patches.size(0);
    const at::Tensor classes = settings.matrix("proj_classes", dim, dim);
    settings.matrix("proj_patch", dim, dim);
    patches_ = {patches.t().contiguous(), {}, {}, precision_, device.place};
    classRows_ = {classes.t().contiguous(), {}, {}, precision_, device.place};
    norm_ = {place(settings.vector("norm_scale", classes_)),
             place(settings.vector("norm_shift", classes_)), settings.number("eps", 1e-5)};
  }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(classes_);
    const std::vector<int>& shape = inputs.shape("tokens");
    if (shape[2] != patches_.weight.size(0)) {
      identity_.refuseInput("tokens", "is " + shapeText(shape) + "; expected " +
                                          std::to_string(patches_.weight.size(0)) + " features");
    }
    const Ragged tokens = inputs.tokens(special);
    const Layout& layout = *tokens.layout;
    const std::int64_t batch = layout.batch, image = shape[1] - special, dim = shape[2];
    const auto gather = [&](const at::Tensor& rows, std::int64_t skip, std::int64_t count) {
      return rows.index_select(0, layout.rowsOfImages(skip, count).reshape({-1}));
    };
    const at::Tensor classes = unitRows(classRows_(gather(tokens.rows, 0, special)));
    const at::Tensor patches = gather(unitRows(patches_(tokens.rows)), special, image);
    const at::NoTF32Guard exact;
    const at::Tensor similarity = at::bmm(patches.view({batch, image, dim}),
                                          classes.view({batch, special, dim}).transpose(1, 2));

    // Places are those of the padded blob, which [B, N, K] is.
    auto scores = std::make_shared<Layout>(*fullLayout(batch, image, device_.place));
    scores->count = layout.count - special;
    scores->isPacked = false;
    giveTokens(outputs[0], {norm_(similarity.view({-1, special})), scores});
  }

 private:
  const std::int64_t classes_;
  Linear patches_, classRows_;
  Norm norm_;
};

class MeanRows : public TorchLayer {
 public:
  MeanRows(const Settings& settings, const Device& device)
      : TorchLayer(settings, device),
        special_(settings.has("special") ? settings.integer("special", 0, 0) : -1),
        withSpecial_(settings.integer("with_special", 0, 0) != 0) {}

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    if (inputs.has("rows") && !inputs.has("map")) {
      identity_.refuse(
          "has rows but no map, so it cannot know how often each row counts; "
          "expected both, or neither");
    }
    const std::int64_t special = inputs.special(special_);
    const Ragged tokens = inputs.tokens(special);
    const TokenMap map = inputs.map(special);
    const Layout& layout = *tokens.layout;

    // [B, capacity]: how often each row counts for each image, 0 for those of others.
    const at::Tensor begin = layout.first.narrow(0, 0, layout.batch).unsqueeze(1);
    const at::Tensor row = at::arange(layout.capacity, begin.options()).unsqueeze(0);
    const at::Tensor isOfImage = row.lt(begin + layout.count.unsqueeze(1));
    const at::Tensor counted =
        row.ge(withSpecial_ ? begin : begin + special).logical_and(isOfImage);
    at::Tensor weights = counted.to(at::kFloat);
    if (map.values.defined() && !map.isIdentity)
      weights = weights * device_.multiplicities(layout, map.values, special);

    const at::NoTF32Guard exact;
    giveDense(outputs[0], at::matmul(weights, tokens.rows) / weights.sum(1, /*keepdim=*/true));
  }

 private:
  const std::int64_t special_;
  const bool withSpecial_;
};

}  // namespace

LayerPtr makeMaskDecoderHead(const Settings& settings, const Device& device) {
  return std::make_unique<MaskDecoderHead>(settings, device);
}

LayerPtr makeMeanRows(const Settings& settings, const Device& device) {
  return std::make_unique<MeanRows>(settings, device);
}

}  // namespace mpm::torch_runner
