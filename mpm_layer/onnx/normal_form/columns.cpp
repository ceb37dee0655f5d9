// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/recognise/linear.h"

namespace mpm::onnx {

namespace {

// Columns [B, features, rows], or planes [B, features, height, width]: rows with their last axis in
// second place.

// Kind of a node on columns: layers (convolutions that make each column from that column alone),
// numbers for each column (sums and means along its features), and element-wise functions.
enum class ColumnStep { none, layer, sum, function };

// Sets `rank` to that of the resulting columns.
ColumnStep columnStep(const Model& model, const DimsOf& dimsOf, const Node& node,
                      std::size_t& rank);

// Tells whether a constant is a number, or has one for each feature of columns.
bool isBesideColumns(const Model& model, const std::string& value, std::size_t rank);

Integers toRows(std::size_t rank);     // the order of axes that makes rows of columns,
Integers toColumns(std::size_t rank);  // and columns of rows

bool areAll(const Node& node, const char* name, std::int64_t wanted) {
  const auto values = intsAttribute(node, name).value_or(Integers{});
  return std::all_of(values.begin(), values.end(), [&](auto value) { return value == wanted; });
}

// Returns the rank of columns that a convolution makes one by one; 0 for other nodes.
std::size_t rankOfLayer(const Model& model, const Node& node) {
  if (!isOp(node, "Conv") || !hasInput(node, 0) || !hasInput(node, 1)) return 0;
  const auto weight = model.constant(node.input(1));
  if (!weight || !weight->isFloating() || weight->dims().size() < 3 || weight->dims().size() > 4 ||
      weight->count() < 1 || intAttribute(node, "group").value_or(1) != 1 ||
      !areAll(node, "strides", 1) || !areAll(node, "pads", 0))
    return 0;
  const Integers& dims = weight->dims();
  const bool isOfOne =
      std::all_of(dims.begin() + 2, dims.end(), [](std::int64_t taps) { return taps == 1; });
  const auto bias = hasInput(node, 2) ? model.constant(node.input(2)) : std::nullopt;
  const bool fits = !hasInput(node, 2) || (bias && bias->isFloating() && bias->dims().size() == 1 &&
                                           bias->count() == dims[0]);
  return isOfOne && fits ? dims.size() : 0;
}

// Returns the rank of columns that a node reduces to a number each; 0 for other nodes.
std::size_t rankOfSum(const Model& model, const DimsOf& dimsOf, const Node& node) {
  if (!isAny(node, {"ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL2"}) ||
      !hasInput(node, 0) || intAttribute(node, "keepdims").value_or(1) != 1)
    return 0;
  const Integers* dims = dimsOf(node.input(0));
  if (dims == nullptr || dims->size() < 3 || dims->size() > 4) return 0;
  Integers axes = intsAttribute(node, "axes").value_or(Integers{});
  if (hasInput(node, 1)) {
    const auto constant = model.constant(node.input(1));
    if (!constant || !constant->isInteger()) return 0;
    axes = constant->integers();
  }
  return axes.size() == 1 && axisOf(axes.front(), dims->size()) == 1U ? dims->size() : 0;
}

ColumnStep columnStep(const Model& model, const DimsOf& dimsOf, const Node& node,
                      std::size_t& rank) {
  if (node.output_size() != 1) return ColumnStep::none;
  if ((rank = rankOfLayer(model, node)) > 0) return ColumnStep::layer;
  if ((rank = rankOfSum(model, dimsOf, node)) > 0) return ColumnStep::sum;
  return isElementWise(node) ? ColumnStep::function : ColumnStep::none;
}

bool isBesideColumns(const Model& model, const std::string& value, std::size_t rank) {
  const auto constant = model.constant(value);
  if (!constant || constant->dims().size() > rank) return false;
  const Integers& dims = constant->dims();
  return constant->count() == 1 || (constant->isFloating() && dims.size() + 1 >= rank &&
                                    dims[dims.size() + 1 - rank] == constant->count());
}

Integers toRows(std::size_t rank) { return rank == 3 ? Integers{0, 2, 1} : Integers{0, 2, 3, 1}; }

Integers toColumns(std::size_t rank) {
  return rank == 3 ? Integers{0, 2, 1} : Integers{0, 3, 1, 2};
}

// Models that compute on columns [B, features, rows] or planes, with convolutions of one column as
// linear layers.

bool turns(const Node& node, const Integers& order) {
  return isOp(node, "Transpose") && intsAttribute(node, "perm") == order;
}

class Columns {
 public:
  Columns(Model& model, const DimsOf& dimsOf)
      : model_(model), dimsOf_(dimsOf), spelling_(model, dimsOf) {
    find();
  }

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
    ColumnStep step;
    std::size_t rank;
  };

  // Facts about connected parts.
  struct Group {
    bool hasLayer = false, hasSum = false;
    bool isTurned = false;    // somebody turned rows for it, or turns them back
    bool isOfPlaces = false;  // what may look at neighbours reads it
  };

  void find() {
    for (const Node* node : model_.nodes()) {
      std::size_t rank = 0;
      const ColumnStep step = columnStep(model_, dimsOf_, *node, rank);
      if (step == ColumnStep::none || (step == ColumnStep::function && !isOfColumns(*node, rank)))
        continue;
      const std::size_t part = parts_.size();
      parts_.push_back({node, step, rank});
      groups_.push_back(part);
      partOf_[node->output(0)] = part;
      for (const std::string& input : node->input()) {
        const auto made = partOf_.find(input);
        if (made != partOf_.end()) groups_[groupOf(part)] = groupOf(made->second);
      }
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) note(parts_[i], known_[groupOf(i)]);
  }

  void note(const Part& part, Group& group) const {
    const Node* before = model_.producer(part.node->input(0));
    const auto& readers = model_.consumers(part.node->output(0));
    const auto isAnyReader = [&](const auto& holds) {
      return std::any_of(readers.begin(), readers.end(), holds);
    };
    group.hasLayer = group.hasLayer || part.step == ColumnStep::layer;
    group.hasSum = group.hasSum || part.step == ColumnStep::sum;
    const bool isTurnedFor =
        part.step == ColumnStep::layer && before != nullptr && turns(*before, toColumns(part.rank));
    const auto turnsBack = [&](const Node* it) { return turns(*it, toRows(part.rank)); };
    group.isTurned = group.isTurned || isTurnedFor || isAnyReader(turnsBack);
    group.isOfPlaces =
        group.isOfPlaces || isAnyReader([&](const Node* it) {
          const bool isPart = it->output_size() == 1 && partOf_.count(it->output(0)) != 0;
          return !isPart && !isAny(*it, {"Reshape", "Flatten", "Split", "Slice", "Transpose",
                                         "ReduceMean", "GlobalAveragePool"});
        });
  }

  // Tells whether a function has columns as inputs, all of one rank.
  bool isOfColumns(const Node& node, std::size_t& rank) const {
    for (const std::string& input : node.input()) {
      const auto made = partOf_.find(input);
      if (made != partOf_.end()) rank = parts_[made->second].rank;
    }
    return rank > 0 && std::all_of(node.input().begin(), node.input().end(), [&](auto& input) {
             if (input.empty() || isBesideColumns(model_, input, rank)) return true;
             const auto made = partOf_.find(input);
             if (made != partOf_.end()) return parts_[made->second].rank == rank;
             const Integers* dims = dimsOf_(input);
             return !model_.constant(input) && dims != nullptr && dims->size() == rank;
           });
  }

  std::size_t groupOf(std::size_t part) const {
    while (groups_[part] != part) part = groups_[part];
    return part;
  }

  // Accepts parts next to a transpose of rows, or columns that are normalised and attend to each
  // other. Planes of other networks stay for nodes that read neighbours.
  bool isWanted(std::size_t part) const {
    const Group& group = known_.at(groupOf(part));
    if (parts_[part].rank == 3 && group.hasLayer && group.isTurned) return true;
    const bool isStream = group.hasLayer && group.hasSum && attends_;
    return isStream && (parts_[part].rank == 3 || !group.isOfPlaces);
  }

  std::string rowsOf(const std::string& columns, std::size_t rank) {
    const auto found = rows_.find(columns);
    if (found != rows_.end()) return found->second;
    const Node* before = model_.producer(columns);
    return rows_[columns] = before != nullptr && turns(*before, toColumns(rank))
                                ? before->input(0)
                                : spellTranspose(spelling_, columns, toRows(rank));
  }

  std::string besideRows(const std::string& value) {
    if (value.empty() || model_.constant(value)->count() == 1) return value;
    const std::vector<float> numbers = *spelling_.floatsIn(value);
    return spelling_.floats({static_cast<std::int64_t>(numbers.size())}, numbers);
  }

  std::string spellLayer(const Part& part, const std::string& output) {
    const Node& node = *part.node;
    const Integers dims = model_.constant(node.input(1))->dims();
    const auto out = static_cast<std::size_t>(dims[0]), in = static_cast<std::size_t>(dims[1]);
    const std::vector<float> weights = *spelling_.floatsIn(node.input(1));
    std::vector<float> matrix(weights.size());
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) matrix[i * out + o] = weights[o * in + i];
    }
    const bool hasBias = hasInput(node, 2);
    const std::string product = spelling_.add(
        "MatMul", {rowsOf(node.input(0), part.rank), spelling_.floats({dims[1], dims[0]}, matrix)},
        hasBias ? std::string() : output);
    return hasBias ? spelling_.add("Add", {product, node.input(2)}, output) : product;
  }

  std::string spellSum(const Part& part, const std::string& output) {
    const Node& node = *part.node;
    std::vector<std::string> inputs{rowsOf(node.input(0), part.rank)};
    const bool isInput = hasInput(node, 1);
    if (isInput) inputs.push_back(spelling_.integers({-1}));
    const std::string made = spelling_.add(node.op_type().c_str(), inputs, output);
    *spelling_.last().mutable_attribute() = node.attribute();
    if (!isInput) setAttribute(spelling_.last(), "axes", Integers{-1});
    return made;
  }

  std::string spellFunction(const Part& part, const std::string& output) {
    const Node& node = *part.node;
    std::vector<std::string> inputs;
    for (const std::string& input : node.input()) {
      const bool isBeside = input.empty() || isBesideColumns(model_, input, part.rank);
      inputs.push_back(isBeside ? besideRows(input) : rowsOf(input, part.rank));
    }
    const std::string made = spelling_.add(node.op_type().c_str(), inputs, output);
    *spelling_.last().mutable_attribute() = node.attribute();
    return made;
  }

  std::string spellPart(const Part& part, const std::string& output) {
    if (part.step == ColumnStep::layer) return spellLayer(part, output);
    return part.step == ColumnStep::sum ? spellSum(part, output) : spellFunction(part, output);
  }

  // Gives the rows the name of the first transpose that reads them; others read columns.
  void spell(std::size_t index) {
    const Part& part = parts_[index];
    const std::string& columns = part.node->output(0);
    std::string name;
    bool areRead = model_.isOutput(columns);
    std::vector<const Node*> back;
    for (const Node* reader : model_.consumers(columns)) {
      const bool isPart = reader->output_size() == 1 && partOf_.count(reader->output(0)) != 0;
      const bool turnsBack = turns(*reader, toRows(part.rank));
      if (turnsBack) back.push_back(reader);
      areRead = areRead || (!isPart && !turnsBack);
    }
    if (!back.empty()) name = back.front()->output(0);
    spelling_.begin(*part.node);
    const std::string rows = spellPart(part, name);
    rows_[columns] = rows;
    if (areRead) spellTranspose(spelling_, rows, toColumns(part.rank), columns);
    spelling_.replaceNode();
    for (const Node* turn : back) {
      spelling_.begin(*turn);
      if (turn != back.front()) spelling_.add("Identity", {rows}, turn->output(0));
      spelling_.replaceNode();
    }
  }

  bool attends() const {
    return std::any_of(model_.nodes().begin(), model_.nodes().end(),
                       [](const Node* node) { return isOp(*node, "Softmax"); });
  }

  Model& model_;
  const DimsOf& dimsOf_;
  Spelling spelling_;
  const bool attends_ = attends();
  std::vector<Part> parts_;
  std::vector<std::size_t> groups_;  // of each part another one of its group, or itself
  std::unordered_map<std::size_t, Group> known_;         // by the part that stands for a group
  std::unordered_map<std::string, std::size_t> partOf_;  // by the columns that it makes
  std::unordered_map<std::string, std::string> rows_;    // by columns
};

}  // namespace

int turnColumns(Model& model, const DimsOf& dimsOf) { return Columns(model, dimsOf).run(); }

}  // namespace mpm::onnx
