// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/layers/emit.h"
#include "onnx/layers/token_values.h"

namespace mpm::onnx {

// Finds what a model's outputs need, from there back: planned layers, and nodes of the model.
class NeededLayers {
 public:
  NeededLayers(const AnalysedModel& analysed, TokenValues& tokenValues, Plan& plan, Emitter& emit)
      : analysed_(analysed), tokenValues_(tokenValues), plan_(plan), emit_(emit) {}

  void look();

  const std::unordered_set<const Node*>& kept() const { return kept_; }  // nodes that stay
  bool hasMerge() const;

  // Keeps only needed nodes in the plan. Graph outputs keep their names, and other replaced values
  // get new ones.
  void finish();

 private:
  void need(const std::string& value, std::vector<std::string>& waiting);
  void needPlanned(const std::string& name, std::vector<std::string>& waiting);
  void keepOtherOutputs();

  const AnalysedModel& analysed_;
  TokenValues& tokenValues_;
  Plan& plan_;
  Emitter& emit_;
  std::unordered_set<std::string> values_;
  std::unordered_set<std::size_t> planned_;  // nodes of the plan
  std::unordered_set<const Node*> kept_;
  std::vector<std::pair<std::string, std::string>> replacements_;  // of a value by a blob
};

}  // namespace mpm::onnx
