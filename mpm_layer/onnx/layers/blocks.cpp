// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/blocks.h"

#include <algorithm>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/layers/attention_positions.h"
#include "onnx/layers/row_steps.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

bool fits(const Model& model, const FoundAttention& attention, const Tokens& tokens) {
  const auto takesAll = [&](const FoundProjection& projection) {
    const std::int64_t out = outFeatures(model, projection.linear);
    return inFeatures(model, projection.linear) == tokens.dim &&
           std::all_of(projection.features.begin(), projection.features.end(),
                       [&](std::int64_t feature) { return feature < out; });
  };
  if (!tokens.hasAll() || tokens.isScores || !takesAll(attention.q) || !takesAll(attention.k) ||
      !takesAll(attention.v) || attention.rowsFirst.value_or(tokens.rowsFirst) != tokens.rowsFirst)
    return false;
  if (!attention.knowsPlaces()) return true;
  // Positions are those of the model's own grid, in its order; or of a window, in that one's.
  const Windows& windows = tokens.windows;
  if (windows.areThere() && attention.windows == 0) return false;
  const std::int64_t rows =
      windows.areThere() ? windows.height * windows.width : tokens.special + tokens.ownImage;
  return !attention.q.rotary || static_cast<std::int64_t>(attention.q.rotary->own.size()) ==
                                    rows * attention.q.rotary->heads * attention.headDim;
}

}  // namespace

bool Blocks::follow(const std::string& value) {
  const FoundAttention* loose = loose_ == nullptr ? nullptr : loose_->endingAt(value);
  if (loose != nullptr) return followLoose(value, *loose);
  if (loose_ != nullptr && loose_->isBehind(value)) return false;
  const Finding<FoundMlpHalf> mlp = findMlpHalf(facts_, value);
  if (mlp.found) {
    const auto half = halves_.find(behindRowViews(facts_, mlp.found->input));
    return half != halves_.end() && finish(value, half->second, *mlp.found);
  }
  std::optional<Half> half = attentionHalf(value);
  if (!half) return false;
  const Tokens* stream = standing_.tokensToBe(behindRowViews(facts_, half->found.input));
  if (stream == nullptr || !fits(facts_.model, half->found, stream->dim)) return false;
  const std::optional<bool> rowsFirst = half->found.attention.rowsFirst;
  if (rowsFirst.value_or(stream->rowsFirst) != stream->rowsFirst) return false;
  if (half->inWindows && !stream->hasAll()) return false;
  halves_[value] = std::move(*half);
  return true;
}

std::optional<Blocks::Half> Blocks::attentionHalf(const std::string& value) const {
  const Node* sum = facts_.model.producer(value);
  if (sum == nullptr || !isOp(*sum, "Add")) return std::nullopt;
  auto found = findAttentionHalf(facts_, value, standing_.batch()).found;
  if (found) return Half{std::move(*found), false};
  for (const std::string& input : sum->input()) {
    const std::int64_t windows = standing_.windowsOf(behindRowViews(facts_, input));
    if (windows < 2) continue;
    found = findAttentionHalf(facts_, value, standing_.batch() * windows).found;
    if (found && behindRowViews(facts_, found->input) == behindRowViews(facts_, input))
      return Half{std::move(*found), true};
  }
  return std::nullopt;
}

std::optional<Tokens> Blocks::inFront(const std::string& stream, const FoundMlpHalf& mlp) {
  Tokens tokens = *standing_.tokens(stream);
  if (!fits(facts_.model, mlp, tokens.dim) || tokens.isScores) return std::nullopt;
  if (!tokens.inEncoder) tokens = *standing_.outside(stream);
  if (tokens.hasAll()) return tokens;
  if (!tokens.isImageOnly()) return std::nullopt;
  return emit_.replaceSpecial(tokens, 0, {});
}

bool Blocks::finish(const std::string& value, const Half& half, const FoundMlpHalf& mlp) {
  const FoundAttentionHalf& attention = half.found;
  std::optional<Tokens> before = inFront(behindRowViews(facts_, attention.input), mlp);
  if (!before || (half.inWindows && !before->inEncoder)) return false;
  std::string name = "a block of its head";
  if (before->inEncoder) {
    name = nameOfBlock(before->blocks);
    before = emit_.merge(*before, before->blocks);
  }
  Tokens after = emit_.block(*before, attention, mlp, half.inWindows);
  for (const auto* nodes : {&attention.nodes, &mlp.nodes}) {
    for (const Node* node : *nodes) inside_.emplace(node, name);
  }
  if (after.inEncoder) {
    ++after.blocks;
    noteStream(after, after.dim, attention.attention.heads);
    streams_[after.encoder].gelu = mlp.gelu.kind;
  }
  standing_.setTokens(value, std::move(after));
  return true;
}

void Blocks::noteStream(const Tokens& after, std::int64_t dim, std::int64_t heads) {
  Encoder& encoder = streams_[after.encoder];
  if (encoder.blocks == 0) encoder.special = after.special;  // others may join behind
  encoder.blocks = std::max(encoder.blocks, after.blocks);
  encoder.dim = dim;
  encoder.heads = heads;
}

bool Blocks::fitsGrid(const FoundAttention& attention, const Tokens& tokens) {
  const Windows& windows = tokens.windows;
  if (!attention.distances && attention.windows == 0) return true;
  if (!tokens.isImageOnly() || !tokens.inEncoder || windows.count() != attention.windows)
    return false;
  if (!tokens.hasOwnGrid) {
    standing_.noteOwnGrid(
        "its attention adds what depends on distances, which are for its own size alone");
    return false;
  }
  const std::int64_t height = windows.areThere() ? windows.height : tokens.gridHeight;
  const std::int64_t width = windows.areThere() ? windows.width : tokens.gridWidth;
  const auto& distances = attention.distances;
  if (distances && (distances->height != height || distances->width != width)) return false;
  if (attention.q.norm || !attention.bias.empty()) return false;
  // The place of a cell beside the grid is not told to a layer.
  if (attention.q.rotary && (distances || tokens.isPadded())) return false;
  if (!windows.areThere()) return true;
  if (tokens.isPadded() && !hasZerosAdded(facts_, attention.input)) return false;
  return windows.count() == 1 || windows_.emplace(tokens.encoder, windows).first->second == windows;
}

bool Blocks::followLoose(const std::string& value, const FoundAttention& attention) {
  const Tokens* found = standing_.outside(attention.input);
  if (found == nullptr || !fits(facts_.model, attention, *found) || !fitsGrid(attention, *found))
    return false;
  // Behind the encoder a merged row counts as its tokens do, which stand at different places.
  if (attention.knowsPlaces() && !found->inEncoder && !found->map.empty()) return false;
  const Tokens before = *found;
  auto positions =
      positionsOf(facts_.model, attention, before, standing_.embeddingOf(before.encoder));
  if (!positions.found) {
    standing_.noteOwnGrid(std::move(positions.obstacle));
    return false;
  }
  const auto stream = streams_.find(before.encoder);
  const bool isBeside =
      before.inEncoder && stream != streams_.end() && stream->second.blocks > before.blocks;
  Tokens after = emit_.attention(before, attention, std::move(*positions.found), isBeside);
  after.rowsFirst = before.rowsFirst != attention.swapsResult;
  if (after.inEncoder) {
    ++after.blocks;
    noteStream(after, before.dim, attention.heads);
  }
  standing_.setTokens(value, std::move(after));
  return true;
}

const std::string* Blocks::around(const Node* node) const {
  const auto found = inside_.find(node);
  return found == inside_.end() ? nullptr : &found->second;
}

bool Blocks::isFinished(const std::string& half) const {
  return around(facts_.model.producer(half)) != nullptr;
}

}  // namespace mpm::onnx
