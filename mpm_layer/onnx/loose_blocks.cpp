// SPDX-License-Identifier: Apache-2.0
#include "onnx/loose_blocks.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/view.h"

namespace mpm::onnx {

// An attention, and the sum that puts it back on the stream.
struct LooseBlocks::Core {
  FoundAttention attention;
  std::string result, stream, sum;
  bool isPlain = false;
};

namespace {

using Names = std::unordered_set<std::string>;

// Every value that a value is made from, itself included.
Names madeFrom(const Model& model, const std::string& value) {
  Names names{value};
  std::vector<std::string> waiting{value};
  while (!waiting.empty()) {
    const Node* node = model.producer(waiting.back());
    waiting.pop_back();
    if (node == nullptr) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !model.constant(input) && names.insert(input).second)
        waiting.push_back(input);
    }
  }
  return names;
}

bool readsAny(const Node& node, const Names& names) {
  return std::any_of(node.input().begin(), node.input().end(),
                     [&](const std::string& input) { return names.count(input) != 0; });
}

void addOutputs(const Node& node, Names& names) {
  names.insert(node.output().begin(), node.output().end());
}

// The first sum of something made from `from` and something that `streams` has: that something, and
// the sum.
std::pair<std::string, std::string> residual(const Facts& facts, const std::string& from,
                                             const Names& streams) {
  Names made{from};
  for (const Node* node : facts.model.nodes()) {
    if (!readsAny(*node, made)) continue;
    if (isOp(*node, "Add") && node->input_size() == 2) {
      for (int i = 0; i < 2; ++i) {
        const std::string& other = node->input(1 - i);
        if (made.count(node->input(i)) == 0 || made.count(other) != 0) continue;
        if (streams.count(other) != 0) return {behindRowViews(facts, other), node->output(0)};
        const std::string behind = behindRowViews(facts, other);
        if (streams.count(behind) != 0) return {behind, node->output(0)};
      }
    }
    addOutputs(*node, made);
  }
  return {};
}

// The values behind `stream` that `ends` are made from.
std::unordered_set<const Node*> nodesBetween(const Facts& facts, const std::string& stream,
                                             const Names& ends) {
  std::unordered_set<const Node*> nodes;
  Names made{stream};
  for (const Node* node : facts.model.nodes()) {
    if (!readsAny(*node, made)) continue;
    addOutputs(*node, made);
    const bool isNeeded = std::any_of(node->output().begin(), node->output().end(),
                                      [&](const auto& output) { return ends.count(output) != 0; });
    if (isNeeded) nodes.insert(node);
  }
  return nodes;
}

// The attention halves of pre-norm blocks that have their MLP, by the sum that ends them.
Names plainHalves(const Facts& facts, std::int64_t batch) {
  Names halves, plain;
  for (const Node* node : facts.model.nodes()) {
    if (!isOp(*node, "Add") || node->output_size() != 1) continue;
    const std::string& value = node->output(0);
    const auto mlp = findMlpHalf(facts, value);
    const std::string half = mlp.found ? behindRowViews(facts, mlp.found->input) : "";
    if (halves.count(half) != 0) plain.insert(half);
    if (!mlp.found && findAttentionHalf(facts, value, batch).found) halves.insert(value);
  }
  return plain;
}

// Whether `value` is the stream that `sum` was, in whose way there are but norms, sums with what
// branches off, and constant rows beside it.
bool continues(const Facts& facts, const std::string& sum, const std::string& value,
               int depth = 0) {
  constexpr int kDeepest = 8;
  const std::string at = behindRowViews(facts, value);
  if (value == sum || at == sum || at == behindRowViews(facts, sum)) return true;
  const Node* node = facts.model.producer(at);
  if (node == nullptr || depth == kDeepest) return false;
  if (const auto norm = findNormalize(facts.model, at))
    return continues(facts, sum, norm->input, depth + 1);
  if (!isAny(*node, {"Add", "Concat"})) return false;
  return std::any_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
    return facts.model.constant(input) == std::nullopt && continues(facts, sum, input, depth + 1);
  });
}

// Whether a half of the kind that a block is made of could end there: nodes that only arrange.
bool mayGiveRows(const Node& node) {
  return node.output_size() == 1 &&
         isAny(node, {"Reshape", "Squeeze", "Flatten", "MatMul", "Transpose", "Unsqueeze"});
}

}  // namespace

void LooseBlocks::findCores(const Facts& facts, std::int64_t batch, std::vector<Core>& cores) {
  const Names plain = plainHalves(facts, batch);
  std::unordered_set<const Node*> seen;
  for (const Node* node : facts.model.nodes()) {
    if (!mayGiveRows(*node)) continue;
    Finding<FoundAttention> found = findAttention(facts, node->output(0), batch);
    if (!found.found) {
      if (where_ == nullptr && !found.obstacle.empty()) {
        obstacle_ = found.obstacle;
        where_ = found.where;
      }
      continue;
    }
    Core core{std::move(*found.found), node->output(0), {}, {}, false};
    if (!seen.insert(core.attention.mix).second) continue;
    const Names streams = madeFrom(facts.model, core.attention.input);
    std::tie(core.stream, core.sum) = residual(facts, core.result, streams);
    core.isPlain = plain.count(core.sum) != 0;
    if (!core.stream.empty()) cores.push_back(std::move(core));
  }
}

LooseBlocks::LooseBlocks(const Facts& facts, std::int64_t batch) {
  std::vector<Core> cores;
  findCores(facts, batch, cores);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    Core& core = cores[i];
    if (core.isPlain) continue;
    std::string end = i + 1 < cores.size() ? cores[i + 1].stream : "";
    Names ends;
    if (!end.empty() && continues(facts, core.sum, end)) {
      ends = madeFrom(facts.model, end);
    } else {  // the last of its stream: its MLP ends with a sum, too
      end = residual(facts, core.sum, {core.sum, behindRowViews(facts, core.sum)}).second;
      if (end.empty()) end = core.sum;
      ends = madeFrom(facts.model, end);
    }
    LooseBlock block{std::move(core.attention), core.result, core.stream, {}};
    block.inside = nodesBetween(facts, core.stream, ends);
    for (const Node* node : block.inside) around_.emplace(node, blocks_.size());
    behind_.insert(core.sum);
    blocks_.push_back(std::move(block));
  }
}

const LooseBlock* LooseBlocks::around(const Node& node) const {
  const auto found = around_.find(&node);
  return found == around_.end() ? nullptr : &blocks_[found->second];
}

const LooseBlock* LooseBlocks::endingAt(const std::string& value) const {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const LooseBlock& block) { return block.result == value; });
  return found == blocks_.end() ? nullptr : &*found;
}

}  // namespace mpm::onnx
