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

// Collects replacements of nodes by others in one pass over a model, which are applied together. A
// rule first checks everything, then adds the whole replacement of node(), with outputs of the same
// names.
class Spelling {
 public:
  Spelling(const Model& model, const DimsOf& dimsOf) : model_(model), dimsOf_(dimsOf) {}

  const Model& model() const { return model_; }
  const Integers* dims(const std::string& value) const { return dimsOf_(value); }
  // Return the elements of a constant of integers, or of floats; std::nullopt for others.
  std::optional<Integers> integersIn(const std::string& value) const;
  std::optional<std::vector<float>> floatsIn(const std::string& value) const;

  // Sets the node that is replaced next.
  void begin(const Node& node) { node_ = &node; }
  const Node& node() const { return *node_; }
  void replaceNode() { edit_.remove.push_back(node_); }

  // Adds a node with one output, by default a new value. Returns the output's name.
  std::string add(const char* type, const std::vector<std::string>& inputs,
                  const std::string& output = "");

  // Adds node() again, with its attributes, but with these inputs.
  Node& addCopy(const std::vector<std::string>& inputs);

  // Returns the node added last.
  Node& last() { return edit_.add.back(); }

  // Add constants.
  std::string scalar(float value);
  std::string integer(std::int64_t value);  // of no dimension
  std::string integers(const Integers& values);
  std::string floats(const Integers& dims, const std::vector<float>& values);

  // Limits new weights; no more nodes are replaced beyond it, since one constant may serve many
  // nodes.
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

// Replaces spelling.node(); returns false, and adds nothing, if the node has to stay.
using Rule = bool (*)(Spelling& spelling);
using Rules =
    std::unordered_map<std::string, Rule>;  // by type, ONNX's own; "domain:type" for others

// Applies the replacements to the model, and removes nodes that nothing reads then. Returns the
// number of changes.
int applySpelled(Model& model, Spelling& spelling);

// Applies rules to the model's nodes in one pass. Returns how many were replaced. Nodes stay once
// there are too many new weights.
int spellOut(Model& model, const Rules& rules, const DimsOf& dimsOf);

// Returns the input's name, empty if it has none.
std::string inputOf(const Node& node, int i);
// Tells whether nothing reads those of the outputs first, ..., end - 1 that the node has.
bool areUnused(const Model& model, const Node& node, int first, int end = 1 << 30);

void dropAttribute(Node& node, const char* name);

// Add a Transpose with the axes of a value in another order, or with its last two axes swapped.
std::string spellTranspose(Spelling& spelling, const std::string& value, const Integers& order,
                           const std::string& output = "");
std::string spellTurned(Spelling& spelling, const std::string& value, std::size_t rank,
                        const std::string& output = "");

// Removes nodes that pass one input on as one output. Returns how many. Keeps one between two
// values with names that have to stay.
int bypass(Model& model, const std::vector<const Node*>& nodes);

}  // namespace mpm::onnx
