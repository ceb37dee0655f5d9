// SPDX-License-Identifier: Apache-2.0
// What attention adds to q k at each pair of tokens: nothing, or a bias.
#include <algorithm>
#include <cmath>
#include <optional>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/find.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
namespace {

// The one number that a value holds everywhere, whatever the frame.
std::optional<double> uniform(const Facts& facts, const std::string& value, int depth = 0) {
  constexpr int kDeepest = 8;
  if (const Known* known = facts.values.content(value); known != nullptr && known->isSure()) {
    std::optional<double> number;
    for (std::size_t i = 0; i < known->count(); ++i) {
      const double each =
          known->isFloat() ? known->floats[i] : static_cast<double>(known->integers[i]);
      if (number && *number != each) return std::nullopt;
      number = each;
    }
    return number;
  }
  const Node* node = facts.model.producer(value);
  if (node == nullptr || depth == kDeepest) return std::nullopt;
  if (isOp(*node, "Where") && node->input_size() == 3) {
    const auto condition = uniform(facts, node->input(0), depth + 1);
    if (!condition) return std::nullopt;
    return uniform(facts, node->input(*condition != 0 ? 1 : 2), depth + 1);
  }
  const bool widens =
      isOp(*node, "Cast") && intAttribute(*node, "to").value_or(0) == ::onnx::TensorProto::FLOAT;
  const bool spreads =
      widens || isAny(*node, {"Expand", "Reshape", "Unsqueeze", "Transpose", "Slice", "Squeeze"});
  return spreads ? uniform(facts, node->input(0), depth + 1) : std::nullopt;
}

// Of a bias, behind one number that is added to all of it, which a softmax does not notice: a mask
// of truths that became ones.
std::string behindOneNumber(const Facts& facts, const std::string& value,
                            std::vector<const Node*>& nodes) {
  constexpr double kLargest = 16;  // with a larger one scores would lose digits
  const Node* sum = madeBy(facts.model, value, "Add", 2);
  for (int i = 0; sum != nullptr && i < 2; ++i) {
    const std::optional<double> number = uniform(facts, sum->input(1 - i));
    if (!facts.model.constant(sum->input(i)) || !number || !(std::abs(*number) <= kLargest))
      continue;
    nodes.push_back(sum);
    return sum->input(i);
  }
  return value;
}

}  // namespace

std::string behindEmptyMask(const Facts& facts, const std::string& value,
                            std::vector<const Node*>& nodes) {
  const Node* sum = madeBy(facts.model, value, "Add", 2);
  if (sum == nullptr) return value;
  for (const int mask : {1, 0}) {
    if (uniform(facts, sum->input(mask)) != 0.0) continue;
    nodes.push_back(sum);
    return sum->input(1 - mask);
  }
  return value;
}

std::string behindBias(const Facts& facts, const std::string& value, float factor,
                       FoundAttention& found) {
  const Node* sum = madeBy(facts.model, value, "Add", 2);
  if (sum == nullptr) return value;
  for (const int bias : {1, 0}) {
    std::vector<const Node*> nodes;
    float scale = factor;
    std::string constant = behindScalars(facts, sum->input(bias), scale, nodes, false);
    constant = behindOneNumber(facts, constant, nodes);
    const Integers* dims = facts.values.dims(constant);
    const std::optional<Tensor> tensor = facts.model.constant(constant);
    if (!tensor || !tensor->isFloating() || dims == nullptr) continue;
    found.nodes.insert(found.nodes.end(), nodes.begin(), nodes.end());
    found.nodes.push_back(sum);
    found.bias = constant;
    found.biasScale = scale;
    found.biasSum = sum;
    return sum->input(1 - bias);
  }
  return value;
}

bool isBias(const Facts& facts, const FoundAttention& found, std::int64_t rows) {
  const Tensor tensor = *facts.model.constant(found.bias);
  Integers dims = tensor.dims();
  while (dims.size() > 3 && dims.front() == 1) dims.erase(dims.begin());
  while (dims.size() < 3) dims.insert(dims.begin(), 1);
  if (dims.size() != 3 || (dims[0] != 1 && dims[0] != found.heads) || dims[1] != rows ||
      dims[2] != rows)
    return false;
  const Floats values = tensor.floats();
  constexpr float kLargest = 1e4F;
  return std::all_of(values.begin(), values.end(),
                     [](float each) { return std::abs(each) < kLargest; });
}

}  // namespace mpm::onnx
