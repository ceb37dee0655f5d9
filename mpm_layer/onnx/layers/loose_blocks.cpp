// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/loose_blocks.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/deal_windows.h"
#include "onnx/recognise/operands.h"
#include "onnx/recognise/rows_of.h"
#include "onnx/recognise/view.h"

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

// That of `streams` which a value is, perhaps times a constant, or to which it is a sum of others:
// what other attention has been added to already.
std::string streamIn(const Facts& facts, const std::string& value, const Names& streams,
                     int depth = 0) {
  constexpr int kDeepest = 4;
  const std::string behind = behindRowViews(facts, value);
  if (streams.count(value) != 0 || streams.count(behind) != 0) return behind;
  if (depth == kDeepest) return {};
  if (const auto scaled = constantOperand(facts.model, behind, "Mul"))
    return streamIn(facts, scaled->value, streams, depth + 1);
  const Node* sum = madeBy(facts.model, behind, "Add", 2);
  for (int i = 0; sum != nullptr && i < 2; ++i) {
    const std::string stream = streamIn(facts, sum->input(i), streams, depth + 1);
    if (!stream.empty()) return stream;
  }
  return {};
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
        const std::string stream = streamIn(facts, other, streams);
        if (!stream.empty()) return {stream, node->output(0)};
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
  const std::string turned = depth < kDeepest ? turnedBack(facts, at) : std::string();
  if (!turned.empty()) return continues(facts, sum, turned, depth + 1);
  const Node* node = facts.model.producer(at);
  if (node == nullptr || depth == kDeepest) return false;
  if (const auto norm = findNormalize(facts.model, at))
    return continues(facts, sum, norm->input, depth + 1);
  if (!isAny(*node, {"Add", "Concat", "Mul"})) return false;
  return std::any_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
    return facts.model.constant(input) == std::nullopt && continues(facts, sum, input, depth + 1);
  });
}

// Whether a half of the kind that a block is made of could end there: nodes that only arrange.
bool mayGiveRows(const Node& node) {
  return node.output_size() == 1 && isAny(node, {"Reshape", "Squeeze", "Flatten", "MatMul",
                                                 "Transpose", "Unsqueeze", "Concat"});
}

// Whether these are some of the heads that `all` joins.
bool arePart(const FoundAttention& heads, const FoundAttention& all) {
  return heads.mix != all.mix &&
         std::find(all.nodes.begin(), all.nodes.end(), heads.mix) != all.nodes.end();
}

}  // namespace

std::optional<FoundAttention> LooseBlocks::attentionAt(const Facts& facts, const std::string& value,
                                                       std::int64_t batch) {
  Finding<FoundAttention> all = findAttention(facts, value, batch);
  if (all.found && dealt_.count(all.found->input) != 0) all.found->windows = 1;
  if (all.found || all.obstacle.empty()) return std::move(all.found);
  std::set<std::int64_t> counts;
  for (const auto& [rows, windows] : dealt_) counts.insert(windows);
  for (const std::int64_t windows : counts) {
    Finding<FoundAttention> within = findAttention(facts, value, batch * windows);
    const auto dealt = within.found ? dealt_.find(within.found->input) : dealt_.end();
    if (dealt == dealt_.end() || dealt->second != windows) continue;
    within.found->windows = windows;
    return std::move(within.found);
  }
  if (where_ == nullptr) {
    obstacle_ = all.obstacle;
    where_ = all.where;
  }
  return std::nullopt;
}

void LooseBlocks::findCores(const Facts& facts, std::int64_t batch, bool areAllLoose,
                            std::vector<Core>& cores) {
  const Names plain = areAllLoose ? Names{} : plainHalves(facts, batch);
  std::unordered_set<const Node*> seen;
  for (const Node* node : facts.model.nodes()) {
    const std::optional<DealtRows> dealt = dealtRows(facts, *node);
    if (dealt && dealt->batch == batch) dealt_[node->output(0)] = dealt->windows.count();
  }
  for (const Node* node : facts.model.nodes()) {
    if (!mayGiveRows(*node)) continue;
    std::optional<FoundAttention> found = attentionAt(facts, node->output(0), batch);
    if (!found) continue;
    Core core{std::move(*found), node->output(0), {}, {}, false};
    if (!seen.insert(core.attention.mix).second) continue;
    cores.erase(
        std::remove_if(cores.begin(), cores.end(),
                       [&](const Core& other) { return arePart(other.attention, core.attention); }),
        cores.end());
    const Names streams = madeFrom(facts.model, core.attention.input);
    std::tie(core.stream, core.sum) = residual(facts, core.result, streams);
    core.isPlain = plain.count(core.sum) != 0;
    if (!core.stream.empty()) cores.push_back(std::move(core));
  }
  hasPlain_ =
      std::any_of(cores.begin(), cores.end(), [](const Core& core) { return core.isPlain; });
}

LooseBlocks::LooseBlocks(const Facts& facts, std::int64_t batch, bool areAllLoose) {
  std::vector<Core> cores;
  findCores(facts, batch, areAllLoose, cores);
  const auto areBeside = [](const Core& a, const Core& b) {
    return !a.isPlain && !b.isPlain && a.stream == b.stream;
  };
  for (auto first = cores.begin(); first != cores.end();) {
    const auto last = std::find_if(first, cores.end(),
                                   [&](const Core& core) { return !areBeside(*first, core); });
    const Core* next = last == cores.end() ? nullptr : &*last;
    if (first->isPlain) {
      ++first;
      continue;
    }
    add(facts, {std::make_move_iterator(first), std::make_move_iterator(last)}, next);
    first = last;
  }
}

void LooseBlocks::add(const Facts& facts, std::vector<Core> beside, const Core* next) {
  Names ends;
  for (const Core& core : beside) {
    const std::string& sum = core.sum;
    if (&core != &beside.front() && sum == beside.front().sum) continue;
    std::string end = next != nullptr ? next->stream : "";
    if (end.empty() || !continues(facts, sum, end)) {  // the last of its stream
      end = residual(facts, sum, {sum, behindRowViews(facts, sum)}).second;  // of its MLP
      if (end.empty()) end = sum;
    }
    ends.merge(madeFrom(facts.model, end));
  }
  LooseBlock block{{}, beside.front().stream, {}};
  block.inside = nodesBetween(facts, block.stream, ends);
  for (const Node* node : block.inside) around_.emplace(node, blocks_.size());
  for (Core& core : beside) {
    behind_.insert(core.sum);
    block.attentions.push_back({std::move(core.attention), core.result});
  }
  blocks_.push_back(std::move(block));
}

const LooseBlock* LooseBlocks::around(const Node& node) const {
  const auto found = around_.find(&node);
  return found == around_.end() ? nullptr : &blocks_[found->second];
}

const FoundAttention* LooseBlocks::endingAt(const std::string& value) const {
  for (const LooseBlock& block : blocks_) {
    for (const LooseAttention& each : block.attentions) {
      if (each.result == value) return &each.attention;
    }
  }
  return nullptr;
}

}  // namespace mpm::onnx
