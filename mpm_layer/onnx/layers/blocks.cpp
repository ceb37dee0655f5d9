// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/blocks.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/layers/loose_blocks.h"
#include "onnx/layers/positions.h"
#include "onnx/layers/row_steps.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"
#include "onnx/recognise/windows.h"

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
