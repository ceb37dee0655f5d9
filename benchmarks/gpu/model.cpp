// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mpm::bench {
namespace {

/// Index i of the wide is i % narrow of the narrow.
at::Tensor places(std::int64_t narrow, std::int64_t wide) {
  return at::arange(wide, at::kLong).remainder(narrow);
}

/// Along `axis`, over and over.
at::Tensor repeated(const at::Tensor& tensor, std::int64_t axis, std::int64_t wide) {
  return tensor.index_select(axis, places(tensor.size(axis), wide)).contiguous();
}

/// The same along inputs, whose sum has to stay what it was.
at::Tensor shared(const at::Tensor& tensor, std::int64_t axis, std::int64_t wide) {
  const std::int64_t narrow = tensor.size(axis);
  const at::Tensor times = at::bincount(places(narrow, wide), {}, narrow).to(at::kFloat);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(tensor.dim()), 1);
  shape[static_cast<std::size_t>(axis)] = narrow;
  return repeated(tensor / times.reshape(shape), axis, wide);
}

class Widening {
 public:
  Widening(const ModelSize& size, const Tensors& weights)
      : size_(size), weights_(weights), dim_(get("encoder.cls_token").size(2)) {}

  const at::Tensor& get(const std::string& name) const {
    const auto found = weights_.find(name);
    if (found == weights_.end()) throw std::runtime_error("the model's weights lack " + name);
    return found->second;
  }
  /// How often a block of the encoder stands in the deeper one.
  std::int64_t timesDeeper() const {
    std::int64_t depth = 0;
    while (weights_.count("encoder.blocks." + std::to_string(depth) + ".norm1.weight") > 0) ++depth;
    return size_.depth / depth;
  }
  at::Tensor vector(const std::string& name) const { return repeated(get(name), 0, size_.dim); }
  /// [out x in], `parts` matrices above each other, `factor` times as many outputs as features.
  at::Tensor matrix(const std::string& name, std::int64_t parts = 1) const {
    const at::Tensor& weight = get(name);
    const std::int64_t inputs = weight.size(1) / dim_ * size_.dim;
    std::vector<at::Tensor> wide;
    for (const at::Tensor& part : weight.chunk(parts, 0))
      wide.push_back(repeated(shared(part, 1, inputs), 0, part.size(0) / dim_ * size_.dim));
    return at::cat(wide, 0);
  }
  at::Tensor biases(const std::string& name, std::int64_t parts = 1) const {
    std::vector<at::Tensor> wide;
    for (const at::Tensor& part : get(name).chunk(parts, 0))
      wide.push_back(repeated(part, 0, part.size(0) / dim_ * size_.dim));
    return at::cat(wide, 0);
  }

  LayerSpec norm(const std::string& name) const {
    return {"mpm.Normalize",
            name,
            {{"eps", {1e-6}}},
            {{"scale", vector(name + ".weight")}, {"shift", vector(name + ".bias")}}};
  }

  LayerSpec block(const std::string& from, const std::string& name, double added) const {
    LayerSpec spec{
        "mpm.TransformerBlock", name, {{"heads", {double(size_.heads)}}, {"eps", {1e-6}}}, {}};
    spec.constants = {{"norm1_scale", vector(from + ".norm1.weight")},
                      {"norm1_shift", vector(from + ".norm1.bias")},
                      {"qkv_weight", matrix(from + ".attn.qkv.weight", 3)},
                      {"qkv_bias", biases(from + ".attn.qkv.bias", 3)},
                      {"proj_weight", added * matrix(from + ".attn.proj.weight")},
                      {"proj_bias", added * biases(from + ".attn.proj.bias")},
                      {"norm2_scale", vector(from + ".norm2.weight")},
                      {"norm2_shift", vector(from + ".norm2.bias")},
                      {"fc1_weight", matrix(from + ".mlp.fc1.weight")},
                      {"fc1_bias", biases(from + ".mlp.fc1.bias")},
                      {"fc2_weight", added * matrix(from + ".mlp.fc2.weight")},
                      {"fc2_bias", added * biases(from + ".mlp.fc2.bias")}};
    return spec;
  }

 private:
  const ModelSize& size_;
  const Tensors& weights_;
  const std::int64_t dim_;  // of the weights
};

LayerSpec embedding(const Widening& wide, const ModelSize& size) {
  const double side = size.grid();
  const at::Tensor position = repeated(wide.get("encoder.pos_embed")[0], 1, size.dim);
  const at::Tensor special =
      repeated(wide.get("encoder.cls_token")[0], 1, size.dim) + position.slice(0, 0, 1);
  return {"mpm.PatchEmbed",
          "embed",
          {{"patch", {double(size.patch)}}, {"grid", {side, side}}},
          {{"weight", repeated(wide.get("encoder.patch_embed.proj.weight"), 0, size.dim)},
           {"bias", wide.vector("encoder.patch_embed.proj.bias")},
           {"position", position.slice(0, 1).contiguous()},
           {"special", special}}};
}

LayerSpec maskHead(const Widening& wide, const ModelSize& size) {
  const auto projection = [&](const char* name) {
    return repeated(shared(wide.get(name), 0, size.dim), 1, size.dim);
  };
  return {"mpm.MaskDecoderHead",
          "head",
          {{"special", {double(size.classes)}}},
          {{"proj_patch", projection("decoder.proj_patch")},
           {"proj_classes", projection("decoder.proj_classes")},
           {"norm_scale", repeated(wide.get("decoder.mask_norm.weight"), 0, size.classes)},
           {"norm_shift", repeated(wide.get("decoder.mask_norm.bias"), 0, size.classes)}}};
}

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

Tensors drawnTensors(const ModelSize& size, std::uint64_t seed) {
  at::manual_seed(seed);
  Tensors drawn;
  const std::int64_t d = size.dim;
  const auto draw = [&](const std::string& name, at::IntArrayRef shape) {
    drawn[name] = at::randn(shape).clamp_(-2, 2).mul_(0.02);
  };
  const auto norm = [&](const std::string& name, std::int64_t count) {
    drawn[name + ".weight"] = at::ones({count});
    drawn[name + ".bias"] = at::zeros({count});
  };
  const auto linear = [&](const std::string& name, std::int64_t outputs, std::int64_t inputs) {
    draw(name + ".weight", {outputs, inputs});
    drawn[name + ".bias"] = at::zeros({outputs});
  };
  const auto blocks = [&](const std::string& part, int depth) {
    for (int i = 0; i < depth; ++i) {
      const std::string block = part + ".blocks." + std::to_string(i);
      norm(block + ".norm1", d);
      linear(block + ".attn.qkv", 3 * d, d);
      linear(block + ".attn.proj", d, d);
      norm(block + ".norm2", d);
      linear(block + ".mlp.fc1", 4 * d, d);
      linear(block + ".mlp.fc2", d, 4 * d);
    }
  };
  draw("encoder.patch_embed.proj.weight", {d, 3, size.patch, size.patch});
  drawn["encoder.patch_embed.proj.bias"] = at::zeros({d});
  draw("encoder.cls_token", {1, 1, d});
  draw("encoder.pos_embed", {1, 1 + size.tokens(), d});
  blocks("encoder", size.depth);
  norm("encoder.norm", d);
  linear("decoder.proj_dec", d, d);
  draw("decoder.cls_emb", {1, size.classes, d});
  blocks("decoder", size.decoderDepth);
  norm("decoder.decoder_norm", d);
  draw("decoder.proj_patch", {d, d});
  draw("decoder.proj_classes", {d, d});
  norm("decoder.mask_norm", size.classes);
  return drawn;
}

Tensors readTensors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Tensors tensors;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::vector<std::int64_t> shape;
    words >> name;
    for (std::int64_t size = 0; words >> size;) shape.push_back(size);
    at::Tensor tensor = at::empty(shape);
    file.read(static_cast<char*>(tensor.data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
    if (!file) throw std::runtime_error(path + " ends within " + name);
    tensors.emplace(name, tensor);
  }
  if (tensors.empty()) throw std::runtime_error(path + " holds no tensors, or cannot be read");
  return tensors;
}

Model modelOf(const ModelSize& size, const Tensors& weights) {
  const Widening wide(size, weights);
  const std::int64_t times = wide.timesDeeper();
  Model model;
  model.size = size;
  model.embed = embedding(wide, size);
  for (int i = 0; i < size.depth; ++i)
    model.blocks.push_back(wide.block("encoder.blocks." + std::to_string(i / times),
                                      "block" + std::to_string(i), 1.0 / double(times)));
  model.norm = wide.norm("encoder.norm");
  model.decoderLinear = {"mpm.Linear",
                         "decoder",
                         {},
                         {{"weight", wide.matrix("decoder.proj_dec.weight")},
                          {"bias", wide.biases("decoder.proj_dec.bias")}}};
  const at::Tensor rows = repeated(wide.get("decoder.cls_emb")[0], 1, size.dim);
  model.classRows = {"mpm.ReplaceSpecial",
                     "classes",
                     {{"special", {1}}},
                     {{"special_rows", repeated(rows, 0, size.classes)}}};
  for (int i = 0; i < size.decoderDepth; ++i)
    model.decoderBlocks.push_back(
        wide.block("decoder.blocks." + std::to_string(i), "decoder" + std::to_string(i), 1));
  model.decoderNorm = wide.norm("decoder.decoder_norm");
  model.head = maskHead(wide, size);
  return model;
}

}  // namespace mpm::bench
