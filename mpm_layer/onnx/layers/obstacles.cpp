// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/obstacles.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

std::string sentence(int block, const std::string& what, const Node* node) {
  return "block " + std::to_string(block) + ": not supported: " + what +
         (node != nullptr ? ", at " + nameOf(*node) : "");
}

// Tells whether a node multiplies two computed values, as queries and keys are.
bool isProduct(const Model& model, const Node& node) {
  return isAny(node, {"MatMul", "Einsum"}) && node.input_size() == 2 &&
         !model.constant(node.input(0)) && !model.constant(node.input(1));
}

// Tells whether a softmax is of such a product, through any nodes. Other softmaxes choose among
// features or experts.
bool isOfScores(const AnalysedModel& analysed, const Node& softmax) {
  constexpr std::size_t kMost = 32;
  std::vector<std::string> waiting{softmax.input(0)};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const Node* node = analysed.model.producer(waiting[i]);
    if (node == nullptr || findLinear(analysed.model, waiting[i])) continue;
    if (isProduct(analysed.model, *node) || isOp(*node, "ReduceSum")) return true;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !analysed.model.constant(input)) waiting.push_back(input);
    }
  }
  return false;
}

// Says why a softmax of scores is not attention over all image tokens; empty if nothing is known.
std::string whyNotSoftmax(const AnalysedModel& analysed, const Node& softmax, std::int64_t batch) {
  const Integers* dims = analysed.values.dims(softmax.output(0));
  if (dims == nullptr || dims->size() < 3) return {};
  const std::size_t rank = dims->size();
  if (rank > 4 && (*dims)[rank - 2] == 1) return kRowByRow;
  if (rank > 4 || (rank == 4 && (*dims)[0] != batch)) {
    std::string others = whyOtherRows(analysed, softmax.input(0), (*dims)[rank - 2], batch);
    if (!others.empty()) return others;
  }
  if ((*dims)[rank - 1] < (*dims)[rank - 2]) return "attention over fewer keys than tokens";
  return {};
}

bool isSquare(const Integers* dims) {
  return dims != nullptr && dims->size() > 2 && dims->end()[-1] == dims->end()[-2];
}

// Returns the nodes after `stream` that `branch` is made of, the last one first. Returns none if it
// is not made of `stream`, or of very many nodes.
std::vector<const Node*> nodesBetween(const AnalysedModel& analysed, const std::string& stream,
                                      const std::string& branch) {
  constexpr std::size_t kMost = 128;
  std::vector<const Node*> nodes;
  bool isOfStream = false;
  std::unordered_set<std::string> seen{branch};
  std::vector<std::string> waiting{branch};
  while (!waiting.empty() && seen.size() < kMost) {
    const std::string value = std::move(waiting.back());
    waiting.pop_back();
    isOfStream = isOfStream || value == stream;
    const Node* node = value == stream ? nullptr : analysed.model.producer(value);
    if (node == nullptr) continue;
    nodes.push_back(node);
    for (const std::string& input : node->input()) {
      if (!input.empty() && !analysed.model.constant(input) && seen.insert(input).second)
        waiting.push_back(input);
    }
  }
  return isOfStream ? nodes : std::vector<const Node*>{};
}

// Returns the softmax among these nodes of an attention over fewer keys than there are rows; null
// if there is none.
const Node* narrowAttention(const AnalysedModel& analysed, const std::vector<const Node*>& nodes,
                            std::int64_t rows) {
  const Node* found = nullptr;
  for (const Node* node : nodes) {
    const bool isWeights = isOp(*node, "Softmax") && isOfScores(analysed, *node);
    const Integers* dims = isWeights ? analysed.values.dims(node->output(0)) : nullptr;
    if (dims != nullptr && dims->size() > 2 && dims->back() < rows) found = node;
  }
  return found;
}

// Returns a known obstacle to attention among these nodes; null if there is none.
const Blocks::Obstacle* obstacleAmong(const Blocks& blocks, const std::vector<const Node*>& nodes) {
  const auto& all = blocks.obstacles();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Blocks::Obstacle& each) {
    return std::find(nodes.begin(), nodes.end(), each.where) != nodes.end();
  });
  return found == all.end() ? nullptr : &*found;
}

// Tells whether a value is made from the picture.
bool isMadeFromPicture(const AnalysedModel& analysed, const std::string& value) {
  return isAnyBehind(analysed.model, value, [&](const std::string& at) {
    const Integers* dims =
        analysed.model.producer(at) == nullptr ? analysed.values.dims(at) : nullptr;
    return dims != nullptr && dims->size() == 4 && !analysed.model.constant(at);
  });
}

}  // namespace

std::string whyNoEncoder(const AnalysedModel& analysed, const TokenValues& tokenValues,
                         const Blocks& blocks) {
  const std::int64_t batch = batchOf(analysed);
  bool attends = false;         // or has what looks like it
  const Node* first = nullptr;  // of as many queries as keys
  for (const Node* node : analysed.model.nodes()) {
    attends = attends || isProduct(analysed.model, *node);
    if (!isOp(*node, "Softmax") || node->output_size() != 1 || !isOfScores(analysed, *node))
      continue;
    attends = true;
    if (first == nullptr && isSquare(analysed.values.dims(node->output(0)))) first = node;
    const std::string obstacle = whyNotSoftmax(analysed, *node, batch);
    if (!obstacle.empty()) return sentence(0, obstacle, node);
  }
  for (const Blocks::Obstacle& each : blocks.obstacles()) {
    if (isBranch(analysed, each.value)) return sentence(0, each.what, each.where);
  }
  const BlockAttention* other =
      blocks.all().empty() ? nullptr : &blocks.all().front().attentions.front();
  const auto isOfOther = [&] {
    const auto& nodes = other->attention.nodes;
    return std::find(nodes.begin(), nodes.end(), first) != nodes.end();
  };
  if (first != nullptr && (other == nullptr || !isOfOther()))
    return sentence(0, "its attention, or how it joins what it read", first);
  if (other != nullptr) {
    const auto asOneImage = findAttention(analysed, other->result, batch);
    if (!asOneImage.found) return sentence(0, asOneImage.obstacle, asOneImage.where);
    const Node* sum = analysed.model.producer(other->sum);
    if (tokenValues.isThere(blocks.all().front().stream))
      return sentence(0, "what comes before its attention", sum);
    return sentence(0,
                    isMadeFromPicture(analysed, other->sum)
                        ? "tokens that are made of the picture in a way that is not known"
                        : "attention over other tokens than patches of an image",
                    sum);
  }
  return attends ? "it has no transformer block that is recognised" : "it has no transformer block";
}

std::string whyNotTheNextBlock(const AnalysedModel& analysed, TokenValues& tokenValues,
                               const Blocks& blocks, const Encoder& encoder) {
  std::unordered_set<std::string> streams{encoder.stream};
  for (const Encoder& other : encoder.others) streams.insert(other.stream);
  for (const Node* node : analysed.model.nodes()) {
    if (!isOp(*node, "Add") || node->input_size() != 2 || node->output_size() != 1) continue;
    const std::string& value = node->output(0);
    const Tokens* stream = nullptr;
    std::string front, branch;
    for (int i = 0; i < 2; ++i) {
      const std::string rows = behindRowViews(analysed, node->input(i));
      const Tokens* found = tokenValues.tokens(rows);
      if (found == nullptr || !found->inEncoder || streams.count(found->encoder) == 0) continue;
      stream = found;
      front = rows;
      branch = node->input(1 - i);
    }
    if (stream == nullptr || tokenValues.tokens(value) != nullptr) continue;
    const int block = stream->blocks;
    const std::vector<const Node*> between = nodesBetween(analysed, front, branch);
    const Node* narrow = narrowAttention(analysed, between, stream->count());
    const std::string why =
        narrow == nullptr ? "" : whyNotSoftmax(analysed, *narrow, tokenValues.batch());
    if (!why.empty()) return sentence(block, why, narrow);
    if (const Blocks::Obstacle* found = obstacleAmong(blocks, between))
      return sentence(block, found->what, found->where);
    if (narrow != nullptr) return sentence(block, "attention that is not over its tokens", narrow);
  }
  return {};
}

namespace {

// Merged tokens have weights of their own, and no rule gives each original token its weight.
bool areWeightsRead(const Model& model, const std::string& weights) {
  const auto& readers = model.consumers(weights);
  return model.isOutput(weights) ||
         std::any_of(readers.begin(), readers.end(), [](const Node* reader) {
           return isAny(*reader, {"Slice", "Gather", "Split", "ReduceMean", "ReduceSum"});
         });
}

// Returns the number of features that an attention's queries and keys are projected from;
// std::nullopt if it differs, or is unknown.
std::optional<std::int64_t> widthInFront(const AnalysedModel& analysed, const Node& softmax) {
  constexpr std::size_t kMost = 64;
  std::optional<std::int64_t> width;
  std::vector<std::string> waiting{softmax.input(0)};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const std::string value = waiting[i];
    if (const auto linear = findLinear(analysed.model, value)) {
      const std::int64_t own = inFeatures(analysed.model, *linear);
      if (width && *width != own) return std::nullopt;
      width = own;
      continue;
    }
    const Node* node = analysed.model.producer(value);
    if (node == nullptr) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !analysed.model.constant(input)) waiting.push_back(input);
    }
  }
  return waiting.size() < kMost ? width : std::nullopt;
}

}  // namespace

std::string whyNotTheRest(const AnalysedModel& analysed, const Encoder& encoder,
                          const std::unordered_set<const Node*>& kept) {
  const std::int64_t count = encoder.special + encoder.gridHeight * encoder.gridWidth;
  for (const Node* node : analysed.model.nodes()) {
    if (kept.count(node) == 0 || !isOp(*node, "Softmax") || node->output_size() != 1) continue;
    const Integers* dims = analysed.values.dims(node->output(0));
    if (dims == nullptr || dims->size() < 3) continue;
    const std::size_t rank = dims->size();
    if ((*dims)[rank - 1] != count || (*dims)[rank - 2] != count) continue;
    // Attention of another width belongs to a decoder, which reads restored rows.
    if (widthInFront(analysed, *node).value_or(encoder.dim) != encoder.dim) continue;
    if (areWeightsRead(analysed.model, node->output(0)))
      return "not supported: attention weights that its outputs are made from, at " + nameOf(*node);
    return sentence(encoder.blocks, "what comes before its attention", node);
  }
  return {};
}

std::string whyNotFromInside(TokenValues& tokenValues, const Blocks& blocks, const Encoder& encoder,
                             const std::unordered_set<const Node*>& kept) {
  for (const Block& block : blocks.all()) {
    for (const BlockAttention& each : block.attentions) {
      const Tokens* rows = tokenValues.tokens(each.result);
      if (rows == nullptr || !rows->inEncoder) continue;
      if (rows->blocks == encoder.blocks && encoder.blocks > 1 && encoder.others.empty()) continue;
      for (const Node* node : each.attention.nodes) {
        if (kept.count(node) != 0 && isOp(*node, "Softmax")) {
          return "block " + std::to_string(rows->blocks - 1) + ": " + nameOf(*node) +
                 " inside it is used outside of it as well";
        }
      }
    }
  }
  return {};
}

bool isOneBlock(const AnalysedModel& analysed, const Encoder& encoder,
                const std::unordered_set<const Node*>& nodes) {
  const std::int64_t count = encoder.special + encoder.gridHeight * encoder.gridWidth;
  bool isOverAll = false;
  std::unordered_set<std::string> behind;  // some attention among the nodes
  for (const Node* node : analysed.model.nodes()) {
    const bool isBehind = std::any_of(node->input().begin(), node->input().end(),
                                      [&](auto& input) { return behind.count(input) != 0; });
    const Integers* dims = isOp(*node, "Softmax") && nodes.count(node) != 0
                               ? analysed.values.dims(node->output(0))
                               : nullptr;
    const bool attends = isSquare(dims);
    if (attends && isBehind) return false;
    isOverAll = isOverAll || (attends && dims->back() == count);
    if (attends || isBehind) behind.insert(node->output().begin(), node->output().end());
  }
  return isOverAll;
}

std::string whyNotWithinWindows(const AnalysedModel& analysed, const Blocks& blocks,
                                const Encoder& encoder,
                                const std::unordered_set<const Node*>& kept) {
  for (const Block& block : blocks.all()) {
    for (const BlockAttention& each : block.attentions) {
      const bool isOfItsWidth = inFeatures(analysed.model, each.attention.q.linear) == encoder.dim;
      if (each.attention.windows > 0 && isOfItsWidth && kept.count(each.attention.mix) != 0)
        return sentence(encoder.blocks, "attention within windows", each.attention.mix);
    }
  }
  return {};
}

}  // namespace mpm::onnx
