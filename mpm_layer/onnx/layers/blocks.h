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

// A transformer block: its attention, or several side by side, and the residual stream in front.
// What else is in it works on rows and is followed node by node (RowSteps): norms and MLPs, in any
// order, side by side or one behind the other.
struct Block {
  std::vector<BlockAttention> attentions;
  std::string stream;                      // the residual stream in front, behind its row views
  std::unordered_set<const Node*> inside;  // nodes between it and the next block's
};

// A model's blocks in their order, whatever their tokens are.
class Blocks {
 public:
  struct Obstacle {
    std::string value, what;
    const Node* where = nullptr;
  };

  Blocks(const AnalysedModel& analysed, std::int64_t batch);

  const std::vector<Block>& all() const { return blocks_; }
  // The block that a node stands in; null for others.
  const Block* around(const Node& node) const;
  // The attention that gives this value; null for others.
  const BlockAttention* endingAt(const std::string& value) const;
  // Lists what a linear layer reads as it would an attention, and is none that is known, in the
  // order of the nodes.
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }

 private:
  struct Core;

  std::vector<Core> findCores(const AnalysedModel& analysed, std::int64_t batch);
  // The attention that ends at this value, over all rows of an image or within windows of it. The
  // pictures that a model puts into its batch look like windows here.
  std::optional<FoundAttention> attentionAt(const AnalysedModel& analysed, const std::string& value,
                                            std::int64_t batch);
  void add(const AnalysedModel& analysed, std::vector<Core> beside, const Core* next);

  std::vector<Block> blocks_;
  std::unordered_map<std::string, std::int64_t> dealt_;  // windows of an image, by dealt out rows
  std::unordered_map<const Node*, std::size_t> around_;
  std::vector<Obstacle> obstacles_;
};

// Whether a value, or what is made of it, is added to something that it was made from.
bool isBranch(const AnalysedModel& analysed, const std::string& value);

}  // namespace mpm::onnx
