// SPDX-License-Identifier: Apache-2.0
// Element-wise nodes. What the importer makes of a constant beside a value of rank r:
//   Add, Sub   right for one element and for trailing dims without leading ones
//   Mul, Div   right for one element, and for r - 1 trailing dims without leading ones
//   constant / value   right for one element
#include <algorithm>
#include <limits>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"

namespace mpm::onnx {
namespace {

// A node's two inputs, of which one is a floating constant of several elements.
struct Sides {
  std::string value;
  Integers dims;  // of the value
  std::string constant;
  Integers shape;      // of the constant, without leading ones
  bool isBare = true;  // had none
  bool isConstantFirst = false;
};

std::optional<Sides> sidesOf(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2 || !hasInput(node, 0) || !hasInput(node, 1)) return std::nullopt;
  const auto first = spelling.model().constant(node.input(0));
  const auto second = spelling.model().constant(node.input(1));
  if (first.has_value() == second.has_value()) return std::nullopt;
  const Tensor& constant = first ? *first : *second;
  Sides sides;
  sides.isConstantFirst = first.has_value();
  sides.value = node.input(first ? 1 : 0);
  sides.constant = node.input(first ? 0 : 1);
  const Integers* dims = spelling.dims(sides.value);
  if (dims == nullptr || constant.dims().size() > dims->size()) return std::nullopt;
  if (!constant.isFloating() || constant.count() < 2) return std::nullopt;
  sides.dims = *dims;
  const auto start = std::find_if(constant.dims().begin(), constant.dims().end(),
                                  [](std::int64_t dim) { return dim != 1; });
  sides.isBare = start == constant.dims().begin();
  sides.shape.assign(start, constant.dims().end());
  return sides;
}

std::string bareConstant(Spelling& spelling, const Sides& sides) {
  if (sides.isBare) return sides.constant;
  return spelling.floats(sides.shape, *spelling.floatsIn(sides.constant));
}

// Whether value and constant meet, through rows of the constant's shape where it has fewer dims
// than r - 1; false where the sizes for that are not known.
bool canBeRows(const Sides& sides) {
  if (sides.shape.size() + 1 >= sides.dims.size()) return true;
  return targetOf(sides.dims).has_value() &&
         std::equal(sides.shape.rbegin(), sides.shape.rend(), sides.dims.rbegin());
}

// A value as rows of the constant's shape.
std::string rowsOf(Spelling& spelling, const Sides& sides, const std::string& value) {
  Integers rows = {-1};
  rows.insert(rows.end(), sides.shape.begin(), sides.shape.end());
  return spelling.add("Reshape", {value, spelling.integers(rows)});
}

void spellProduct(Spelling& spelling, const Sides& sides, const std::string& value,
                  const std::string& constant) {
  const std::string& output = spelling.node().output(0);
  if (sides.shape.size() + 1 >= sides.dims.size()) {
    spelling.add("Mul", {value, constant}, output);
    return;
  }
  const auto flat = rowsOf(spelling, sides, value);
  const auto product = spelling.add("Mul", {flat, constant});
  spelling.add("Reshape", {product, spelling.integers(*targetOf(sides.dims))}, output);
}

std::optional<float> oneNumber(Spelling& spelling, const std::string& value) {
  const std::optional<Tensor> constant = spelling.model().constant(value);
  if (!constant || constant->count() != 1 || !constant->isFloating()) return std::nullopt;
  if (constant->dims().size() > 1) return std::nullopt;
  return constant->floats()[0];
}

void spellBounds(Spelling& spelling, const std::string& value, std::optional<float> low,
                 std::optional<float> high) {
  constexpr float kMost = std::numeric_limits<float>::max();
  spelling.add("Clip", {value}, spelling.node().output(0));
  setAttribute(spelling.last(), "min", low.value_or(-kMost));
  setAttribute(spelling.last(), "max", high.value_or(kMost));
}

// One number / value is a power of -1 to 4.6, into which it puts what is added or multiplied behind
// it as if the power were 1. An Identity keeps that apart.
bool spellInverse(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2) return false;
  const auto number = spelling.model().constant(node.input(0));
  if (!number || number->count() != 1 || !number->isFloating()) return false;
  const std::string quotient = spelling.add("Div", {node.input(0), node.input(1)});
  spelling.add("Identity", {quotient}, node.output(0));
  return true;
}

// Whether 4.6 puts what is added to a value into the bias of the layer that it comes from, which is
// one number a channel, whichever axis the summand is along. It does so past an Identity.
bool takesBias(const Model& model, const std::string& value) {
  std::string from = value;
  while (const Node* node = model.producer(from)) {
    if (isAny(*node, {"Conv", "BatchNormalization"})) return true;
    if (!isAny(*node, {"Add", "Sub", "Mul", "Div"}) || node->input_size() != 2) return false;
    const bool isSecond = model.constant(node->input(0)).has_value();
    if (!isSecond && !model.constant(node->input(1))) return false;
    from = node->input(isSecond ? 1 : 0);
  }
  return false;
}

// One number as [1, 1, 1] is a number: 5.0 refuses the former in a sum with a product.
bool spellPlainNumber(Spelling& spelling) {
  const Node& node = spelling.node();
  for (int i = 0; node.input_size() == 2 && i < 2; ++i) {
    const auto number = spelling.model().constant(node.input(i));
    const Integers* dims = spelling.dims(node.input(1 - i));
    if (!number || !number->isFloating() || number->count() != 1 || dims == nullptr) continue;
    if (number->dims().size() < 2 || number->dims().size() > dims->size()) return false;
    std::vector<std::string> inputs = {node.input(0), node.input(1)};
    inputs[static_cast<std::size_t>(i)] = spelling.scalar(number->floats()[0]);
    spelling.addCopy(inputs);
    return true;
  }
  return false;
}

}  // namespace

bool spellSum(Spelling& spelling) {
  if (spellPlainNumber(spelling)) return true;
  const auto sides = sidesOf(spelling);
  if (!sides) return false;
  const bool isApart = sides->shape.size() + 1 < sides->dims.size() && canBeRows(*sides) &&
                       takesBias(spelling.model(), sides->value);
  if (sides->isBare && !isApart) return false;
  std::vector<std::string> inputs = {sides->value, bareConstant(spelling, *sides)};
  if (isApart) inputs[0] = rowsOf(spelling, *sides, sides->value);
  if (sides->isConstantFirst) std::swap(inputs[0], inputs[1]);
  if (isApart) {
    const Node& node = spelling.node();
    const std::string sum = spelling.add(node.op_type().c_str(), inputs);
    spelling.add("Reshape", {sum, spelling.integers(*targetOf(sides->dims))}, node.output(0));
  } else {
    spelling.addCopy(inputs);
  }
  return true;
}

bool spellMul(Spelling& spelling) {
  const auto sides = sidesOf(spelling);
  if (!sides || !canBeRows(*sides)) return false;
  if (sides->isBare && sides->shape.size() + 1 >= sides->dims.size()) return false;
  spellProduct(spelling, *sides, sides->value, bareConstant(spelling, *sides));
  return true;
}

bool spellDiv(Spelling& spelling) {
  if (spellInverse(spelling)) return true;
  const auto sides = sidesOf(spelling);
  if (!sides || !canBeRows(*sides)) return false;
  if (sides->isConstantFirst) {
    const std::string inverse = spelling.add("Reciprocal", {sides->value});
    spellProduct(spelling, *sides, inverse, bareConstant(spelling, *sides));
    return true;
  }
  std::vector<float> factors = *spelling.floatsIn(sides->constant);
  for (float& factor : factors) factor = 1 / factor;
  spellProduct(spelling, *sides, sides->value, spelling.floats(sides->shape, factors));
  return true;
}

// A Pow that a product follows is computed wrongly.
bool spellPow(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2 || spelling.model().constant(node.input(0))) return false;
  const std::string& x = node.input(0);
  const auto power = oneNumber(spelling, node.input(1));
  if (power == 2.0F) {
    spelling.add("Mul", {x, x}, node.output(0));
  } else if (power == 3.0F) {
    spelling.add("Mul", {spelling.add("Mul", {x, x}), x}, node.output(0));
  } else if (power == 0.5F) {
    spelling.add("Sqrt", {x}, node.output(0));
  } else {
    return false;
  }
  return true;
}

bool spellClip(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || node.input_size() < 2 || node.input_size() > 3) return false;
  std::optional<float> bounds[2];
  for (int i = 0; i < 2; ++i) {
    if (!hasInput(node, i + 1)) continue;
    bounds[i] = oneNumber(spelling, node.input(i + 1));
    if (!bounds[i]) return false;
  }
  spellBounds(spelling, node.input(0), bounds[0], bounds[1]);
  return true;
}

bool spellGelu(Spelling& spelling) {
  const Node& node = spelling.node();
  const std::string kind = stringAttribute(node, "approximate").value_or("none");
  if (node.input_size() != 1 || !hasInput(node, 0)) return false;
  if (kind == "tanh") {
    spellTanhGelu(spelling, node.input(0), node.output(0));
  } else if (kind == "none") {
    spellErfGelu(spelling, node.input(0), node.output(0));
  } else {
    return false;
  }
  return true;
}

}  // namespace mpm::onnx
