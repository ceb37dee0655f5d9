// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/simplify.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/tensor.h"
#include "onnx/normal_form/lower_spelling.h"
#include "onnx/operators/known.h"

namespace mpm::onnx {
namespace {

using Shape = std::optional<Integers>;

// Sizes as Values::namedDims gives them; those below zero are names.
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

// The factors from data to result; nothing where a runtime that multiplies, in float32 or float64,
// might come to other sizes.
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

// Those that give a value the sizes that it has.
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
