// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/layers/blocks.h"
#include "onnx/layers/emit.h"
#include "onnx/layers/standing.h"

namespace mpm::onnx {

// What a model's outputs need, looked for from there back: which of the planned layers, and which
// nodes of its own.
class Needs {
 public:
  Needs(const Facts& facts, Standing& standing, const Blocks& blocks, Plan& plan, Emitter& emit)
      : facts_(facts), standing_(standing), blocks_(blocks), plan_(plan), emit_(emit) {}

  // The obstacle, where a node inside of a block is needed outside of it; else nothing.
  std::string look();
  // The same for a net that does not merge: such nodes stay beside their block.
  void lookBesideBlocks();
  // Before looking: such nodes of this block stay beside it as well.
  void allowBeside(std::string block) { openBlock_ = std::move(block); }

  const std::unordered_set<const Node*>& kept() const { return kept_; }  // nodes that stay
  bool hasMerge() const;

  // Leaves in the plan what is needed. Gives graph outputs their names, and everything else that
  // is replaced new ones.
  void finish();

 private:
  std::string need(const std::string& value, std::vector<std::string>& waiting);
  void needPlanned(const std::string& name, std::vector<std::string>& waiting);
  void keepOtherOutputs();

  const Facts& facts_;
  Standing& standing_;
  const Blocks& blocks_;
  Plan& plan_;
  Emitter& emit_;
  bool besideBlocks_ = false;
  std::string openBlock_;
  std::unordered_set<std::string> values_;
  std::unordered_set<std::size_t> planned_;  // nodes of the plan
  std::unordered_set<const Node*> kept_;
  std::vector<std::pair<std::string, std::string>> replacements_;  // of a value by a blob
};

}  // namespace mpm::onnx
