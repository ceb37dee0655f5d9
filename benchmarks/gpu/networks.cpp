// SPDX-License-Identifier: Apache-2.0
#include "networks.h"

#include <ATen/ATen.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mpm::bench {
namespace {

/// Returns the narrow index for each wide one: i % narrow.
at::Tensor places(std::int64_t narrow, std::int64_t wide) {
  return at::arange(wide, at::kLong).remainder(narrow);
}

/// Repeats the tensor along `axis`.
at::Tensor repeated(const at::Tensor& tensor, std::int64_t axis, std::int64_t wide) {
  return tensor.index_select(axis, places(tensor.size(axis), wide)).contiguous();
}

/// Repeats it along inputs and keeps their sum.
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
  /// Returns how often the deeper encoder repeats a block.
  std::int64_t timesDeeper() const {
    std::int64_t depth = 0;
    while (weights_.count("encoder.blocks." + std::to_string(depth) + ".norm1.weight") > 0) ++depth;
    return size_.depth / depth;
  }
  at::Tensor vector(const std::string& name) const { return repeated(get(name), 0, size_.dim); }
  /// Returns [out x in], `parts` matrices above each other, for `factor` times as many outputs.
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

/// Data from layer to layer; rows and map exist only after a merge.
struct RunnerVit::Tokens {
  RunnerBlob tokens, rows, map;
  bool merged = false;

  std::map<std::string, RunnerBlob> inputs(bool withRows, bool withMap) const {
    std::map<std::string, RunnerBlob> named = {{"tokens", tokens}};
    if (merged && withRows) named["rows"] = rows;
    if (merged && withMap) named["map"] = map;
    return named;
  }
};

RunnerVit::~RunnerVit() = default;

std::unique_ptr<RunnerLayer> RunnerVit::make(const LayerSpec& spec) {
  RunnerLayerParams params;
  params.kind = spec.kind;
  params.name = spec.name;
  params.numbers = spec.numbers;
  params.words = {{"precision", precision_}};
  for (const auto& [name, tensor] : spec.constants)
    params.constants.push_back(
        {name, {tensor.sizes().begin(), tensor.sizes().end()}, tensor.data_ptr<float>()});
  auto layer = runner_.layer(params);
  if (!layer) throw std::runtime_error(spec.kind + " is not computed on " + runner_.deviceName());
  return layer;
}

RunnerVit::RunnerVit(Runner& runner, const Model& model, const std::vector<int>& schedule,
                     const std::string& precision)
    : runner_(runner), size_(model.size), schedule_(schedule), precision_(precision) {
  embed_ = make(model.embed);
  for (const LayerSpec& spec : model.blocks) blocks_.push_back(make(spec));
  for (const int block : schedule)
    merges_.push_back(
        make({"mpm.MutualPairMerge", "merge" + std::to_string(block), {{"special", {1}}}, {}}));
  norm_ = make(model.norm);
  linear_ = make(model.decoderLinear);
  classRows_ = make(model.classRows);
  for (const LayerSpec& spec : model.decoderBlocks) decoderBlocks_.push_back(make(spec));
  decoderNorm_ = make(model.decoderNorm);
  head_ = make(model.head);
  restore_ = make({"mpm.MergeRestore", "restore", {{"special", {0}}}, {}});
}

void RunnerVit::apply(RunnerLayer& layer, Tokens& tokens, bool withMap) {
  std::vector<RunnerBlob> out(1);
  out[0].shape = tokens.tokens.shape;
  layer.forward(tokens.inputs(true, withMap), out);
  tokens.tokens = out[0];
}

RunnerVit::Output RunnerVit::forward(const RunnerBlob& image) {
  const int batch = image.shape[0], count = size_.tokens(), dim = size_.dim;
  std::vector<RunnerBlob> out(1);
  out[0].shape = {batch, 1 + count, dim};
  embed_->forward({{"image", image}}, out);
  Tokens tokens{out[0], {}, {}, false};
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const auto found = std::find(schedule_.begin(), schedule_.end(), static_cast<int>(i));
    if (found != schedule_.end()) {
      std::vector<RunnerBlob> merged(3);
      merged[0].shape = tokens.tokens.shape;
      merged[1].shape = {batch, 1};
      merged[2].shape = {batch, count};
      merges_[static_cast<std::size_t>(found - schedule_.begin())]->forward(
          tokens.inputs(true, true), merged);
      tokens = {merged[0], merged[1], merged[2], true};
    }
    apply(*blocks_[i], tokens, false);
  }
  apply(*norm_, tokens, false);
  apply(*linear_, tokens, false);

  std::vector<RunnerBlob> replaced(2);
  replaced[0].shape = {batch, size_.classes + count, dim};
  replaced[1].shape = {batch, 1};
  classRows_->forward(tokens.inputs(true, false), replaced);
  Tokens decoded{replaced[0], replaced[1], tokens.map, tokens.merged};
  for (auto& block : decoderBlocks_) apply(*block, decoded, true);
  apply(*decoderNorm_, decoded, false);

  out = std::vector<RunnerBlob>(1);
  out[0].shape = {batch, count, size_.classes};
  head_->forward(decoded.inputs(true, false), out);
  if (!tokens.merged) return {out[0], {}, {}};
  std::vector<RunnerBlob> restored(1);
  restored[0].shape = out[0].shape;
  restore_->forward({{"tokens", out[0]}, {"map", tokens.map}}, restored);
  return {restored[0], tokens.rows, tokens.map};
}

namespace {

at::Tensor norm(const LayerSpec& spec, const at::Tensor& x, const char* scale, const char* shift) {
  return at::layer_norm(x, {x.size(-1)}, spec.constant(scale), spec.constant(shift), 1e-6);
}

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v);
#else
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  return at::matmul(at::softmax(at::matmul(q * scale, k.transpose(-2, -1)), -1), v);
#endif
}

at::Tensor block(const LayerSpec& spec, at::Tensor x) {
  const std::int64_t batch = x.size(0), rows = x.size(1), dim = x.size(2);
  const auto heads = static_cast<std::int64_t>(spec.numbers.at("heads")[0]);
  const at::Tensor qkv = at::linear(norm(spec, x, "norm1_scale", "norm1_shift"),
                                    spec.constant("qkv_weight"), spec.constant("qkv_bias"))
                             .reshape({batch, rows, 3, heads, dim / heads})
                             .permute({2, 0, 3, 1, 4});
  const at::Tensor mixed =
      attend(qkv[0], qkv[1], qkv[2]).transpose(1, 2).reshape({batch, rows, dim});
  x = x + at::linear(mixed, spec.constant("proj_weight"), spec.constant("proj_bias"));
  const at::Tensor hidden =
      at::gelu(at::linear(norm(spec, x, "norm2_scale", "norm2_shift"), spec.constant("fc1_weight"),
                          spec.constant("fc1_bias")));
  return x + at::linear(hidden, spec.constant("fc2_weight"), spec.constant("fc2_bias"));
}

at::Tensor unitRows(const at::Tensor& x) {
  return x / x.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace

PlainVit::PlainVit(const Model& model, at::Device device, at::ScalarType type)
    : device_(device), type_(type), model_(model) {
  for (LayerSpec* spec : {&model_.embed, &model_.norm, &model_.decoderLinear, &model_.classRows,
                          &model_.decoderNorm, &model_.head})
    *spec = moved(*spec);
  for (auto* blocks : {&model_.blocks, &model_.decoderBlocks})
    for (LayerSpec& spec : *blocks) spec = moved(spec);
}

LayerSpec PlainVit::moved(const LayerSpec& spec) const {
  LayerSpec there = spec;
  for (auto& [key, tensor] : there.constants) tensor = tensor.to(device_, type_);
  return there;
}

at::Tensor PlainVit::forward(const at::Tensor& image) const {
  const std::int64_t batch = image.size(0), classes = model_.size.classes;
  const at::Tensor patches = at::conv2d(image.to(type_), model_.embed.constant("weight"),
                                        model_.embed.constant("bias"), model_.size.patch)
                                 .flatten(2)
                                 .transpose(1, 2);
  at::Tensor x = at::cat({model_.embed.constant("special").expand({batch, -1, -1}),
                          patches + model_.embed.constant("position")},
                         1);
  for (const LayerSpec& spec : model_.blocks) x = block(spec, x);
  x = norm(model_.norm, x, "scale", "shift").slice(1, 1);
  x = at::linear(x, model_.decoderLinear.constant("weight"), model_.decoderLinear.constant("bias"));
  x = at::cat({model_.classRows.constant("special_rows").expand({batch, -1, -1}), x}, 1);
  for (const LayerSpec& spec : model_.decoderBlocks) x = block(spec, x);
  x = norm(model_.decoderNorm, x, "scale", "shift");
  const at::Tensor tokens = at::matmul(x.slice(1, classes), model_.head.constant("proj_patch"));
  const at::Tensor rows = at::matmul(x.slice(1, 0, classes), model_.head.constant("proj_classes"));
  const at::Tensor scores = at::matmul(unitRows(tokens), unitRows(rows).transpose(1, 2));
  return at::layer_norm(scores, {classes}, model_.head.constant("norm_scale"),
                        model_.head.constant("norm_shift"), 1e-5);
}

}  // namespace mpm::bench
