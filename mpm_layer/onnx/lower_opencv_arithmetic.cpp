// SPDX-License-Identifier: Apache-2.0
// Element-wise nodes. What the importer makes of a constant beside a value of rank r:
//   Add, Sub   right for one element and for trailing dims without leading ones
//   Mul, Div   right for one element, and for r - 1 trailing dims without leading ones
//   constant / value   right for one element
#include <algorithm>
#include <limits>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

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

// value * constant, through rows of the constant's shape where it has fewer dims than r - 1; false
// where the sizes for that are not known.
bool canMultiply(const Sides& sides) {
  if (sides.shape.size() + 1 >= sides.dims.size()) return true;
  return targetOf(sides.dims).has_value() &&
         std::equal(sides.shape.rbegin(), sides.shape.rend(), sides.dims.rbegin());
}

void spellProduct(Spelling& spelling, const Sides& sides, const std::string& value,
                  const std::string& constant) {
  const std::string& output = spelling.node().output(0);
  if (sides.shape.size() + 1 >= sides.dims.size()) {
    spelling.add("Mul", {value, constant}, output);
    return;
  }
  Integers rows = {-1};
  rows.insert(rows.end(), sides.shape.begin(), sides.shape.end());
  const auto flat = spelling.add("Reshape", {value, spelling.integers(rows)});
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

}  // namespace

bool spellSum(Spelling& spelling) {
  const auto sides = sidesOf(spelling);
  if (!sides || sides->isBare) return false;
  const std::string constant = bareConstant(spelling, *sides);
  spelling.addCopy(sides->isConstantFirst ? std::vector<std::string>{constant, sides->value}
                                          : std::vector<std::string>{sides->value, constant});
  return true;
}

bool spellMul(Spelling& spelling) {
  const auto sides = sidesOf(spelling);
  if (!sides || !canMultiply(*sides)) return false;
  if (sides->isBare && sides->shape.size() + 1 >= sides->dims.size()) return false;
  spellProduct(spelling, *sides, sides->value, bareConstant(spelling, *sides));
  return true;
}

bool spellDiv(Spelling& spelling) {
  if (spellInverse(spelling)) return true;
  const auto sides = sidesOf(spelling);
  if (!sides || !canMultiply(*sides)) return false;
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

// max(x, 0) - log(sigmoid(|x|)): all OpenCVs compute log(1 + exp(x)), which is infinite from x = 89
// on. To the tanh of a Mish that is the same, and together they are a layer.
bool spellSoftplus(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 1 || !hasInput(node, 0)) return false;
  const auto readers = spelling.model().consumers(node.output(0));
  const bool isBent = std::all_of(readers.begin(), readers.end(),
                                  [](const Node* reader) { return isOp(*reader, "Tanh"); });
  if (isBent && !spelling.model().isOutput(node.output(0))) return false;
  const std::string sigmoid = spelling.add("Sigmoid", {spelling.add("Abs", {node.input(0)})});
  const std::string positive = spelling.add("Relu", {node.input(0)});
  spelling.add("Sub", {positive, spelling.add("Log", {sigmoid})}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
