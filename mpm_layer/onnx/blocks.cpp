// SPDX-License-Identifier: Apache-2.0
#include "onnx/blocks.h"

#include <algorithm>
#include <utility>

#include "onnx/view.h"

namespace mpm::onnx {

bool Blocks::follow(const std::string& value) {
  const Finding<FoundMlpHalf> mlp = findMlpHalf(facts_, value);
  if (mlp.found) {
    const auto half = halves_.find(behindRowViews(facts_, mlp.found->input));
    return half != halves_.end() && finish(value, half->second, *mlp.found);
  }
  Finding<FoundAttentionHalf> attention = findAttentionHalf(facts_, value, standing_.batch());
  if (!attention.found) return false;
  const Tokens* stream = standing_.tokensToBe(behindRowViews(facts_, attention.found->input));
  if (stream == nullptr || !fits(facts_.model, *attention.found, stream->dim)) return false;
  const std::optional<bool> rowsFirst = attention.found->attention.rowsFirst;
  if (rowsFirst.value_or(stream->rowsFirst) != stream->rowsFirst) return false;
  halves_[value] = std::move(*attention.found);
  return true;
}

std::optional<Tokens> Blocks::inFront(const std::string& stream, const FoundMlpHalf& mlp) {
  Tokens tokens = *standing_.tokens(stream);
  if (!fits(facts_.model, mlp, tokens.dim) || tokens.isScores) return std::nullopt;
  if (!tokens.inEncoder) tokens = *standing_.outside(stream);
  if (tokens.hasAll()) return tokens;
  if (!tokens.isImageOnly()) return std::nullopt;
  return emit_.replaceSpecial(tokens, 0, {});
}

bool Blocks::finish(const std::string& value, const FoundAttentionHalf& attention,
                    const FoundMlpHalf& mlp) {
  std::optional<Tokens> before = inFront(behindRowViews(facts_, attention.input), mlp);
  if (!before) return false;
  std::string name = "a block of its head";
  if (before->inEncoder) {
    name = "block " + std::to_string(before->blocks);
    before = emit_.merge(*before, before->blocks);
  }
  Tokens after = emit_.block(*before, attention, mlp);
  for (const auto* nodes : {&attention.nodes, &mlp.nodes}) {
    for (const Node* node : *nodes) inside_.emplace(node, name);
  }
  if (after.inEncoder) {
    ++after.blocks;
    noteStream(after, attention, mlp);
  }
  standing_.setTokens(value, std::move(after));
  return true;
}

void Blocks::noteStream(const Tokens& after, const FoundAttentionHalf& attention,
                        const FoundMlpHalf& mlp) {
  Encoder& encoder = streams_[after.encoder];
  encoder.blocks = std::max(encoder.blocks, after.blocks);
  encoder.dim = after.dim;
  encoder.heads = attention.attention.heads;
  encoder.special = after.special;
  encoder.gelu = mlp.gelu.kind;
  encoder.rows = after.rows;
  encoder.map = after.map;
}

const std::string* Blocks::around(const Node* node) const {
  const auto found = inside_.find(node);
  return found == inside_.end() ? nullptr : &found->second;
}

bool Blocks::isFinished(const std::string& half) const {
  return around(facts_.model.producer(half)) != nullptr;
}

}  // namespace mpm::onnx
