// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/blocks.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"
#include "onnx/recognise/windows.h"

namespace mpm::onnx {

// An attention, and the stream that its residual sum adds to.
struct Blocks::Core {
  BlockAttention found;
  std::string stream;
};

namespace {

using Names = std::unordered_set<std::string>;

// Returns every value that a value is made from, itself included.
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

// Returns the one of `streams` that `value` is: directly, times a constant, or plus other values.
// Such a sum is a stream to which other attention has been added already.
std::string streamIn(const AnalysedModel& analysed, const std::string& value, const Names& streams,
                     int depth = 0) {
  constexpr int kDeepest = 4;
  const std::string behind = behindRowViews(analysed, value);
  if (streams.count(value) != 0 || streams.count(behind) != 0) return behind;
  if (depth == kDeepest) return {};
  if (const auto scaled = constantOperand(analysed.model, behind, "Mul"))
    return streamIn(analysed, scaled->value, streams, depth + 1);
  const Node* sum = madeBy(analysed.model, behind, "Add", 2);
  for (int i = 0; sum != nullptr && i < 2; ++i) {
    const std::string stream = streamIn(analysed, sum->input(i), streams, depth + 1);
    if (!stream.empty()) return stream;
  }
  return {};
}

// Finds the first sum of something made from `from` and one of `streams`. Returns this stream and
// the sum.
std::pair<std::string, std::string> residual(const AnalysedModel& analysed, const std::string& from,
                                             const Names& streams) {
  Names made{from};
  for (const Node* node : analysed.model.nodes()) {
    if (!readsAny(*node, made)) continue;
    if (isOp(*node, "Add") && node->input_size() == 2) {
      for (int i = 0; i < 2; ++i) {
        const std::string &branch = node->input(i), &other = node->input(1 - i);
        if (made.count(branch) == 0) continue;
        if (made.count(other) != 0 && streams.count(other) == 0) continue;
        const std::string stream = streamIn(analysed, other, streams);
        if (!stream.empty()) return {stream, node->output(0)};
      }
    }
    addOutputs(*node, made);
  }
  return {};
}

// Returns the nodes after `stream` that `ends` are made from.
std::unordered_set<const Node*> nodesBetween(const AnalysedModel& analysed,
                                             const std::string& stream, const Names& ends) {
  std::unordered_set<const Node*> nodes;
  Names made{stream};
  for (const Node* node : analysed.model.nodes()) {
    if (!readsAny(*node, made)) continue;
    addOutputs(*node, made);
    const bool isNeeded = std::any_of(node->output().begin(), node->output().end(),
                                      [&](const auto& output) { return ends.count(output) != 0; });
    if (isNeeded) nodes.insert(node);
  }
  return nodes;
}

// Tells whether `value` continues the stream from `sum`: only norms, scales, sums with branches and
// constant rows may come between.
bool continues(const AnalysedModel& analysed, const std::string& sum, const std::string& value,
               int depth = 0) {
  constexpr int kDeepest = 8;
  const std::string at = behindRowViews(analysed, value);
  if (value == sum || at == sum || at == behindRowViews(analysed, sum)) return true;
  const std::string turned = depth < kDeepest ? turnedBack(analysed, at) : std::string();
  if (!turned.empty()) return continues(analysed, sum, turned, depth + 1);
  const Node* node = analysed.model.producer(at);
  if (node == nullptr || depth == kDeepest) return false;
  if (const auto norm = findNormalize(analysed, at))
    return continues(analysed, sum, norm->input, depth + 1);
  if (!isAny(*node, {"Add", "Concat", "Mul"})) return false;
  return std::any_of(node->input().begin(), node->input().end(), [&](const std::string& input) {
    return analysed.model.constant(input) == std::nullopt &&
           continues(analysed, sum, input, depth + 1);
  });
}

// Tells whether the attention half of a block may end at a node.
bool mayGiveRows(const Node& node) {
  return node.output_size() == 1 && isAny(node, {"Reshape", "Squeeze", "Flatten", "MatMul",
                                                 "Transpose", "Unsqueeze", "Concat"});
}

// Tells whether `heads` are some of the heads that `all` joins.
bool arePart(const FoundAttention& heads, const FoundAttention& all) {
  return heads.mix != all.mix &&
         std::find(all.nodes.begin(), all.nodes.end(), heads.mix) != all.nodes.end();
}

}  // namespace

std::optional<FoundAttention> Blocks::attentionAt(const AnalysedModel& analysed,
                                                  const std::string& value, std::int64_t batch) {
  Finding<FoundAttention> all = findAttention(analysed, value, batch);
  if (all.found && dealt_.count(all.found->input) != 0) all.found->windows = 1;
  if (all.found || all.obstacle.empty()) return std::move(all.found);
  const auto& readers = analysed.model.consumers(value);
  const bool isProjected = std::any_of(readers.begin(), readers.end(), [&](const Node* reader) {
    return findLinear(analysed.model, reader->output(0)).has_value();
  });
  std::set<std::int64_t> counts;
  for (const auto& [rows, windows] : dealt_) counts.insert(windows);
  const Integers* dims = isProjected ? analysed.values.dims(value) : nullptr;
  if (dims != nullptr && !dims->empty() && dims->front() > batch && dims->front() % batch == 0)
    counts.insert(dims->front() / batch);
  for (const std::int64_t windows : counts) {
    Finding<FoundAttention> within = findAttention(analysed, value, batch * windows);
    const bool isDealt = within.found && dealt_.count(within.found->input) != 0;
    if (!within.found || (!isProjected && !isDealt)) continue;
    within.found->windows = windows;
    return std::move(within.found);
  }
  if (isProjected) obstacles_.push_back({value, all.obstacle, all.where});
  return std::nullopt;
}

std::vector<Blocks::Core> Blocks::findCores(const AnalysedModel& analysed, std::int64_t batch) {
  std::vector<Core> cores;
  for (const Node* node : analysed.model.nodes()) {
    const std::optional<DealtRows> dealt = dealtRows(analysed, *node);
    if (dealt && dealt->batch == batch) dealt_[node->output(0)] = dealt->windows.count();
  }
  std::unordered_set<const Node*> seen;
  for (const Node* node : analysed.model.nodes()) {
    if (!mayGiveRows(*node)) continue;
    std::optional<FoundAttention> attention = attentionAt(analysed, node->output(0), batch);
    if (!attention || !seen.insert(attention->mix).second) continue;
    cores.erase(std::remove_if(
                    cores.begin(), cores.end(),
                    [&](const Core& other) { return arePart(other.found.attention, *attention); }),
                cores.end());
    const Names streams = madeFrom(analysed.model, attention->input);
    auto [stream, sum] = residual(analysed, node->output(0), streams);
    if (stream.empty()) continue;
    cores.push_back({{std::move(*attention), node->output(0), std::move(sum)}, std::move(stream)});
  }
  return cores;
}

Blocks::Blocks(const AnalysedModel& analysed, std::int64_t batch) {
  std::vector<Core> cores = findCores(analysed, batch);
  for (auto first = cores.begin(); first != cores.end();) {
    const auto last = std::find_if(first, cores.end(),
                                   [&](const Core& core) { return core.stream != first->stream; });
    const Core* next = last == cores.end() ? nullptr : &*last;
    add(analysed, {std::make_move_iterator(first), std::make_move_iterator(last)}, next);
    first = last;
  }
}

void Blocks::add(const AnalysedModel& analysed, std::vector<Core> beside, const Core* next) {
  Names ends;
  for (const Core& core : beside) {
    const std::string& sum = core.found.sum;
    if (&core != &beside.front() && sum == beside.front().found.sum) continue;
    std::string end = next != nullptr ? next->stream : "";
    if (end.empty() || !continues(analysed, sum, end)) {  // the last of its stream
      end = residual(analysed, sum, {sum, behindRowViews(analysed, sum)}).second;  // of its MLP
      if (end.empty()) end = sum;
    }
    ends.merge(madeFrom(analysed.model, end));
  }
  Block block{{}, beside.front().stream, {}};
  block.inside = nodesBetween(analysed, block.stream, ends);
  for (const Node* node : block.inside) around_.emplace(node, blocks_.size());
  for (Core& core : beside) block.attentions.push_back(std::move(core.found));
  blocks_.push_back(std::move(block));
}

bool isBranch(const AnalysedModel& analysed, const std::string& value) {
  return !residual(analysed, value, madeFrom(analysed.model, value)).first.empty();
}

const Block* Blocks::around(const Node& node) const {
  const auto found = around_.find(&node);
  return found == around_.end() ? nullptr : &blocks_[found->second];
}

const BlockAttention* Blocks::endingAt(const std::string& value) const {
  for (const Block& block : blocks_) {
    for (const BlockAttention& each : block.attentions) {
      if (each.result == value) return &each;
    }
  }
  return nullptr;
}

}  // namespace mpm::onnx
