// SPDX-License-Identifier: Apache-2.0
#include "onnx/translate.h"

#include <algorithm>

#include "mpm/layer_kinds.h"
#include "onnx/attribute.h"
#include "onnx/blocks.h"
#include "onnx/find.h"
#include "onnx/needs.h"
#include "onnx/obstacles.h"
#include "onnx/row_steps.h"
#include "onnx/standing.h"

namespace mpm::onnx {
namespace {

// The encoder, or why there is none.
Encoder findEncoder(const Facts& facts, Standing& standing, const Blocks& blocks) {
  Encoder encoder;
  for (const auto& [blob, stream] : blocks.streams()) {
    encoder = stream;
    const Embedding& embedding = standing.embeddingOf(blob);
    encoder.image = embedding.image;
    encoder.patch = embedding.patch;
    encoder.gridHeight = embedding.gridHeight;
    encoder.gridWidth = embedding.gridWidth;
  }
  if (blocks.streams().size() > 1) {
    encoder.obstacle = "it has more than one encoder, which is not supported yet";
  } else if (blocks.streams().empty()) {
    encoder.obstacle = whyNoEncoder(facts, blocks);
  } else {
    encoder.obstacle = whyNotTheNextBlock(facts, standing, blocks);
  }
  return encoder;
}

// The encoder's last value with all of its rows; or its norm, where that has the image's rows.
void findFeatures(const Facts& facts, Standing& standing, Encoder& encoder) {
  const auto forEachRows = [&](const auto& take) {
    for (const Node* node : facts.model.nodes()) {
      for (const std::string& value : node->output()) {
        const Tokens* rows = standing.tokens(value);
        if (rows == nullptr || rows->flat || rows->dropsRows || rows->isScores) continue;
        if (rows->dim == encoder.dim && (rows->hasAll() || rows->isImageOnly())) take(value, *rows);
      }
    }
  };
  forEachRows([&](const std::string& value, const Tokens& rows) {
    if (!rows.inEncoder || rows.blocks != encoder.blocks || !rows.hasAll()) return;
    encoder.features = value;
    encoder.featureRows = rows;
  });
  const std::string stream = encoder.featureRows.blob;
  bool isNormalised = false;
  forEachRows([&](const std::string& value, const Tokens& rows) {
    const auto norm = isNormalised ? std::nullopt : findNormalize(facts.model, value);
    if (!norm) return;
    const Tokens* before = standing.tokens(behindRowViews(facts, norm->input));
    if (before == nullptr || before->blob != stream) return;
    isNormalised = true;
    encoder.features = value;
    encoder.featureRows = rows;
  });
}

bool isA(const Plan::NewNode& added, LayerKind kind) {
  return added.node.domain() == "mpm" && added.node.op_type() == operatorOf(kind);
}

// That of the last linear layer in front of an attention that has one: of loose blocks' MLPs.
std::optional<Gelu> geluInFront(const Plan& plan) {
  std::optional<Gelu> found;
  for (const Plan::NewNode& added : plan.nodes) {
    if (isA(added, LayerKind::attention) && found) return found;
    const auto named = stringAttribute(added.node, "gelu");
    if (isA(added, LayerKind::linear) && named) found = geluNamed(*named);
  }
  return std::nullopt;
}

// In a few words, what follows an encoder of so many blocks.
std::string describeHead(const Plan& plan, const Needs& needs, int encoderBlocks) {
  const auto count = [&](LayerKind kind) {
    return std::count_if(plan.nodes.begin(), plan.nodes.end(),
                         [&](const auto& each) { return isA(each, kind); });
  };
  const bool hasConv = std::any_of(needs.kept().begin(), needs.kept().end(), [](const Node* node) {
    return isOp(*node, "Conv") || isOp(*node, "ConvTranspose");
  });
  const auto last = std::find_if(plan.nodes.rbegin(), plan.nodes.rend(), [&](const auto& each) {
    return isA(each, LayerKind::linear) || isA(each, LayerKind::maskDecoderHead);
  });
  if (count(LayerKind::maskDecoderHead) > 0) {
    const auto blocks = count(LayerKind::transformerBlock) - encoderBlocks;
    return "mask decoder, " + std::to_string(blocks) + " blocks, " +
           std::to_string(intAttribute(last->node, "special").value_or(0)) + " classes";
  }
  if (hasConv) return "convolutional";
  if (last == plan.nodes.rend()) return "none";
  return "linear, " + std::to_string(last->weights.front().dims.front()) + " outputs";
}

Translation translateWith(const Facts& facts, const TranslateOptions& options,
                          const LooseBlocks* loose) {
  Translation result;
  Plan& plan = result.plan;
  Encoder& encoder = result.encoder;
  Emitter emit(facts.model, plan);
  Standing standing(facts, options, emit);
  Blocks blocks(facts, standing, emit, loose);
  RowSteps rows(facts, standing, emit);
  for (const Node* node : facts.model.nodes()) {
    standing.enter(loose == nullptr ? nullptr : loose->around(*node));
    for (const std::string& value : node->output()) {
      if (value.empty() || facts.model.constant(value) || standing.takeEmbedding(value)) continue;
      if (standing.hasEmbedding() && !blocks.follow(value)) rows.follow(*node, value);
    }
  }
  standing.enter(nullptr);
  encoder = findEncoder(facts, standing, blocks);
  if (standing.needsOwnGrid())
    encoder.obstacle = "it has positions inside its blocks, which are for its own size alone";
  Needs needs(facts, standing, blocks, plan, emit);
  if (encoder.obstacle.empty()) encoder.obstacle = needs.look();
  if (encoder.obstacle.empty()) encoder.obstacle = whyNotTheRest(facts, encoder, needs.kept());
  if (encoder.obstacle.empty() && !needs.hasMerge())
    encoder.obstacle = "none of its outputs needs the encoder's blocks";
  if (!encoder.obstacle.empty()) return result;
  needs.finish();
  encoder.head = describeHead(plan, needs, encoder.blocks);
  if (!encoder.gelu) encoder.gelu = geluInFront(plan);
  findFeatures(facts, standing, encoder);
  return result;
}

}  // namespace

Translation translate(const Facts& facts, const TranslateOptions& options) {
  Translation plain = translateWith(facts, options, nullptr);
  if (plain.encoder.obstacle.empty()) return plain;
  const LooseBlocks loose(facts, batchOf(facts));
  if (loose.empty()) return plain;
  Translation other = translateWith(facts, options, &loose);
  return other.encoder.obstacle.empty() || options.gridHeight > 0 ||
                 plain.encoder.blocks < other.encoder.blocks
             ? std::move(other)
             : std::move(plain);
}

}  // namespace mpm::onnx
