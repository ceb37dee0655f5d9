// SPDX-License-Identifier: Apache-2.0
// The kinds of layers that LibTorch computes, each as mpm/layers.h says.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <cmath>
#include <limits>
#include <map>

#include "contract/gelu.h"
#include "contract/layer_kinds.h"
#include "torch/attention.h"
#include "torch/layer.h"

namespace mpm::torch_runner {
namespace {

using std::to_string;

// mpm.PatchEmbed: one product of all patches of the batch.

class PatchEmbed : public TorchLayer {
 public:
  PatchEmbed(const Settings& settings, const Device& device)
      : TorchLayer(settings, device), patch_(settings.integer("patch", 16)) {
    const at::Tensor weight = settings.matrix("weight", -1, -1);
    const std::int64_t dim = weight.size(0);
    if (weight.size(1) % (patch_ * patch_) != 0) {
      settings.identity.refuseInput(
          "weight", "has " + to_string(weight.size(1)) + " columns; expected a multiple of " +
                        to_string(patch_ * patch_) + ", the pixels of a patch");
    }
    projection_ = {weight, settings.vector("bias", dim), {}, precision_, device.place};
    if (settings.hasConstant("position")) position_ = place(settings.matrix("position", -1, dim));
    if (settings.hasConstant("special")) special_ = place(settings.matrix("special", -1, dim));
  }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const at::Tensor image = inputs.dense("image");
    const std::int64_t batch = image.size(0), channels = image.size(1), patch = patch_;
    const std::int64_t height = image.size(2) / patch, width = image.size(3) / patch;
    const std::int64_t patches = height * width, dim = projection_.weight.size(0);
    if (position_.defined() && position_.size(0) != patches) {
      identity_.refuseInput("position", "is " + shapeText(position_.sizes()) + "; expected [" +
                                            to_string(patches) + " x " + to_string(dim) + "]");
    }
    const at::Tensor pixels = image.to(projection_.weight.scalar_type())
                                  .view({batch, channels, height, patch, width, patch})
                                  .permute({0, 2, 4, 1, 3, 5})
                                  .reshape({batch * patches, channels * patch * patch});
    const at::Tensor projected = projection_(pixels).view({batch, patches, dim});

    const std::int64_t front = special_.defined() ? special_.size(0) : 0;
    const at::Tensor tokens =
        at::empty({batch, front + patches, dim}, projected.options().dtype(at::kFloat));
    at::Tensor behind = tokens.narrow(1, front, patches);
    behind.copy_(projected);
    if (position_.defined()) behind.add_(position_);
    if (front > 0) tokens.narrow(1, 0, front).copy_(special_.expand({batch, front, dim}));
    giveTokens(outputs[0],
               {tokens.view({-1, dim}), fullLayout(batch, front + patches, device_.place)});
  }

 private:
  std::int64_t patch_;
  Linear projection_;
  at::Tensor position_, special_;
};

// mpm.Normalize and mpm.Linear: row by row, of tokens or of single rows [B, D].

class RowLayer : public TorchLayer {
 public:
  using TorchLayer::TorchLayer;

 protected:
  /// Maps rows [n, D] to float32 [n, M].
  virtual at::Tensor computeRows(const at::Tensor& rows) const = 0;
  /// Returns the number of features; -1: any.
  virtual std::int64_t features() const = 0;

  void compute(const Inputs& inputs, Outputs& outputs) final {
    const std::vector<int>& shape = inputs.shape("tokens");
    const bool single = shape.size() == 2;
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
              settings.number("eps", 1e-5), settings.integer("centred", 1) != 0} {}

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

// mpm.TransformerBlock: a pre-norm block of a ViT, on a ragged batch.

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
    heads_ = settings.integer("heads", 1);
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

  /// Makes a form on first use. A block always has weights or never, except when merges are
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

// mpm.MutualPairMerge: the remaining rows are packed again. Their number is the one thing that a
// forward waits for, since later work is launched for exactly so many.

class MutualPairMerge : public TorchLayer {
 public:
  MutualPairMerge(const Settings& settings, const Device& device)
      : TorchLayer(settings, device),
        special_(settings.integer("special", -1)),
        window_(settings.integer("window", 0)),
        grid_(settings.grid()),
        isEnabled_(settings.integer("enabled", 1) != 0) {}

  void setEnabled(bool on) override { isEnabled_ = on; }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(special_);
    const std::vector<int>& shape = inputs.shape("tokens");
    const std::int64_t originals = shape[1] - special;
    const Ragged tokens = inputs.tokens(special);
    const TokenMap map = inputs.map(special);
    if (!isEnabled_) return pass(tokens, map, shape[0], originals, outputs);

    MergeRequest request;
    request.tokens = tokens;
    request.map = map.values;
    request.regions = inputs.regions();
    request.special = special;
    request.originals = originals;
    request.window = window_;
    request.gridHeight = grid_[0];
    request.gridWidth = grid_[1];
    const Ragged merged = merge(request);
    giveTokens(outputs[0], merged);
    if (outputs.size() > 1) giveRows(outputs[1], merged.layout);
    if (outputs.size() > 2) giveMap(outputs[2], {request.outMap, false});
  }

 private:
  void pass(const Ragged& tokens, TokenMap map, std::int64_t batch, std::int64_t originals,
            Outputs& outputs) const {
    giveTokens(outputs[0], tokens);
    if (outputs.size() > 1) giveRows(outputs[1], tokens.layout);
    if (outputs.size() < 3) return;
    if (!map.values.defined()) {
      const auto integers = at::TensorOptions(device_.place).dtype(at::kInt);
      map.values = at::arange(originals, integers).repeat({batch, 1});
      map.isIdentity = true;
    }
    giveMap(outputs[2], map);
  }

  /// Allocates the request's outputs, merges, and returns the batch.
  Ragged merge(MergeRequest& request) const {
    const Layout& from = *request.tokens.layout;
    const at::Tensor& rows = request.tokens.rows;
    const at::TensorOptions integers = from.count.options();
    request.merged = at::empty({from.capacity, rows.size(1)}, rows.options());
    request.first = at::empty({from.batch + 1}, integers);
    request.count = at::empty({from.batch}, integers);
    request.outMap = at::empty({from.batch, request.originals}, integers);
    device_.merge(request);
    const auto total = request.first.select(0, from.batch).item<std::int32_t>();
    const LayoutPtr layout = packedLayout(request.count, total, from.most, request.first);
    return {request.merged.narrow(0, 0, layout->capacity), layout};
  }

  const std::int64_t special_, window_;
  const std::vector<std::int64_t> grid_;
  bool isEnabled_;
};

// mpm.MergeRestore and mpm.ReplaceSpecial: rows move, and none is computed.

class MergeRestore : public TorchLayer {
 public:
  MergeRestore(const Settings& settings, const Device& device)
      : TorchLayer(settings, device), special_(settings.integer("special", -1)) {}

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
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
        special_(settings.integer("special", 0)),
        keeps_(settings.integer("keep", 0) != 0) {
    if (settings.hasConstant("special_rows"))
      front_ = place(settings.matrix("special_rows", -1, -1));
  }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(special_);
    const Ragged out = replaceFront(inputs.tokens(special), keeps_ ? 0 : special, front_);
    giveTokens(outputs[0], out);
    if (outputs.size() > 1) giveRows(outputs[1], out.layout);
  }

 private:
  const std::int64_t special_;
  const bool keeps_;
  at::Tensor front_;
};

// mpm.MaskDecoderHead and mpm.MeanRows, at the end of a net. Products are float32 in bf16 too:
// there is little to compute, and similarities and means need the digits.

/// Returns rows of length 1; a zero row stays zero.
at::Tensor unitRows(const at::Tensor& rows) {
  const at::Tensor values = rows.to(at::kFloat);
  const at::Tensor length = at::sqrt(values.square().sum(-1, /*keepdim=*/true));
  return values / length.clamp_min(std::numeric_limits<float>::min());
}

class MaskDecoderHead : public TorchLayer {
 public:
  MaskDecoderHead(const Settings& settings, const Device& device)
      : TorchLayer(settings, device), classes_(settings.integer("special", 0)) {
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

    // Rows keep their places in the padded blob, [B, N, K].
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
        special_(settings.integer("special", -1)),
        withSpecial_(settings.integer("with_special", 0) != 0) {}

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(special_);
    const Ragged tokens = inputs.tokens(special);
    const TokenMap map = inputs.map(special);
    const Layout& layout = *tokens.layout;

    // Counts each row for each image, [B, capacity]; 0 for rows of others.
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

template <class Kind>
std::unique_ptr<RunnerLayer> make(const Settings& settings, const Device& device) {
  return std::make_unique<Kind>(settings, device);
}

}  // namespace

std::unique_ptr<RunnerLayer> makeLayer(const Settings& settings, const Device& device) {
  using Make = std::unique_ptr<RunnerLayer>(const Settings&, const Device&);
  static const std::map<LayerKind, Make*> kMakers = {
      {LayerKind::patchEmbed, make<PatchEmbed>},
      {LayerKind::normalize, make<NormalizeLayer>},
      {LayerKind::linear, make<LinearLayer>},
      {LayerKind::transformerBlock, make<TransformerBlock>},
      {LayerKind::mutualPairMerge, make<MutualPairMerge>},
      {LayerKind::mergeRestore, make<MergeRestore>},
      {LayerKind::replaceSpecial, make<ReplaceSpecial>},
      {LayerKind::maskDecoderHead, make<MaskDecoderHead>},
      {LayerKind::meanRows, make<MeanRows>}};
  const auto kind = kindOf(settings.identity.kind);
  const auto maker = kind ? kMakers.find(*kind) : kMakers.end();
  if (maker == kMakers.end() || settings.integer("windows", 0) > 0) return nullptr;
  return maker->second(settings, device);
}

}  // namespace mpm::torch_runner
