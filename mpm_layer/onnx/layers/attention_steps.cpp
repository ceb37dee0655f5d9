// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/attention_steps.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/layers/positions.h"
#include "onnx/layers/row_steps.h"

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
  // Positions are those of the model's own grid in its order, or of one window in its order.
  const Windows& windows = tokens.windows;
  if (windows.areThere() && attention.windows == 0) return false;
  const std::int64_t rows =
      windows.areThere() ? windows.height * windows.width : tokens.special + tokens.ownImage;
  return !attention.q.rotary || static_cast<std::int64_t>(attention.q.rotary->own.size()) ==
                                    rows * attention.q.rotary->heads * attention.headDim;
}

}  // namespace

bool AttentionSteps::follow(const std::string& value) {
  const BlockAttention* ending = blocks_.endingAt(value);
  const Tokens* found = ending == nullptr ? nullptr : tokenValues_.outside(ending->attention.input);
  if (found == nullptr) return false;
  FoundAttention attention = ending->attention;
  // Windows in the batch may be several pictures instead, each of which is one image.
  const Embedding& embedding = tokenValues_.embeddingOf(found->encoder);
  if (!found->windows.areThere() && embedding.batch == batchOf(analysed_) * attention.windows)
    attention.windows = 0;
  // A stream that has its rows window by window keeps them so through the rest of the block.
  const bool isStreamDealt =
      attention.windows > 1 && attention.isPlain() && tokenValues_.isStreamDealt();
  if (!fits(analysed_.model, attention, *found) || !fitsGrid(attention, *found, isStreamDealt))
    return false;
  // After the encoder a merged row counts as its tokens, which are at different places.
  if (attention.knowsPlaces() && !found->inEncoder && !found->map.empty()) return false;
  const Tokens before = *found;
  auto positions = positionsOf(analysed_.model, attention, before, embedding);
  if (!positions.found) {
    tokenValues_.noteOwnGrid(std::move(positions.obstacle));
    return false;
  }
  const auto stream = streams_.find(before.encoder);
  const bool isBeside =
      before.inEncoder && stream != streams_.end() && stream->second.blocks > before.blocks;
  Tokens after =
      emit_.attention(before, attention, std::move(*positions.found), isBeside, isStreamDealt);
  after.rowsFirst = before.rowsFirst != attention.swapsResult;
  if (after.inEncoder) {
    ++after.blocks;
    noteStream(after, before.dim, attention.heads);
  }
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

void AttentionSteps::noteStream(const Tokens& after, std::int64_t dim, std::int64_t heads) {
  Encoder& encoder = streams_[after.encoder];
  if (encoder.blocks == 0) encoder.special = after.special;  // others may join behind
  encoder.blocks = std::max(encoder.blocks, after.blocks);
  encoder.dim = dim;
  encoder.heads = heads;
}

bool AttentionSteps::fitsGrid(const FoundAttention& attention, const Tokens& tokens,
                              bool isStreamDealt) {
  const Windows& windows = tokens.windows;
  if (!attention.distances && attention.windows == 0) return true;
  if (!tokens.inEncoder || windows.count() != attention.windows) return false;
  if (isStreamDealt) return true;
  if (!tokens.isImageOnly()) return false;
  if (!tokens.hasOwnGrid) {
    tokenValues_.noteOwnGrid(
        "its attention adds what depends on distances, which are for its own size alone");
    return false;
  }
  const std::int64_t height = windows.areThere() ? windows.height : tokens.gridHeight;
  const std::int64_t width = windows.areThere() ? windows.width : tokens.gridWidth;
  const auto& distances = attention.distances;
  if (distances && (distances->height != height || distances->width != width)) return false;
  if (attention.q.norm || !attention.bias.empty()) return false;
  // A layer does not know the place of a cell outside the grid.
  if (attention.q.rotary && (distances || tokens.isPadded())) return false;
  if (!windows.areThere()) return true;
  if (tokens.isPadded() && !hasZerosAdded(analysed_, attention.input)) return false;
  return windows.count() == 1 || windows_.emplace(tokens.encoder, windows).first->second == windows;
}

}  // namespace mpm::onnx
