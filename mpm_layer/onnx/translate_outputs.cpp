// SPDX-License-Identifier: Apache-2.0
// From the outputs back: which of the planned layers are needed, and what stays as it was.
#include <algorithm>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/error.h"
#include "onnx/translate.h"
#include "onnx/walk.h"

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

// The value as the model has it, all of its rows restored.
std::string Translation::plainValue(const std::string& value, const Tokens& tokens) {
  const auto known = plain_.find(value);
  if (known != plain_.end()) return known->second;
  const Tokens whole = tokens.isSpecialOnly() || tokens.map.empty() ? tokens : restored(tokens);
  std::string name = whole.blob;
  if (!whole.isWhole()) {
    std::vector<std::string> pieces;
    for (const Part& part : whole.parts) {
      pieces.push_back(part.isImage
                           ? emit_.slice(whole.blob, whole.special, whole.special + whole.image)
                           : emit_.slice(whole.blob, part.begin, part.end));
    }
    name = pieces.front();
    if (pieces.size() > 1) {
      name = emit_.plain("Concat", pieces);
      setAttribute(emit_.last().node, "axis", std::int64_t{1});
    }
  }
  if (whole.dropsRows) {
    name = emit_.plain("Flatten", {name});
    setAttribute(emit_.last().node, "axis", std::int64_t{1});
  } else if (whole.rowsFirst) {
    name = emit_.plain("Transpose", {name});
    setAttribute(emit_.last().node, "perm", Integers{1, 0, 2});
  }
  plain_.emplace(value, name);
  return name;
}

std::optional<std::string> Translation::planned(const std::string& value) {
  const auto dense = dense_.find(value);
  if (dense != dense_.end()) return dense->second;
  const auto tokens = tokens_.find(value);
  if (tokens == tokens_.end() || tokens->second.flat) return std::nullopt;
  return plainValue(value, tokens->second);
}

void Translation::needOutputs() {
  std::vector<std::string> waiting;
  for (const Value& output : facts_.model.outputs()) waiting.push_back(output.name);
  while (!waiting.empty() && encoder_.obstacle.empty()) {
    const std::string value = std::move(waiting.back());
    waiting.pop_back();
    if (needed_.insert(value).second) need(value, waiting);
  }
}

void Translation::need(const std::string& value, std::vector<std::string>& waiting) {
  if (facts_.model.constant(value) || facts_.model.isInput(value)) return;
  if (const std::optional<std::string> name = planned(value)) {
    replacements_.emplace_back(value, *name);
    needPlanned(*name, waiting);
    return;
  }
  const Node* node = facts_.model.producer(value);
  if (node == nullptr || !kept_.insert(node).second) return;
  const auto inside = inside_.find(node);
  if (inside != inside_.end()) {
    encoder_.obstacle =
        inside->second + ": " + nameOf(*node) + " inside it is used outside of it as well";
    return;
  }
  for (const std::string& input : node->input()) {
    if (!input.empty()) waiting.push_back(input);
  }
  forEachNestedUse(*node, [&](const std::string& name) { waiting.push_back(name); });
}

void Translation::needPlanned(const std::string& name, std::vector<std::string>& waiting) {
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
    if (!neededNodes_.insert(index).second) continue;
    for (const std::string& input : made->node.input()) names.push_back(input);
  }
}

// Gives graph outputs their names, and everything else new ones.
void Translation::finish() {
  std::vector<Plan::NewNode> nodes;
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (neededNodes_.count(i) != 0) nodes.push_back(std::move(plan_.nodes[i]));
  }
  plan_.nodes = std::move(nodes);
  describeHead();
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
void Translation::keepOtherOutputs() {
  std::unordered_map<const Node*, Node> copies;
  for (const auto& [value, name] : replacements_) {
    const Node* node = facts_.model.producer(value);
    if (!facts_.model.isOutput(value) || kept_.count(node) == 0) continue;
    Node& copy = copies.emplace(node, *node).first->second;
    for (std::string& output : *copy.mutable_output()) {
      if (output == value) output = facts_.model.unusedName("mpm/replaced_" + value);
    }
  }
  for (auto& [node, copy] : copies) plan_.nodes.push_back({std::move(copy), {}, {}});
}

void Translation::describeHead() {
  const auto count = [&](const char* type) {
    return std::count_if(plan_.nodes.begin(), plan_.nodes.end(),
                         [&](const auto& each) { return each.node.op_type() == type; });
  };
  const bool hasConv = std::any_of(kept_.begin(), kept_.end(), [](const Node* node) {
    return isOp(*node, "Conv") || isOp(*node, "ConvTranspose");
  });
  const auto last = std::find_if(plan_.nodes.rbegin(), plan_.nodes.rend(), [](const auto& each) {
    return each.node.op_type() == "Linear" || each.node.op_type() == "MaskDecoderHead";
  });
  if (count("MaskDecoderHead") > 0) {
    const std::int64_t blocks = count("TransformerBlock") - encoder_.blocks;
    encoder_.head = "mask decoder, " + std::to_string(blocks) + " blocks, " +
                    std::to_string(intAttribute(last->node, "special").value_or(0)) + " classes";
  } else if (hasConv) {
    encoder_.head = "convolutional";
  } else if (last == plan_.nodes.rend()) {
    encoder_.head = "none";
  } else {
    encoder_.head = "linear, " + std::to_string(last->weights.front().dims.front()) + " outputs";
  }
}

}  // namespace mpm::onnx
