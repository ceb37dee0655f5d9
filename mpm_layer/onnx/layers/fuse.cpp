// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/fuse.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/recognise/linear.h"

namespace mpm::onnx {

namespace {

using NewNode = Plan::NewNode;

bool isA(const NewNode* added, LayerKind kind) {
  return added != nullptr && added->node.domain() == "mpm" &&
         added->node.op_type() == operatorOf(kind);
}

bool isOfTwo(const NewNode* added, const char* type) {
  return added != nullptr && isOp(added->node, type) && added->node.input_size() == 2;
}

const std::string& blobOf(const NewNode& added) { return added.node.output(0); }

std::string inputNamed(const NewNode& added, const std::string& name) {
  const auto found = std::find(added.inputNames.begin(), added.inputNames.end(), name);
  if (found == added.inputNames.end()) return {};
  return added.node.input(static_cast<int>(found - added.inputNames.begin()));
}

// in + layerScale * last(...(first(norm(in))))
struct Half {
  const NewNode *norm = nullptr, *first = nullptr, *last = nullptr, *sum = nullptr;
  const NewNode* product = nullptr;  // of the last one and its scale, where that is a node
  std::string layerScale;            // a constant, or empty
};

struct FusedBlock {
  const NewNode* attention = nullptr;
  Half attends, mlp;
};

class Fuser {
 public:
  Fuser(const Model& model, const Plan& plan) : model_(model) {
    for (const NewNode& added : plan.nodes) {
      for (const std::string& output : added.node.output()) makers_[output] = &added;
      for (const std::string& input : added.node.input()) readers_[input].push_back(&added);
    }
    for (const auto& [value, name] : plan.redirect) readers_[name].push_back(nullptr);
  }

  // Finds the block that an attention belongs to; std::nullopt if it is not a pre-norm block.
  std::optional<FusedBlock> blockAround(const NewNode& attention) const {
    FusedBlock block;
    block.attention = &attention;
    Half& attends = block.attends;
    Half& mlp = block.mlp;
    if (!isA(&attention, LayerKind::attention) || knowsMore(attention)) return std::nullopt;
    attends.first = makerOf(attention.node.input(0));
    attends.norm = attends.first == nullptr ? nullptr : makerOf(attends.first->node.input(0));
    if (onlyReader(attention.node.input(0)) != &attention || !begins(attends) ||
        !ends(attention, attends))
      return std::nullopt;
    const auto& readers = readers_.at(blobOf(*attends.sum));
    for (const NewNode* reader : readers) {
      if (isA(reader, LayerKind::normalize)) mlp.norm = reader;
    }
    if (readers.size() != 2 || mlp.norm == nullptr) return std::nullopt;
    mlp.first = onlyReader(blobOf(*mlp.norm));
    if (!begins(mlp) || !hasGelu(*mlp.first) || !ends(*mlp.first, mlp)) return std::nullopt;
    return block;
  }

 private:
  // Tells whether an attention has a feature that a TransformerBlock lacks: norms, positions, or a
  // place next to another attention.
  static bool knowsMore(const NewNode& attention) {
    const bool isDealt = !attention.windowOf.empty();
    for (const auto& attribute : attention.node.attribute()) {
      const std::string& name = attribute.name();
      if (name == "norm" || name == "beside" || (name == "grid" && !isDealt)) return true;
    }
    return !attention.weights.empty();
  }

  static bool hasGelu(const NewNode& linear) {
    return stringAttribute(linear.node, "gelu").has_value();
  }

  const NewNode* makerOf(const std::string& blob) const {
    const auto found = makers_.find(blob);
    return found == makers_.end() ? nullptr : found->second;
  }

  // Returns null if several nodes read it, or one outside the plan does.
  const NewNode* onlyReader(const std::string& blob) const {
    const auto found = readers_.find(blob);
    return found == readers_.end() || found->second.size() != 1 ? nullptr : found->second.front();
  }

  // Tells whether a half's norm is one that a block has, and only a linear layer reads it.
  bool begins(const Half& half) const {
    return isA(half.norm, LayerKind::normalize) && isA(half.first, LayerKind::linear) &&
           intAttribute(half.norm->node, "centred").value_or(1) != 0 &&
           onlyReader(blobOf(*half.norm)) == half.first;
  }

  // Finds the end of a half after its middle.
  bool ends(const NewNode& middle, Half& half) const {
    half.last = onlyReader(blobOf(middle));
    if (!isA(half.last, LayerKind::linear) || hasGelu(*half.last)) return false;
    const LinearRows& rows = half.last->linear.front();
    if (!rows.features.empty() || outputs(*half.last) != inputs(*half.first)) return false;
    half.layerScale = rows.scale;
    const NewNode* end = half.last;
    const NewNode* next = onlyReader(blobOf(*end));
    if (isOfTwo(next, "Mul") && rows.scale.empty() && findScale(*next, blobOf(*end), half)) {
      half.product = end = next;
      next = onlyReader(blobOf(*end));
    }
    if (!isOfTwo(next, "Add")) return false;
    half.sum = next;
    return other(*next, blobOf(*end)) == half.norm->node.input(0);
  }

  bool findScale(const NewNode& product, const std::string& blob, Half& half) const {
    half.layerScale = other(product, blob);
    const std::optional<Tensor> scale = model_.constant(half.layerScale);
    return scale && isLastAxisVector(model_, half.layerScale) &&
           scale->count() == outputs(*half.last);
  }

  static const std::string& other(const NewNode& ofTwo, const std::string& blob) {
    return ofTwo.node.input(ofTwo.node.input(0) == blob ? 1 : 0);
  }
  static std::int64_t outputs(const NewNode& linear) { return linear.weights.front().dims[0]; }
  static std::int64_t inputs(const NewNode& linear) { return linear.weights.front().dims[1]; }

  const Model& model_;
  std::unordered_map<std::string, const NewNode*> makers_;
  std::unordered_map<std::string, std::vector<const NewNode*>> readers_;
};

void addWeights(const NewNode& from, const std::string& prefix, std::vector<Weight>& weights) {
  for (const Weight& weight : from.weights) {
    weights.push_back(weight);
    weights.back().input = prefix + weight.input;
  }
}

// Adds the weights of a half's layers. The last one's go without its scale, which a block has
// separately.
void addHalf(const Model& model, const Half& half, const std::string& number,
             const std::string& first, const std::string& last, std::vector<Weight>& weights) {
  addWeights(*half.norm, "norm" + number + "_", weights);
  addWeights(*half.first, first + "_", weights);
  std::vector<LinearRows> rows = half.last->linear;
  rows.front().scale.clear();
  weights.push_back(matrixWeight(model, last + "_weight", rows));
  addBias(model, last + "_bias", rows, weights);
  if (!half.layerScale.empty())
    weights.push_back(vectorWeight(model, "layer_scale" + number, half.layerScale));
}

NewNode toNode(const Model& model, const FusedBlock& block, const std::string& name) {
  const NewNode& attention = *block.attention;
  const bool isDealt = !attention.windowOf.empty();
  const bool counts = intAttribute(attention.node, "counts").value_or(0) != 0;
  NewNode made;
  made.encoder = attention.encoder;
  made.node.set_domain("mpm");
  made.node.set_op_type(operatorOf(LayerKind::transformerBlock));
  made.node.set_name(name);
  made.node.add_output(name);
  // After the encoder, and in it with proportional attention, a merged token's key counts once for
  // each token. The result then equals that of restored tokens. With windows the map says which of
  // them a row is in.
  const std::string map = counts || isDealt ? inputNamed(attention, "map") : std::string();
  const std::pair<const char*, std::string> inputs[] = {
      {"tokens", block.attends.norm->node.input(0)},
      {"rows", inputNamed(attention, "rows")},
      {"map", map}};
  for (const auto& [input, value] : inputs) {
    if (value.empty()) continue;
    made.inputNames.emplace_back(input);
    made.node.add_input(value);
  }
  addHalf(model, block.attends, "1", "qkv", "proj", made.weights);
  addHalf(model, block.mlp, "2", "fc1", "fc2", made.weights);
  const auto copy = [&](const NewNode& from, const char* attribute, const char* as) {
    if (const auto number = floatAttribute(from.node, attribute))
      setAttribute(made.node, as, *number);
  };
  const std::int64_t special = intAttribute(attention.node, "special").value_or(0);
  if (!map.empty() || isDealt) setAttribute(made.node, "special", special);
  if (isDealt) {
    const auto& windowOf = attention.windowOf;
    made.weights.push_back(ownedWeight("window_of", {static_cast<std::int64_t>(windowOf.size())},
                                       {windowOf.begin(), windowOf.end()}));
    setAttribute(made.node, "windows", *std::max_element(windowOf.begin(), windowOf.end()) + 1);
  }
  setAttribute(made.node, "heads", intAttribute(attention.node, "heads").value_or(1));
  copy(attention, "scale", "scale");
  copy(*block.attends.norm, "eps", "eps");
  copy(*block.mlp.norm, "eps", "eps2");
  setAttribute(made.node, "gelu", *stringAttribute(block.mlp.first->node, "gelu"));
  return made;
}

}  // namespace

void fuseBlocks(const Model& model, Plan& plan) {
  const Fuser fuser(model, plan);
  std::unordered_set<const NewNode*> gone;
  std::unordered_map<const NewNode*, NewNode> made;  // in place of a block's last sum
  std::vector<std::pair<std::string, std::string>> names;
  for (const NewNode& added : plan.nodes) {
    const std::optional<FusedBlock> block = fuser.blockAround(added);
    if (!block) continue;
    const std::string name = model.unusedName("mpm/block_" + std::to_string(made.size()));
    made.emplace(block->mlp.sum, toNode(model, *block, name));
    names.emplace_back(blobOf(*block->mlp.sum), name);
    gone.insert(&added);
    for (const Half* half : {&block->attends, &block->mlp})
      gone.insert({half->norm, half->first, half->last, half->product, half->sum});
  }
  std::vector<NewNode> nodes;
  for (NewNode& added : plan.nodes) {
    const auto block = made.find(&added);
    if (block != made.end()) nodes.push_back(std::move(block->second));
    if (gone.count(&added) == 0) nodes.push_back(std::move(added));
  }
  plan.nodes = std::move(nodes);
  for (const auto& [from, to] : names) renameValue(plan, from, to);
}

}  // namespace mpm::onnx
