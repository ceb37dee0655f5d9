// SPDX-License-Identifier: Apache-2.0
// mpm.PatchEmbed: one product of all patches of the batch.
#include <ATen/ATen.h>

#include "torch/layer.h"
#include "torch/linear.h"

namespace mpm::torch_runner {
namespace {

using std::to_string;

class PatchEmbed : public TorchLayer {
 public:
  PatchEmbed(const Settings& settings, const Device& device)
      : TorchLayer(settings, device),
        patch_(settings.integer("patch", 16, 1)),
        grid_(settings.grid()) {
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
    checkImage(inputs.shape("image"));
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
  void checkImage(const std::vector<int>& image) const {
    const int patch = static_cast<int>(patch_);
    const auto isWhole = [&](int side) { return side >= patch && side % patch == 0; };
    const bool fits = image.size() == 4 && image[0] > 0 && isWhole(image[2]) && isWhole(image[3]) &&
                      image[1] * patch_ * patch_ == projection_.weight.size(1);
    if (!fits) {
      identity_.refuseInput(
          "image",
          "is " + shapeText(image) + "; expected [batch x " +
              to_string(projection_.weight.size(1) / (patch_ * patch_)) +
              " x height x width], height and width multiples of patch = " + to_string(patch_));
    }
    if (!grid_.empty() && (image[2] != grid_[0] * patch_ || image[3] != grid_[1] * patch_)) {
      identity_.refuseInput("image", "is " + shapeText(image) + "; expected a height of " +
                                         to_string(grid_[0] * patch_) + " and a width of " +
                                         to_string(grid_[1] * patch_));
    }
  }

  std::int64_t patch_;
  std::vector<std::int64_t> grid_;
  Linear projection_;
  at::Tensor position_, special_;
};

}  // namespace

LayerPtr makePatchEmbed(const Settings& settings, const Device& device) {
  return std::make_unique<PatchEmbed>(settings, device);
}

}  // namespace mpm::torch_runner
