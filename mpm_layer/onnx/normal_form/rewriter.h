// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/normal_form/normal_form.h"

namespace mpm::onnx {

// Nodes spelled out in other nodes: those of one pass over a model, applied together. Whoever
// writes checks everything first, then writes the whole replacement of node(), whose outputs it
// gives again under their names.
class Spelling {
 public:
  Spelling(const Model& model, const DimsOf& dimsOf) : model_(model), dimsOf_(dimsOf) {}

  const Model& model() const { return model_; }
  const Integers* dims(const std::string& value) const { return dimsOf_(value); }
  // The elements of a constant of whole numbers, or of a floating one; nothing for what is neither.
  std::optional<Integers> integersIn(const std::string& value) const;
  std::optional<std::vector<float>> floatsIn(const std::string& value) const;

  // The node that is replaced next.
  void begin(const Node& node) { node_ = &node; }
  const Node& node() const { return *node_; }
  void replaceNode() { edit_.remove.push_back(node_); }

  // Adds a node with one output, by default a new value; gives the output's name.
  std::string add(const char* type, const std::vector<std::string>& inputs,
                  const std::string& output = "");

  // Adds node() again, with its attributes, but with these inputs.
  Node& addCopy(const std::vector<std::string>& inputs);

  // The node added last.
  Node& last() { return edit_.add.back(); }

  // New constants.
  std::string scalar(float value);
  std::string integer(std::int64_t value);  // of no dimension
  std::string integers(const Integers& values);
  std::string floats(const Integers& dims, const std::vector<float>& values);

  // So many new weights that no more nodes are replaced: those of one file may serve many nodes.
  static constexpr std::size_t kMostWeights = std::size_t{1} << 26;
  bool isFull() const { return weights_ > kMostWeights; }

  Edit takeEdit() { return std::move(edit_); }
  int count() const { return static_cast<int>(edit_.remove.size()); }

 private:
  std::string newName(const std::string& what);

  const Model& model_;
  const DimsOf& dimsOf_;
  const Node* node_ = nullptr;
  Edit edit_;
  std::size_t weights_ = 0;
  std::unordered_set<std::string> taken_;
};

// Replaces spelling.node(); false where the node is to stay, and then nothing was written.
using Rule = bool (*)(Spelling& spelling);
using Rules =
    std::unordered_map<std::string, Rule>;  // by type, ONNX's own; "domain:type" for others

// Puts what was spelled into the model, and takes out what nothing reads then. Returns the number
// of changes.
int applySpelled(Model& model, Spelling& spelling);

// One pass of rules over the model's nodes; how many were replaced. Nodes stay where there are too
// many new weights already.
int spellOut(Model& model, const Rules& rules, const DimsOf& dimsOf);

// The input's name, empty where it has none.
std::string inputOf(const Node& node, int i);
// Is nothing read of the node's outputs first, ..., end - 1, as far as it has them?
bool areUnused(const Model& model, const Node& node, int first, int end = 1 << 30);

void dropAttribute(Node& node, const char* name);

// The axes of a value in another order; the last two changed over.
std::string spellTranspose(Spelling& spelling, const std::string& value, const Integers& order,
                           const std::string& output = "");
std::string spellTurned(Spelling& spelling, const std::string& value, std::size_t rank,
                        const std::string& output = "");

// Takes nodes of one input and one output that pass it on unchanged out of the graph; how many
// went. One between two values whose names have to stay is kept.
int bypass(Model& model, const std::vector<const Node*>& nodes);

}  // namespace mpm::onnx
