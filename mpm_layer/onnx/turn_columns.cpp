// SPDX-License-Identifier: Apache-2.0
// What people compute on columns [B, features, rows], with convolutions of one column for linear
// layers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_spelling.h"
#include "onnx/row_functions.h"

namespace mpm::onnx {
namespace {

bool areAll(const Node& node, const char* name, std::int64_t wanted) {
  const auto values = intsAttribute(node, name).value_or(Integers{});
  return std::all_of(values.begin(), values.end(), [&](auto value) { return value == wanted; });
}

// A convolution that makes each column of that column alone.
bool isProjection(const Model& model, const Node& node) {
  if (!isOp(node, "Conv") || !hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto weight = model.constant(node.input(1));
  if (!weight || !weight->isFloating() || weight->dims().size() != 3 || weight->dims()[2] != 1 ||
      weight->count() < 1 || intAttribute(node, "group").value_or(1) != 1 ||
      !areAll(node, "strides", 1) || !areAll(node, "pads", 0))
    return false;
  const auto bias = hasInput(node, 2) ? model.constant(node.input(2)) : std::nullopt;
  return !hasInput(node, 2) || (bias && bias->isFloating() && bias->dims().size() == 1 &&
                                bias->count() == weight->dims()[0]);
}

bool isTurn(const Node& node) {
  return isOp(node, "Transpose") && intsAttribute(node, "perm") == Integers{0, 2, 1};
}

// A number, or one for each feature of columns.
bool isBesideColumns(const Model& model, const std::string& value) {
  const auto constant = model.constant(value);
  if (!constant || constant->dims().size() > 3) return false;
  const Integers& dims = constant->dims();
  return constant->count() == 1 ||
         (constant->isFloating() && dims.size() > 1 && dims[dims.size() - 2] == constant->count());
}

class Columns {
 public:
  explicit Columns(Model& model) : model_(model), spelling_(model, dimsOf_) { find(); }

  int run() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (spelling_.isFull()) return 0;
      if (isWanted(i)) spell(i);
    }
    return applySpelled(model_, spelling_);
  }

 private:
  struct Part {
    const Node* node;
    bool isProjection;
  };

  // The projections, and what is made of them element by element.
  void find() {
    for (const Node* node : model_.nodes()) {
      if (node->output_size() != 1) continue;
      const bool isLinear = isProjection(model_, *node);
      if (!isLinear && !isOfColumns(*node)) continue;
      const std::size_t part = parts_.size();
      parts_.push_back({node, isLinear});
      groups_.push_back(part);
      partOf_[node->output(0)] = part;
      for (const std::string& input : node->input()) {
        const auto made = partOf_.find(input);
        if (made != partOf_.end()) groups_[groupOf(part)] = groupOf(made->second);
      }
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Node& node = *parts_[i].node;
      const Node* before = model_.producer(node.input(0));
      const auto& readers = model_.consumers(node.output(0));
      if ((parts_[i].isProjection && before != nullptr && isTurn(*before)) ||
          std::any_of(readers.begin(), readers.end(), [](const Node* it) { return isTurn(*it); }))
        turned_.insert(groupOf(i));
    }
  }

  bool isOfColumns(const Node& node) const {
    bool isOf = false;
    for (const std::string& input : node.input()) {
      const bool isColumns = partOf_.count(input) != 0;
      if (!isColumns && !input.empty() && !isBesideColumns(model_, input)) return false;
      isOf = isOf || isColumns;
    }
    return isOf && isElementWise(node);
  }

  std::size_t groupOf(std::size_t part) const {
    while (groups_[part] != part) part = groups_[part];
    return part;
  }

  // Whether somebody turned rows for it, or turns them back.
  bool isWanted(std::size_t part) const { return turned_.count(groupOf(part)) != 0; }

  std::string rowsOf(const std::string& columns) {
    const auto found = rows_.find(columns);
    if (found != rows_.end()) return found->second;
    const Node* before = model_.producer(columns);
    return rows_[columns] = before != nullptr && isTurn(*before)
                                ? before->input(0)
                                : spellTranspose(spelling_, columns, {0, 2, 1});
  }

  std::string besideRows(const std::string& value) {
    if (value.empty() || model_.constant(value)->count() == 1) return value;
    const std::vector<float> numbers = *spelling_.floatsIn(value);
    return spelling_.floats({static_cast<std::int64_t>(numbers.size())}, numbers);
  }

  std::string spellProjection(const Node& node, const std::string& output) {
    const Integers dims = model_.constant(node.input(1))->dims();
    const auto out = static_cast<std::size_t>(dims[0]), in = static_cast<std::size_t>(dims[1]);
    const std::vector<float> weights = *spelling_.floatsIn(node.input(1));
    std::vector<float> matrix(weights.size());
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) matrix[i * out + o] = weights[o * in + i];
    }
    const bool hasBias = hasInput(node, 2);
    const std::string product = spelling_.add(
        "MatMul", {rowsOf(node.input(0)), spelling_.floats({dims[1], dims[0]}, matrix)},
        hasBias ? std::string() : output);
    return hasBias ? spelling_.add("Add", {product, node.input(2)}, output) : product;
  }

  std::string spellFunction(const Node& node, const std::string& output) {
    std::vector<std::string> inputs;
    for (const std::string& input : node.input())
      inputs.push_back(partOf_.count(input) != 0 ? rowsOf(input) : besideRows(input));
    const std::string made = spelling_.add(node.op_type().c_str(), inputs, output);
    *spelling_.last().mutable_attribute() = node.attribute();
    return made;
  }

  // Its rows stand under the name of the first that turns them back; others read columns.
  void spell(std::size_t part) {
    const Node& node = *parts_[part].node;
    const std::string& columns = node.output(0);
    std::string name;
    bool areRead = model_.isOutput(columns);
    std::vector<const Node*> turns;
    for (const Node* reader : model_.consumers(columns)) {
      const bool isPart = reader->output_size() == 1 && partOf_.count(reader->output(0)) != 0;
      if (isTurn(*reader)) turns.push_back(reader);
      areRead = areRead || (!isPart && !isTurn(*reader));
    }
    if (!turns.empty()) name = turns.front()->output(0);
    spelling_.begin(node);
    const std::string rows =
        parts_[part].isProjection ? spellProjection(node, name) : spellFunction(node, name);
    rows_[columns] = rows;
    if (areRead) spellTranspose(spelling_, rows, {0, 2, 1}, columns);
    spelling_.replaceNode();
    for (const Node* turn : turns) {
      spelling_.begin(*turn);
      if (turn != turns.front()) spelling_.add("Identity", {rows}, turn->output(0));
      spelling_.replaceNode();
    }
  }

  Model& model_;
  DimsOf dimsOf_ = [](const std::string&) { return nullptr; };
  Spelling spelling_;
  std::vector<Part> parts_;
  std::vector<std::size_t> groups_;  // of each part another one of its group, or itself
  std::unordered_set<std::size_t> turned_;
  std::unordered_map<std::string, std::size_t> partOf_;  // by the columns that it makes
  std::unordered_map<std::string, std::string> rows_;    // by columns
};

}  // namespace

int turnColumns(Model& model) { return Columns(model).run(); }

}  // namespace mpm::onnx
