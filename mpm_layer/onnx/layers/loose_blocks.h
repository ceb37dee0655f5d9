// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/recognise/parts.h"

namespace mpm::onnx {

struct LooseAttention {
  FoundAttention attention;
  std::string result;  // rows of heads x d features
};

// A block that is no TransformerBlock: its attention, or several side by side, and the residual
// stream in front. What else is in it works on rows and is followed node by node (RowSteps): other
// norms and MLPs, in any order, side by side or one behind the other.
struct LooseBlock {
  std::vector<LooseAttention> attentions;
  std::string stream;                      // the residual stream in front, behind its row views
  std::unordered_set<const Node*> inside;  // nodes between it and the next block's
};

// A model's blocks in their order, where at least one of them is loose; the others are left to
// Blocks, unless all are to be loose: one that is plain may have something beside it that reads
// what is inside.
class LooseBlocks {
 public:
  LooseBlocks(const Facts& facts, std::int64_t batch, bool areAllLoose = false);

  bool empty() const { return blocks_.empty(); }
  bool hasPlain() const { return hasPlain_; }  // blocks that are left to Blocks
  const std::vector<LooseBlock>& all() const { return blocks_; }
  // The block that a node stands in; null for others.
  const LooseBlock* around(const Node& node) const;
  // The attention of a block that gives this value; null for others.
  const FoundAttention* endingAt(const std::string& value) const;
  // Whether a value is the sum behind the attention of one.
  bool isBehind(const std::string& value) const { return behind_.count(value) != 0; }
  // Of the first attention that is none that is known: what it is, and where; else nothing.
  const std::string& obstacle() const { return obstacle_; }
  const Node* where() const { return where_; }

 private:
  struct Core;

  void findCores(const Facts& facts, std::int64_t batch, bool areAllLoose,
                 std::vector<Core>& cores);
  // The attention that ends at this value, over all rows or within windows that a block deals out.
  std::optional<FoundAttention> attentionAt(const Facts& facts, const std::string& value,
                                            std::int64_t batch);
  void add(const Facts& facts, std::vector<Core> beside, const Core* next);

  std::vector<LooseBlock> blocks_;
  std::unordered_map<std::string, std::int64_t> dealt_;  // windows of an image, by dealt out rows
  std::unordered_map<const Node*, std::size_t> around_;
  std::unordered_set<std::string> behind_;
  bool hasPlain_ = false;
  std::string obstacle_;
  const Node* where_ = nullptr;
};

}  // namespace mpm::onnx
