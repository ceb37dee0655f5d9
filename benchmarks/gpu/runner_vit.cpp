// SPDX-License-Identifier: Apache-2.0
#include "runner_vit.h"

#include <algorithm>
#include <stdexcept>

namespace mpm::bench {

/// What goes from layer to layer; rows and map only behind a merge.
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

}  // namespace mpm::bench
