// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <ATen/ATen.h>

#include <stdexcept>

namespace mpm::bench {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) { at::manual_seed(seed); }

  at::Tensor weights(at::IntArrayRef shape) { return at::randn(shape).clamp_(-2, 2).mul_(0.02); }
  LayerSpec norm(const std::string& name, int dim) {
    return {"mpm.Normalize",
            name,
            {{"eps", {1e-6}}},
            {{"scale", at::ones({dim})}, {"shift", at::zeros({dim})}}};
  }
  LayerSpec block(const std::string& name, int dim, int heads) {
    const std::int64_t d = dim;
    LayerSpec spec{"mpm.TransformerBlock", name, {{"heads", {double(heads)}}, {"eps", {1e-6}}}, {}};
    spec.constants = {{"norm1_scale", at::ones({d})},      {"norm1_shift", at::zeros({d})},
                      {"qkv_weight", weights({3 * d, d})}, {"qkv_bias", at::zeros({3 * d})},
                      {"proj_weight", weights({d, d})},    {"proj_bias", at::zeros({d})},
                      {"norm2_scale", at::ones({d})},      {"norm2_shift", at::zeros({d})},
                      {"fc1_weight", weights({4 * d, d})}, {"fc1_bias", at::zeros({4 * d})},
                      {"fc2_weight", weights({d, 4 * d})}, {"fc2_bias", at::zeros({d})}};
    return spec;
  }
};

}  // namespace

const std::vector<ModelSize>& modelSizes() {
  static const std::vector<ModelSize> sizes = {
      {"T", 192, 12, 3}, {"S", 384, 12, 6}, {"B", 768, 12, 12}, {"L", 1024, 24, 16}};
  return sizes;
}

const at::Tensor& LayerSpec::constant(const std::string& wanted) const {
  for (const auto& [key, tensor] : constants)
    if (key == wanted) return tensor;
  throw std::logic_error(kind + " has no " + wanted);
}

Model drawnModel(const ModelSize& size, std::uint64_t seed) {
  Draw draw(seed);
  Model model;
  model.size = size;
  const std::int64_t d = size.dim;
  const double side = size.grid(), patch = size.patch, classes = size.classes;
  model.embed = {"mpm.PatchEmbed",
                 "embed",
                 {{"patch", {patch}}, {"grid", {side, side}}},
                 {{"weight", draw.weights({d, 3, size.patch, size.patch})},
                  {"bias", at::zeros({d})},
                  {"position", draw.weights({size.tokens(), d})},
                  {"special", draw.weights({1, d})}}};
  for (int i = 0; i < size.depth; ++i)
    model.blocks.push_back(draw.block("block" + std::to_string(i), size.dim, size.heads));
  model.norm = draw.norm("norm", size.dim);
  model.decoderLinear = {
      "mpm.Linear", "decoder", {}, {{"weight", draw.weights({d, d})}, {"bias", at::zeros({d})}}};
  model.classRows = {"mpm.ReplaceSpecial",
                     "classes",
                     {{"special", {1}}},
                     {{"special_rows", draw.weights({size.classes, d})}}};
  for (int i = 0; i < size.decoderDepth; ++i)
    model.decoderBlocks.push_back(draw.block("decoder" + std::to_string(i), size.dim, size.heads));
  model.decoderNorm = draw.norm("decoder_norm", size.dim);
  model.head = {"mpm.MaskDecoderHead",
                "head",
                {{"special", {classes}}},
                {{"proj_patch", draw.weights({d, d})},
                 {"proj_classes", draw.weights({d, d})},
                 {"norm_scale", at::ones({size.classes})},
                 {"norm_shift", at::zeros({size.classes})}}};
  return model;
}

}  // namespace mpm::bench
