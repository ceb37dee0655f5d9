// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/rewriter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"

namespace mpm::onnx {

namespace {

// Each one costs a pass over the graph, and models have few outputs.
constexpr int kMostOutputs = 64;

// Moves a graph output from a node that only passes it on to the node before it. Returns false if
// that one has to keep its name too.
bool passOutput(Model& model, const Node* node) {
  const std::string source = node->input(0);
  const std::string output = node->output(0);
  const Node* producer = model.producer(source);
  if (producer == nullptr || model.isOutput(source)) return false;
  // A subgraph may have a value of its own with the output's name.
  for (const Node* reader : model.consumers(source)) {
    bool nested = false;
    forEachNestedUse(*reader, [&](const std::string&) { nested = true; });
    if (nested) return false;
  }
  Edit edit;
  Node renamed = *producer;
  for (auto& made : *renamed.mutable_output()) {
    if (made == source) made = output;
  }
  edit.remove = {producer, node};
  edit.add.push_back(std::move(renamed));
  edit.redirect = {{source, output}};
  model.apply(std::move(edit));
  return true;
}

}  // namespace

std::string Spelling::newName(const std::string& what) {
  const std::string stem = node_->output(0) + "/" + what;
  std::string name = stem;
  for (int i = 1; model_.unusedName(name) != name || !taken_.insert(name).second; ++i) {
    name = stem + "_" + std::to_string(i);
  }
  return name;
}

std::string Spelling::add(const char* type, const std::vector<std::string>& inputs,
                          const std::string& output) {
  Node node;
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  const std::string made = output.empty() ? newName(type) : output;
  node.set_name(made);
  node.add_output(made);
  edit_.add.push_back(std::move(node));
  return made;
}

Node& Spelling::addCopy(const std::vector<std::string>& inputs) {
  Node copy = *node_;
  copy.clear_input();
  for (const std::string& input : inputs) copy.add_input(input);
  edit_.add.push_back(std::move(copy));
  return last();
}

std::optional<Integers> Spelling::integersIn(const std::string& value) const {
  const std::optional<Tensor> constant = model_.constant(value);
  if (!constant || !constant->isInteger()) return std::nullopt;
  return constant->integers();
}

std::optional<std::vector<float>> Spelling::floatsIn(const std::string& value) const {
  const std::optional<Tensor> constant = model_.constant(value);
  if (!constant || !constant->isFloating()) return std::nullopt;
  const Floats floats = constant->floats();
  return std::vector<float>(floats.begin(), floats.end());
}

std::string Spelling::scalar(float value) {
  const std::string name = newName("constant");
  edit_.constants.push_back(floatTensor(name, {}, &value));
  return name;
}

std::string Spelling::integer(std::int64_t value) {
  const std::string name = newName("constant");
  edit_.constants.push_back(integerTensor(name, {}, {value}));
  return name;
}

std::string Spelling::integers(const Integers& values) {
  const std::string name = newName("constant");
  edit_.constants.push_back(
      integerTensor(name, {static_cast<std::int64_t>(values.size())}, values));
  return name;
}

std::string Spelling::floats(const Integers& dims, const std::vector<float>& values) {
  const std::string name = newName("constant");
  weights_ += values.size();
  edit_.constants.push_back(floatTensor(name, dims, values.data()));
  return name;
}

int spellOut(Model& model, const Rules& rules, const DimsOf& dimsOf) {
  Spelling spelling(model, dimsOf);
  for (const Node* node : model.nodes()) {
    if (spelling.isFull()) break;
    const bool plain = isOp(*node, node->op_type().c_str());
    const auto rule = rules.find(plain ? node->op_type() : node->domain() + ":" + node->op_type());
    if (rule == rules.end() || node->output_size() == 0 || node->output(0).empty()) continue;
    spelling.begin(*node);
    if (rule->second(spelling)) spelling.replaceNode();
  }
  const int count = spelling.count();
  if (count > 0) model.apply(spelling.takeEdit());
  return count;
}

int applySpelled(Model& model, Spelling& spelling) {
  const int count = spelling.count();
  if (count == 0) return 0;
  model.apply(spelling.takeEdit());
  model.removeDead();
  return count;
}

std::string inputOf(const Node& node, int i) { return hasInput(node, i) ? node.input(i) : ""; }

bool areUnused(const Model& model, const Node& node, int first, int end) {
  for (int i = first; i < std::min(end, node.output_size()); ++i) {
    const std::string& output = node.output(i);
    if (output.empty()) continue;
    if (model.isOutput(output) || !model.consumers(output).empty()) return false;
  }
  return true;
}

void dropAttribute(Node& node, const char* name) {
  for (int i = node.attribute_size() - 1; i >= 0; --i) {
    if (node.attribute(i).name() == name) node.mutable_attribute()->DeleteSubrange(i, 1);
  }
}

std::string spellTranspose(Spelling& spelling, const std::string& value, const Integers& order,
                           const std::string& output) {
  const std::string made = spelling.add("Transpose", {value}, output);
  setAttribute(spelling.last(), "perm", order);
  return made;
}

std::string spellTurned(Spelling& spelling, const std::string& value, std::size_t rank,
                        const std::string& output) {
  Integers order(rank);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::swap(order[rank - 1], order[rank - 2]);
  return spellTranspose(spelling, value, order, output);
}

int bypass(Model& model, const std::vector<const Node*>& nodes) {
  std::vector<std::string> outputs;
  Edit edit;
  for (const Node* node : nodes) {
    if (model.isOutput(node->output(0))) {
      outputs.push_back(node->output(0));
    } else {
      edit.remove.push_back(node);
      edit.redirect.emplace_back(node->output(0), node->input(0));
    }
  }
  int count = static_cast<int>(edit.remove.size());
  if (count > 0) model.apply(std::move(edit));
  for (std::size_t i = 0; i < outputs.size() && i < kMostOutputs; ++i) {
    if (passOutput(model, model.producer(outputs[i]))) ++count;
  }
  return count;
}

}  // namespace mpm::onnx
