// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/recognise/parts.h"

namespace mpm::onnx {

struct BlockAttention {
  FoundAttention attention;
  std::string result;  // rows of heads x d features
  std::string sum;     // where it joins the residual stream
};

// A transformer block: its attention, or several in parallel, and the residual stream before it.
// Norms and MLPs, in any order, in parallel or in sequence, work on rows. RowSteps follows them
// node by node.
struct Block {
  std::vector<BlockAttention> attentions;
  std::string stream;                      // the residual stream in front, behind its row views
  std::unordered_set<const Node*> inside;  // nodes between it and the next block's
};

// Finds a model's blocks in their order, with any kind of tokens.
class Blocks {
 public:
  struct Obstacle {
    std::string value, what;
    const Node* where = nullptr;
  };

  Blocks(const AnalysedModel& analysed, std::int64_t batch);

  const std::vector<Block>& all() const { return blocks_; }
  // Returns the block that contains a node; null if none does.
  const Block* around(const Node& node) const;
  // Returns the attention that ends at this value; null if none does.
  const BlockAttention* endingAt(const std::string& value) const;
  // Lists values that linear layers read like attention, but that are no known attention. They are
  // in the order of the nodes.
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }

 private:
  struct Core;

  std::vector<Core> findCores(const AnalysedModel& analysed, std::int64_t batch);
  // Finds the attention that ends at this value, over all rows of an image or within its windows.
  // Pictures that a model puts into its batch look like windows here.
  std::optional<FoundAttention> attentionAt(const AnalysedModel& analysed, const std::string& value,
                                            std::int64_t batch);
  void add(const AnalysedModel& analysed, std::vector<Core> beside, const Core* next);

  std::vector<Block> blocks_;
  std::unordered_map<std::string, std::int64_t> dealt_;  // windows of an image, by dealt out rows
  std::unordered_map<const Node*, std::size_t> around_;
  std::vector<Obstacle> obstacles_;
};

// Tells whether a value, or one made from it, is added to a value that it was made from.
bool isBranch(const AnalysedModel& analysed, const std::string& value);

}  // namespace mpm::onnx
