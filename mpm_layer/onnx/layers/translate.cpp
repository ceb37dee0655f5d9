// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/translate.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "mpm/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/blocks.h"
#include "onnx/layers/needs.h"
#include "onnx/layers/obstacles.h"
#include "onnx/layers/row_steps.h"
#include "onnx/layers/standing.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {
namespace {

// How blocks are looked for. `isLast`: nobody looks whether a block that stays is one more.
// `oneMayStay`: the last one may be of any kind. It then reads restored rows, as a decoder does.
struct Way {
  const LooseBlocks* loose = nullptr;
  bool isLast = false, oneMayStay = false;
};

// The encoder, or why there is none.
Encoder findEncoder(const Facts& facts, Standing& standing, const Blocks& blocks, const Way& way) {
  Encoder encoder;
  std::vector<Encoder> all;
  for (const auto& [blob, stream] : blocks.streams()) {
    Encoder& found = all.emplace_back(stream);
    const Embedding& embedding = standing.embeddingOf(blob);
    found.stream = blob;
    found.image = embedding.image;
    found.patch = embedding.patch;
    found.gridHeight = embedding.gridHeight;
    found.gridWidth = embedding.gridWidth;
  }
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  if (most != all.end()) {
    encoder = std::move(*most);
    all.erase(most);
    encoder.others = std::move(all);
  }
  if (blocks.streams().empty()) {
    encoder.obstacle = whyNoEncoder(facts, blocks);
  } else if (!way.oneMayStay) {
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
    if (rows.encoder != encoder.stream) return;
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

// The nodes that make the pictures which are cut into patches.
std::unordered_set<const Node*> nodesInFront(const Facts& facts, const Encoder& encoder) {
  std::unordered_set<std::string> pictures{encoder.image};
  for (const Encoder& other : encoder.others) pictures.insert(other.image);
  std::unordered_set<const Node*> nodes;
  const auto& order = facts.model.nodes();
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

// In a few words, what follows an encoder of so many blocks. `front`: nodes that do not.
std::string describeHead(const Plan& plan, const Needs& needs,
                         const std::unordered_set<const Node*>& front, int encoderBlocks) {
  const auto count = [&](LayerKind kind) {
    return std::count_if(plan.nodes.begin(), plan.nodes.end(),
                         [&](const auto& each) { return isA(each, kind); });
  };
  const bool hasConv = std::any_of(needs.kept().begin(), needs.kept().end(), [&](const Node* node) {
    return isAny(*node, {"Conv", "ConvTranspose"}) && front.count(node) == 0;
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

// A sentence on a picture that is no whole number of patches; empty where there is none.
std::string whyOddPicture(const Facts& facts, const Standing& standing) {
  const Embedding* odd = standing.oddEmbedding();
  if (odd == nullptr) return {};
  const Integers* dims = facts.values.dims(odd->image);
  if (dims == nullptr || dims->size() != 4) return "the size of its picture is not known";
  return "its picture of " + std::to_string((*dims)[3]) + "x" + std::to_string((*dims)[2]) +
         " is not a multiple of its patch of " + std::to_string(odd->patch);
}

std::string whyNotTheRestOfAny(const Facts& facts, const Encoder& encoder, const Needs& needs) {
  std::string obstacle = whyNotTheRest(facts, encoder, needs.kept());
  for (const Encoder& other : encoder.others) {
    if (obstacle.empty()) obstacle = whyNotTheRest(facts, other, needs.kept());
  }
  return obstacle;
}

// The last block in front of which a merge of an encoder pairs only within windows; -1 where none
// does.
int lastInWindows(const Plan& plan, const std::string& stream) {
  int last = -1;
  for (const Plan::NewNode& added : plan.nodes) {
    if (isA(added, LayerKind::mutualPairMerge) && added.encoder == stream && !added.weights.empty())
      last = static_cast<int>(intAttribute(added.node, "before_block").value_or(last));
  }
  return last;
}

// What of a model that cannot merge is known all the same. Nothing where that is no layer.
Plan planWithoutMerges(Needs needs, Plan& plan) {
  needs.lookBesideBlocks();
  needs.finish();
  keepMerges(plan, {});
  const bool hasLayer = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                    [](const auto& added) { return added.node.domain() == "mpm"; });
  return hasLayer ? std::move(plan) : Plan{};
}

// Whether anything like attention stays for OpenCV: as many queries as keys.
bool attends(const Facts& facts, const Needs& needs) {
  return std::any_of(needs.kept().begin(), needs.kept().end(), [&](const Node* node) {
    if (!isOp(*node, "Softmax") || node->output_size() != 1) return false;
    const Integers* dims = facts.values.dims(node->output(0));
    return dims == nullptr || (dims->size() > 2 && dims->end()[-1] == dims->end()[-2]);
  });
}

// What speaks against leaving to OpenCV what stays.
std::string whyNotAsItStays(const Facts& facts, const Encoder& encoder, const Needs& needs,
                            const Way& way) {
  if (way.oneMayStay) {
    const bool isLeft = encoder.blocks > 1 && encoder.others.empty();
    return isLeft && isOneBlock(facts, encoder, needs.kept()) ? "" : "more than its last block";
  }
  std::string obstacle = whyNotTheRestOfAny(facts, encoder, needs);
  if (obstacle.empty()) obstacle = whyNotWithinWindows(way.loose, encoder, needs.kept());
  if (obstacle.empty() && way.isLast && attends(facts, needs))
    obstacle = "there is attention after its blocks that belongs to none of them";
  return obstacle;
}

Translation translateWith(const Facts& facts, const TranslateOptions& options, const Way& way) {
  const LooseBlocks* const loose = way.loose;
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
      if (!standing.hasEmbedding() || !blocks.follow(value)) rows.follow(*node, value);
    }
  }
  standing.enter(nullptr);
  encoder = findEncoder(facts, standing, blocks, way);
  if (!standing.needsOwnGrid().empty())
    encoder.obstacle = standing.needsOwnGrid() + "; please export it at that size";
  const std::string oddPicture = whyOddPicture(facts, standing);
  if (encoder.obstacle.empty()) encoder.obstacle = oddPicture;
  const Needs unknown(facts, standing, blocks, plan, emit);
  Needs needs = unknown;
  if (way.oneMayStay) needs.allowBeside(nameOfBlock(encoder.blocks - 1));
  if (encoder.obstacle.empty()) encoder.obstacle = needs.look();
  if (encoder.obstacle.empty()) encoder.obstacle = whyNotAsItStays(facts, encoder, needs, way);
  if (encoder.obstacle.empty() && !needs.hasMerge())
    encoder.obstacle = "none of its outputs needs the encoder's blocks";
  if (!encoder.obstacle.empty()) {
    const bool isPlanned = oddPicture.empty() && standing.needsOwnGrid().empty();
    plan = isPlanned ? planWithoutMerges(unknown, plan) : Plan{};
    return result;
  }
  needs.finish();
  int encoderBlocks = encoder.blocks;
  for (const Encoder& other : encoder.others) encoderBlocks += other.blocks;
  encoder.head = describeHead(plan, needs, nodesInFront(facts, encoder), encoderBlocks);
  if (!encoder.gelu) encoder.gelu = geluInFront(plan);
  encoder.lastInWindows = lastInWindows(plan, encoder.stream);
  findFeatures(facts, standing, encoder);
  return result;
}

}  // namespace

Translation translate(const Facts& facts, const TranslateOptions& options) {
  Translation best = translateWith(facts, options, {});
  bool isLeft = true;  // whether some blocks were not tried as loose ones
  for (const bool areAllLoose : {false, true}) {
    if (best.encoder.obstacle.empty() || !isLeft) break;
    const LooseBlocks loose(facts, batchOf(facts), areAllLoose);
    isLeft = loose.hasPlain();
    if (loose.empty()) continue;
    Translation other = translateWith(facts, options, {&loose, areAllLoose});
    if (other.encoder.obstacle.empty() || (options.gridHeight > 0 && !areAllLoose) ||
        best.encoder.blocks < other.encoder.blocks)
      best = std::move(other);
  }
  if (best.encoder.obstacle.empty() || best.encoder.blocks < 2) return best;
  const LooseBlocks loose(facts, batchOf(facts), false);
  for (const LooseBlocks* each : {static_cast<const LooseBlocks*>(nullptr), &loose}) {
    Translation other = translateWith(facts, options, {each, false, true});
    if (other.encoder.obstacle.empty()) return other;
  }
  return best;
}

}  // namespace mpm::onnx
