// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/fold.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/graph/tensor.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/operators/known_tensor.h"

namespace mpm::onnx {

namespace {

using Renames = std::unordered_map<std::string, std::string>;

const ::onnx::GraphProto* branchOf(const Node& node, const Values& values) {
  if (!isOp(node, "If") || node.input_size() != 1) return nullptr;
  const KnownTensor* condition = values.content(node.input(0));
  if (!condition || condition->isFloat() || condition->count() != 1 || !condition->isSure()) {
    return nullptr;
  }
  const char* name = condition->integers[0] != 0 ? "then_branch" : "else_branch";
  const auto* attribute = findAttribute(node, name);
  if (!attribute || !attribute->has_g()) return nullptr;
  const ::onnx::GraphProto& branch = attribute->g();
  return branch.output_size() == node.output_size() && branch.input_size() == 0 ? &branch : nullptr;
}

// Returns new names for a branch's values; its outputs get those of the If.
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

// Adds a branch to an edit; false if it cannot be, and the edit is then unusable.
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

// Blocks that each compute the same table.

namespace {

constexpr std::size_t kMostBytes = 1 << 18;  // of a constant that is compared with others

class Sharing {
 public:
  explicit Sharing(const Model& model) : model_(model) {
    for (const auto& constant : model.proto().graph().initializer()) {
      constants_.insert(constant.name());
      if (constant.ByteSizeLong() > kMostBytes ||
          constant.data_location() == ::onnx::TensorProto::EXTERNAL)
        continue;
      ::onnx::TensorProto nameless = constant;
      nameless.clear_name();
      nameless.clear_doc_string();
      note(constant.name(), nameless.SerializeAsString());
    }
  }

  Edit run() {
    for (const Node* node : model_.nodes()) {
      if (isOfConstants(*node)) visit(*node);
    }
    return std::move(edit_);
  }

 private:
  bool isOfConstants(const Node& node) const {
    if (!isOp(node, node.op_type().c_str()) || node.input_size() == 0) return false;
    // Random nodes draw other numbers each time.
    if (isAny(node,
              {"Bernoulli", "Dropout", "Multinomial", "RandomNormalLike", "RandomUniformLike"})) {
      return false;
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0) return false;
    }
    for (const std::string& input : node.input()) {
      if (!input.empty() && constants_.count(input) == 0) return false;
    }
    return true;
  }

  void visit(const Node& node) {
    Node nameless;
    nameless.set_op_type(node.op_type());
    *nameless.mutable_attribute() = node.attribute();
    bool isGiven = false;
    for (const std::string& input : node.input()) {
      const auto same = sameAs_.find(input);
      nameless.add_input(same == sameAs_.end() ? input : same->second);
    }
    for (const std::string& output : node.output()) {
      constants_.insert(output);
      std::string& made = *nameless.add_output();
      if (!output.empty()) made.push_back('y');
      isGiven = isGiven || model_.isOutput(output);
    }
    const auto [found, isFirst] = nodes_.emplace(nameless.SerializeAsString(), &node);
    if (isFirst || isGiven) return;
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      sameAs_[node.output(i)] = found->second->output(i);
      edit_.redirect.emplace_back(node.output(i), found->second->output(i));
    }
    edit_.remove.push_back(&node);
  }

  void note(const std::string& constant, std::string content) {
    const auto [found, isFirst] = contents_.emplace(std::move(content), constant);
    if (!isFirst) sameAs_[constant] = found->second;
  }

  const Model& model_;
  std::unordered_set<std::string> constants_;  // values that depend on no frame
  std::unordered_map<std::string, std::string> contents_, sameAs_;
  std::unordered_map<std::string, const Node*> nodes_;
  Edit edit_;
};

}  // namespace

int shareConstants(Model& model) {
  Edit edit = Sharing(model).run();
  const int shared = static_cast<int>(edit.remove.size());
  if (shared > 0) model.apply(std::move(edit));
  return shared;
}

namespace {

bool isPassedOn(const Model& model, const Node& node) {
  return isOp(node, "Identity") && node.input_size() == 1 && node.output_size() == 1 &&
         !node.input(0).empty() && !node.output(0).empty() && !model.isOutput(node.output(0));
}

bool isKnown(const Model& model, const Values& values, const Node& node) {
  if (!isOp(node, node.op_type().c_str()) || isOp(node, "Identity")) return false;
  const auto& outputs = node.output();
  return !outputs.empty() &&
         std::all_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
           if (output.empty()) return true;
           const KnownTensor* known = model.isOutput(output) ? nullptr : values.content(output);
           return known && known->isSure();
         });
}

}  // namespace

int fold(Model& model) { return fold(model, Values(model)); }

int fold(Model& model, const Values& values) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (isPassedOn(model, *node)) {
      edit.redirect.emplace_back(node->output(0), node->input(0));
    } else if (isKnown(model, values, *node)) {
      for (const auto& output : node->output()) {
        if (!output.empty()) edit.constants.push_back(toTensor(*values.content(output), output));
      }
    } else {
      continue;
    }
    edit.remove.push_back(node);
  }
  const int folded = static_cast<int>(edit.remove.size());
  if (folded > 0) {
    model.apply(std::move(edit));
    model.removeDead();
  }
  return folded;
}

namespace {

using Shape = std::optional<Integers>;

// Matches numbers among sizes of Values::namedDims; negative ones are names.
bool isNumber(std::int64_t size) { return size >= 0; }

Shape reshapeTarget(const Node& node, const Integers& data, const Integers& result) {
  // An empty result says nothing about single sizes, and 0 has a meaning of its own.
  if (std::find(result.begin(), result.end(), 0) != result.end()) return std::nullopt;
  const bool canCopy = intAttribute(node, "allowzero").value_or(0) == 0;
  const auto isOpen = [](std::int64_t size) { return !isNumber(size); };
  Integers target = result;
  if (std::count_if(result.begin(), result.end(), isOpen) == 1) {
    *std::find_if(target.begin(), target.end(), isOpen) = -1;
    return target;
  }
  int open = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (isNumber(target[i])) continue;
    const bool isCopy = canCopy && i < data.size() && data[i] == result[i];
    target[i] = isCopy ? 0 : -1;
    open += isCopy ? 0 : 1;
  }
  return open <= 1 ? Shape(target) : std::nullopt;
}

Shape expandTarget(const Integers& data, const Integers& result) {
  if (data.size() > result.size()) return std::nullopt;
  const std::size_t added = result.size() - data.size();
  Integers target = result;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (isNumber(target[i])) continue;
    if (i < added || data[i - added] != result[i]) return std::nullopt;
    target[i] = 1;
  }
  return target;
}

// Returns the factors from data to result; std::nullopt if a runtime that multiplies in float32 or
// float64 might get other sizes.
std::optional<std::vector<float>> scalesOf(const Integers& data, const Integers& result) {
  if (data.size() != result.size()) return std::nullopt;
  std::vector<float> scales;
  for (std::size_t i = 0; i < data.size(); ++i) {
    float scale = 1;
    if (data[i] != result[i]) {
      if (data[i] < 1 || result[i] < 1) return std::nullopt;
      const auto from = static_cast<float>(data[i]), to = static_cast<float>(result[i]);
      scale = to / from;
      const double exact = static_cast<double>(scale) * static_cast<double>(from);
      if (std::floor(scale * from) != to || std::floor(exact) != static_cast<double>(to)) {
        return std::nullopt;
      }
    }
    scales.push_back(scale);
  }
  return scales;
}

class Settling {
 public:
  Settling(const Model& model, const Values& values) : model_(model), values_(values) {}

  Edit run() {
    for (const Node* node : model_.nodes()) {
      if (isOp(*node, "Reshape") || isOp(*node, "Expand")) settleShape(*node);
      if (isOp(*node, "Resize")) settleResize(*node);
    }
    return std::move(edit_);
  }

 private:
  bool isComputed(const Node& node, int input) const {
    return node.input_size() > input && model_.producer(node.input(input)) != nullptr;
  }

  std::string unusedName(const std::string& stem) {
    std::string name = model_.unusedName(stem);
    for (int i = 1; !names_.insert(name).second; ++i) {
      name = model_.unusedName(stem + "_" + std::to_string(i));
    }
    return name;
  }

  void settleShape(const Node& node) {
    if (node.input_size() != 2 || node.output_size() != 1 || !isComputed(node, 1)) return;
    const Integers* data = values_.namedDims(node.input(0));
    const Integers* result = values_.namedDims(node.output(0));
    if (!data || !result) return;
    const Shape target =
        isOp(node, "Reshape") ? reshapeTarget(node, *data, *result) : expandTarget(*data, *result);
    if (!target) return;
    const std::string name = unusedName(node.output(0) + "_shape");
    edit_.constants.push_back(
        integerTensor(name, {static_cast<std::int64_t>(target->size())}, *target));
    Node settled = node;
    settled.set_input(1, name);
    replace(node, std::move(settled));
  }

  // Inputs: X, roi, scales, sizes.
  void settleResize(const Node& node) {
    if (node.input_size() != 4 || node.output_size() != 1 || !isComputed(node, 3)) return;
    const bool isPlain =
        !findAttribute(node, "axes") && !findAttribute(node, "keep_aspect_ratio_policy");
    const Integers* data = values_.namedDims(node.input(0));
    const Integers* result = values_.namedDims(node.output(0));
    const auto scales = isPlain && data && result ? scalesOf(*data, *result) : std::nullopt;
    if (!scales) return;
    const std::string name = unusedName(node.output(0) + "_scales");
    edit_.constants.push_back(
        floatTensor(name, {static_cast<std::int64_t>(scales->size())}, scales->data()));
    Node settled = node;
    settled.mutable_input()->RemoveLast();
    settled.set_input(2, name);
    replace(node, std::move(settled));
  }

  void replace(const Node& node, Node settled) {
    edit_.remove.push_back(&node);
    edit_.add.push_back(std::move(settled));
  }

  const Model& model_;
  const Values& values_;
  std::unordered_set<std::string> names_;
  Edit edit_;
};

// Returns Expand nodes to the sizes that their input already has.
std::vector<const Node*> emptyExpands(const Model& model, const Values& values) {
  std::vector<const Node*> found;
  for (const Node* node : model.nodes()) {
    if (!isOp(*node, "Expand") || node->input_size() != 2 || node->output_size() != 1) continue;
    const Integers *data = values.namedDims(node->input(0)),
                   *result = values.namedDims(node->output(0));
    if (data != nullptr && result != nullptr && *data == *result) found.push_back(node);
  }
  return found;
}

}  // namespace

int settleReshapes(Model& model, const Values& values) {
  const int passed = bypass(model, emptyExpands(model, values));
  Edit edit = Settling(model, values).run();
  const int settled = passed + static_cast<int>(edit.remove.size());
  if (settled > 0) {
    model.apply(std::move(edit));
    model.removeDead();
  }
  return settled;
}

}  // namespace mpm::onnx
