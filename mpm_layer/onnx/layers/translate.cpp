// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/translate.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/attention_steps.h"
#include "onnx/layers/blocks.h"
#include "onnx/layers/fuse.h"
#include "onnx/layers/needed_layers.h"
#include "onnx/layers/obstacles.h"
#include "onnx/layers/row_steps.h"
#include "onnx/layers/token_values.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {
namespace {

// Returns the encoder with most blocks, with the other encoders that have some.
Encoder findEncoder(const TokenValues& tokenValues, const AttentionSteps& attention) {
  Encoder encoder;
  std::vector<Encoder> all;
  for (const auto& [blob, stream] : attention.streams()) {
    Encoder& found = all.emplace_back(stream);
    const Embedding& embedding = tokenValues.embeddingOf(blob);
    found.stream = blob;
    found.image = embedding.image;
    found.patch = embedding.patch;
    found.gridHeight = embedding.gridHeight;
    found.gridWidth = embedding.gridWidth;
  }
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  if (most == all.end()) return encoder;
  encoder = std::move(*most);
  all.erase(most);
  encoder.others = std::move(all);
  return encoder;
}

// Finds the encoder's last value with all its rows, or its norm if that has the image's rows.
void findFeatures(const AnalysedModel& analysed, TokenValues& tokenValues, Encoder& encoder) {
  const auto forEachRows = [&](const auto& take) {
    for (const Node* node : analysed.model.nodes()) {
      for (const std::string& value : node->output()) {
        const Tokens* rows = tokenValues.tokens(value);
        if (rows == nullptr || rows->flat || rows->dropsRows || rows->isScores) continue;
        if (rows->dim == encoder.dim && (rows->hasAll() || rows->isImageOnly())) take(value, *rows);
      }
    }
  };
  forEachRows([&](const std::string& value, const Tokens& rows) {
    if (!rows.inEncoder || rows.blocks != encoder.blocks || !rows.hasAll()) return;
    if (rows.encoder != encoder.stream) return;
    encoder.features = value;
    encoder.featureRows = rows;
  });
  const std::string stream = encoder.featureRows.blob;
  bool isNormalised = false;
  forEachRows([&](const std::string& value, const Tokens& rows) {
    const auto norm = isNormalised ? std::nullopt : findNormalize(analysed, value);
    if (!norm) return;
    const Tokens* before = tokenValues.tokens(behindRowViews(analysed, norm->input));
    if (before == nullptr || before->blob != stream) return;
    isNormalised = true;
    encoder.features = value;
    encoder.featureRows = rows;
  });
}

// Finds the values between the encoder's blocks.
void findStreams(const Blocks& blocks, TokenValues& tokenValues, Encoder& encoder) {
  for (const Block& block : blocks.all()) {
    const Tokens* rows = tokenValues.tokens(block.stream);
    if (rows == nullptr || rows->encoder != encoder.stream || rows->blocks == 0) continue;
    if (rows->hasAll() && !rows->flat && rows->dim == encoder.dim)
      encoder.streams.push_back({block.stream, *rows});
  }
}

bool isA(const Plan::NewNode& added, LayerKind kind) {
  return added.node.domain() == "mpm" && added.node.op_type() == operatorOf(kind);
}

// Returns the GELU of an encoder's last fused block. Without one, returns that of the last linear
// layer with a GELU before an attention.
std::optional<Gelu> geluOf(const Plan& plan, const std::string& stream) {
  std::optional<Gelu> fused, unfused, inFront;
  for (const Plan::NewNode& added : plan.nodes) {
    const auto named = stringAttribute(added.node, "gelu");
    if (isA(added, LayerKind::attention) && inFront) unfused = inFront;
    if (isA(added, LayerKind::linear) && named) inFront = geluNamed(*named);
    if (isA(added, LayerKind::transformerBlock) && added.encoder == stream && named)
      fused = geluNamed(*named);
  }
  return fused ? fused : unfused;
}

// Returns the nodes that make the pictures which are cut into patches.
std::unordered_set<const Node*> nodesInFront(const AnalysedModel& analysed,
                                             const Encoder& encoder) {
  std::unordered_set<std::string> pictures{encoder.image};
  for (const Encoder& other : encoder.others) pictures.insert(other.image);
  std::unordered_set<const Node*> nodes;
  const auto& order = analysed.model.nodes();
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const auto& made = (*node)->output();
    if (std::none_of(made.begin(), made.end(),
                     [&](auto& name) { return pictures.count(name) != 0; }))
      continue;
    nodes.insert(*node);
    pictures.insert((*node)->input().begin(), (*node)->input().end());
  }
  return nodes;
}

// Describes in a few words what follows an encoder. `front`: nodes that do not.
std::string describeHead(const Plan& plan, const NeededLayers& needs,
                         const std::unordered_set<const Node*>& front) {
  const bool hasConv = std::any_of(needs.kept().begin(), needs.kept().end(), [&](const Node* node) {
    return isAny(*node, {"Conv", "ConvTranspose"}) && front.count(node) == 0;
  });
  const auto last = std::find_if(plan.nodes.rbegin(), plan.nodes.rend(), [&](const auto& each) {
    return isA(each, LayerKind::linear) || isA(each, LayerKind::maskDecoderHead);
  });
  if (last != plan.nodes.rend() && isA(*last, LayerKind::maskDecoderHead)) {
    const auto blocks =
        std::count_if(plan.nodes.begin(), plan.nodes.end(), [](const Plan::NewNode& each) {
          return each.encoder.empty() &&
                 (isA(each, LayerKind::transformerBlock) || isA(each, LayerKind::attention));
        });
    return "mask decoder, " + std::to_string(blocks) + " blocks, " +
           std::to_string(intAttribute(last->node, "special").value_or(0)) + " classes";
  }
  if (hasConv) return "convolutional";
  if (last == plan.nodes.rend()) return "none";
  return "linear, " + std::to_string(last->weights.front().dims.front()) + " outputs";
}

// Says that a picture is not a whole number of patches; empty if it is.
std::string whyOddPicture(const AnalysedModel& analysed, const TokenValues& tokenValues) {
  const Embedding* odd = tokenValues.oddEmbedding();
  if (odd == nullptr) return {};
  const Integers* dims = analysed.values.dims(odd->image);
  if (dims == nullptr || dims->size() != 4) return "the size of its picture is not known";
  return "its picture of " + std::to_string((*dims)[3]) + "x" + std::to_string((*dims)[2]) +
         " is not a multiple of its patch of " + std::to_string(odd->patch);
}

std::string whyNotTheRestOfAny(const AnalysedModel& analysed, const Encoder& encoder,
                               const NeededLayers& needs) {
  std::string obstacle = whyNotTheRest(analysed, encoder, needs.kept());
  for (const Encoder& other : encoder.others) {
    if (obstacle.empty()) obstacle = whyNotTheRest(analysed, other, needs.kept());
  }
  return obstacle;
}

// Returns the last block before which an encoder's merge pairs only within windows; -1 if none
// does.
int lastInWindows(const Plan& plan, const std::string& stream) {
  int last = -1;
  for (const Plan::NewNode& added : plan.nodes) {
    if (isA(added, LayerKind::mutualPairMerge) && added.encoder == stream && !added.weights.empty())
      last = static_cast<int>(intAttribute(added.node, "before_block").value_or(last));
  }
  return last;
}

// Tells whether attention is left that no layer computes alone: within windows that have special
// rows, outside of a TransformerBlock.
bool hasDealtSpecialRows(const Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const Plan::NewNode& added) {
    return isA(added, LayerKind::attention) && !added.windowOf.empty() &&
           intAttribute(added.node, "special").value_or(0) > 0;
  });
}

// Keeps the recognised layers of a model that cannot merge. Returns an empty plan if there are
// none.
Plan planWithoutMerges(Plan plan) {
  if (hasDealtSpecialRows(plan)) return {};
  keepMerges(plan, {});
  const bool hasLayer = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                    [](const auto& added) { return added.node.domain() == "mpm"; });
  return hasLayer ? std::move(plan) : Plan{};
}

// Says which nodes after an encoder's blocks keep it from merging; empty if none do. Its last block
// may be of any kind, since it then reads restored rows as a decoder does.
std::string whyNotWithTheRest(const AnalysedModel& analysed, TokenValues& tokenValues,
                              const Blocks& blocks, const Encoder& encoder,
                              const NeededLayers& needs) {
  const auto& kept = needs.kept();
  std::string obstacle = whyNotFromInside(tokenValues, blocks, encoder, kept);
  if (!obstacle.empty()) return obstacle;
  obstacle = whyNotTheNextBlock(analysed, tokenValues, blocks, encoder);
  if (obstacle.empty()) obstacle = whyNotTheRestOfAny(analysed, encoder, needs);
  if (obstacle.empty()) obstacle = whyNotWithinWindows(analysed, blocks, encoder, kept);
  const bool isLast =
      encoder.blocks > 1 && encoder.others.empty() && isOneBlock(analysed, encoder, kept);
  if (isLast) obstacle.clear();
  if (obstacle.empty() && !needs.hasMerge())
    obstacle = "none of its outputs needs the encoder's blocks";
  return obstacle;
}

}  // namespace

Translation translate(const AnalysedModel& analysed, const TranslateOptions& options) {
  Translation result;
  Plan& plan = result.plan;
  Encoder& encoder = result.encoder;
  Emitter emit(analysed.model, plan, options.tables, options.proportional);
  TokenValues tokenValues(analysed, options, emit);
  const Blocks blocks(analysed, batchOf(analysed));
  AttentionSteps attention(analysed, blocks, tokenValues, emit);
  RowSteps rows(analysed, tokenValues, emit);
  for (const Node* node : analysed.model.nodes()) {
    tokenValues.enter(blocks.around(*node));
    for (const std::string& value : node->output()) {
      if (value.empty() || analysed.model.constant(value) || tokenValues.takeEmbedding(value))
        continue;
      if (!tokenValues.hasEmbedding() || !attention.follow(value)) rows.follow(*node, value);
    }
  }
  tokenValues.enter(nullptr);
  encoder = findEncoder(tokenValues, attention);
  NeededLayers needs(analysed, tokenValues, plan, emit);
  needs.look();
  std::string& obstacle = encoder.obstacle;
  const std::string oddPicture = whyOddPicture(analysed, tokenValues);
  if (!tokenValues.needsOwnGrid().empty())
    obstacle = tokenValues.needsOwnGrid() + "; please export it at that size";
  const bool isPlanned = oddPicture.empty() && obstacle.empty();
  if (obstacle.empty() && encoder.blocks == 0)
    obstacle = whyNoEncoder(analysed, tokenValues, blocks);
  if (obstacle.empty()) obstacle = oddPicture;
  if (obstacle.empty()) obstacle = whyNotWithTheRest(analysed, tokenValues, blocks, encoder, needs);
  needs.finish();
  fuseBlocks(analysed.model, plan);
  if (obstacle.empty() && hasDealtSpecialRows(plan))
    obstacle = "not supported: class tokens in windows, in a block that is none of a plain ViT's";
  if (!obstacle.empty()) {
    plan = isPlanned ? planWithoutMerges(std::move(plan)) : Plan{};
    return result;
  }
  encoder.head = describeHead(plan, needs, nodesInFront(analysed, encoder));
  encoder.gelu = geluOf(plan, encoder.stream);
  encoder.lastInWindows = lastInWindows(plan, encoder.stream);
  findFeatures(analysed, tokenValues, encoder);
  findStreams(blocks, tokenValues, encoder);
  return result;
}

}  // namespace mpm::onnx
