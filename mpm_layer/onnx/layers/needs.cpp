// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/needs.h"

#include <algorithm>
#include <unordered_map>

#include "mpm/layer_kinds.h"
#include "onnx/graph/error.h"
#include "onnx/graph/walk.h"

namespace mpm::onnx {
namespace {

void renameInputs(Plan& plan, const std::string& from, const std::string& to) {
  for (Plan::NewNode& added : plan.nodes) {
    for (std::string& input : *added.node.mutable_input()) {
      if (input == from) input = to;
    }
  }
}

}  // namespace

std::string Needs::look() {
  std::vector<std::string> waiting;
  for (const Value& output : facts_.model.outputs()) waiting.push_back(output.name);
  std::string obstacle;
  while (!waiting.empty() && obstacle.empty()) {
    const std::string value = std::move(waiting.back());
    waiting.pop_back();
    if (values_.insert(value).second) obstacle = need(value, waiting);
  }
  return obstacle;
}

void Needs::lookBesideBlocks() {
  besideBlocks_ = true;
  look();
}

std::string Needs::need(const std::string& value, std::vector<std::string>& waiting) {
  if (facts_.model.constant(value) || facts_.model.isInput(value)) return {};
  if (const std::optional<std::string> name = standing_.whole(value)) {
    replacements_.emplace_back(value, *name);
    needPlanned(*name, waiting);
    return {};
  }
  const Node* node = facts_.model.producer(value);
  if (node == nullptr || !kept_.insert(node).second) return {};
  const std::string* block = besideBlocks_ ? nullptr : blocks_.around(node);
  if (block != nullptr && *block != openBlock_) {
    return *block + ": " + nameOf(*node) + " inside it is used outside of it as well";
  }
  for (const std::string& input : node->input()) {
    if (!input.empty()) waiting.push_back(input);
  }
  forEachNestedUse(*node, [&](const std::string& name) { waiting.push_back(name); });
  return {};
}

void Needs::needPlanned(const std::string& name, std::vector<std::string>& waiting) {
  std::vector<std::string> names{name};
  while (!names.empty()) {
    const std::string next = std::move(names.back());
    names.pop_back();
    const auto made = std::find_if(plan_.nodes.begin(), plan_.nodes.end(), [&](const auto& each) {
      const auto& outputs = each.node.output();
      return std::find(outputs.begin(), outputs.end(), next) != outputs.end();
    });
    if (made == plan_.nodes.end()) {
      waiting.push_back(next);  // a value of the model: the image
      continue;
    }
    const auto index = static_cast<std::size_t>(made - plan_.nodes.begin());
    if (!planned_.insert(index).second) continue;
    for (const std::string& input : made->node.input()) names.push_back(input);
  }
}

bool Needs::hasMerge() const {
  return std::any_of(planned_.begin(), planned_.end(), [&](std::size_t i) {
    return plan_.nodes[i].node.op_type() == operatorOf(LayerKind::mutualPairMerge);
  });
}

void Needs::finish() {
  std::vector<Plan::NewNode> nodes;
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (planned_.count(i) != 0) nodes.push_back(std::move(plan_.nodes[i]));
  }
  plan_.nodes = std::move(nodes);
  keepOtherOutputs();
  for (const auto& [value, name] : replacements_) {
    renameInputs(plan_, value, name);
    if (!facts_.model.isOutput(value)) {
      plan_.redirect.emplace_back(value, name);
      continue;
    }
    const Node* old = facts_.model.producer(value);
    if (std::find(plan_.remove.begin(), plan_.remove.end(), old) == plan_.remove.end())
      plan_.remove.push_back(old);
    emit_.plain("Identity", {name});
    emit_.last().node.set_output(0, value);
  }
}

// A node that stays, one of whose outputs is replaced under its own name, gives that one another.
void Needs::keepOtherOutputs() {
  std::unordered_map<const Node*, Node> copies;
  for (const auto& [value, name] : replacements_) {
    const Node* node = facts_.model.producer(value);
    if (!facts_.model.isOutput(value) || kept_.count(node) == 0) continue;
    Node& copy = copies.emplace(node, *node).first->second;
    for (std::string& output : *copy.mutable_output()) {
      if (output == value) output = facts_.model.unusedName("mpm/replaced_" + value);
    }
  }
  for (auto& [node, copy] : copies) plan_.nodes.push_back({std::move(copy), {}, {}, {}});
}

}  // namespace mpm::onnx
