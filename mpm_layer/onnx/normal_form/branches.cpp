// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/simplify.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/walk.h"

namespace mpm::onnx {
namespace {

using Renames = std::unordered_map<std::string, std::string>;

const ::onnx::GraphProto* branchOf(const Node& node, const Values& values) {
  if (!isOp(node, "If") || node.input_size() != 1) return nullptr;
  const Known* condition = values.content(node.input(0));
  if (!condition || condition->isFloat() || condition->count() != 1 || !condition->isSure()) {
    return nullptr;
  }
  const char* name = condition->integers[0] != 0 ? "then_branch" : "else_branch";
  const auto* attribute = findAttribute(node, name);
  if (!attribute || !attribute->has_g()) return nullptr;
  const ::onnx::GraphProto& branch = attribute->g();
  return branch.output_size() == node.output_size() && branch.input_size() == 0 ? &branch : nullptr;
}

// New names for the values that a branch makes; its outputs get those of the If.
Renames namesFor(const Model& model, const Node& node, const ::onnx::GraphProto& branch) {
  Renames names;
  const std::string stem = (node.name().empty() ? "if" : node.name()) + "/";
  const auto add = [&](const std::string& value) {
    if (!value.empty()) names.emplace(value, model.unusedName(stem + value));
  };
  for (const auto& constant : branch.initializer()) add(constant.name());
  for (const Node& inner : branch.node()) {
    for (const std::string& output : inner.output()) add(output);
  }
  return names;
}

// Adds a branch to an edit; false where it can't be, and then the edit is of no use.
bool addBranch(const Model& model, const Node& node, const ::onnx::GraphProto& branch, Edit& edit) {
  const Renames names = namesFor(model, node, branch);
  const auto nameOf = [&](const std::string& value) {
    const auto found = names.find(value);
    return found == names.end() ? value : found->second;
  };
  for (const auto& constant : branch.initializer()) {
    edit.constants.push_back(constant);
    edit.constants.back().set_name(nameOf(constant.name()));
  }
  for (Node inner : branch.node()) {
    ::onnx::TensorProto constant;
    for (auto& output : *inner.mutable_output()) output = nameOf(output);
    if (takeConstant(inner, constant)) {
      edit.constants.push_back(std::move(constant));
      continue;
    }
    if (isOp(inner, "Constant")) return false;
    for (auto& input : *inner.mutable_input()) input = nameOf(input);
    forEachNestedUse(inner, [&](std::string& value) { value = nameOf(value); });
    edit.add.push_back(std::move(inner));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    Node& passed = edit.add.emplace_back();
    passed.set_op_type("Identity");
    passed.set_name(model.unusedName("mpm/branch/" + node.output(i)));
    passed.add_input(nameOf(branch.output(i).name()));
    passed.add_output(node.output(i));
  }
  edit.remove.push_back(&node);
  return true;
}

}  // namespace

int takeBranches(Model& model, const Values& values) {
  int count = 0;
  std::vector<const Node*> nodes;
  for (const Node* node : model.nodes()) {
    if (branchOf(*node, values) != nullptr) nodes.push_back(node);
  }
  for (const Node* node : nodes) {  // one at a time, since new names are of the model as it is then
    Edit edit;
    if (!addBranch(model, *node, *branchOf(*node, values), edit)) continue;
    model.apply(std::move(edit));
    ++count;
  }
  return count;
}

}  // namespace mpm::onnx
