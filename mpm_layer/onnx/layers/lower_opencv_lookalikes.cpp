// SPDX-License-Identifier: Apache-2.0
// OpenCV puts nodes together that it takes for an activation, whichever input stands first, and
// does not look at all of what it puts together. So what only looks like one is put apart by an
// Identity.
//   GELU, 4.10 to 5.0:       Mul(Mul(any, Add(Erf(Div(x, c)), c)), c)
//   by tanh, 4.10 to 5.0:    Mul(c, Mul(any, Add(c, Tanh(Mul(c, Add(any, Mul(c, cube)))))))
//   Celu, all:               Mul(c, Elu(Div(x, c)))
//   Softplus, 4.10 to 5.0:   Log(Add(Exp(x), any))
//   HardSwish and Mish, all: Mul(any, HardSigmoid(x)), Mul(any, Tanh(Softplus(x)))
// `any` is taken for x, or for 1, whatever it is: 0.5 * (3 * x * (1 + erf(x / sqrt(2)))) loses its
// 3, and y * hardsigmoid(x), a gate, its y. By tanh, numbers may be smaller than a GELU's. And c is
// read without asking whether it is a constant, or of a kind that is found: the process ends with
// PyTorch's x * (0.5 * (1 + erf(x / sqrt(2)))), with a GELU by tanh whose constants stand second,
// and with any Celu. So an erf GELU's constants stand second.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"

namespace mpm::onnx {
namespace {

// The node of that type that makes a value, with so many inputs; null: another one.
const Node* makerOf(const Model& model, const std::string& value, const char* type, int inputs) {
  const Node* maker = model.producer(value);
  return maker != nullptr && isOp(*maker, type) && maker->input_size() == inputs ? maker : nullptr;
}

enum class Part { none, another, ofGelu };

Part partErf(const Model& model, const std::string& value) {
  return makerOf(model, value, "Erf", 1) != nullptr ? Part::ofGelu : Part::none;
}

// any * (1 + erf(x / c)), of a GELU where any is x.
Part partProduct(const Model& model, const std::string& value) {
  const Node* product = makerOf(model, value, "Mul", 2);
  Part part = Part::none;
  for (int i = 0; product != nullptr && i < 2; ++i) {
    const Node* sum = makerOf(model, product->input(i), "Add", 2);
    for (int j = 0; sum != nullptr && j < 2; ++j) {
      const Node* erf = makerOf(model, sum->input(j), "Erf", 1);
      if (erf == nullptr) continue;
      const Node* quotient = makerOf(model, erf->input(0), "Div", 2);
      const bool isOwn = quotient != nullptr && quotient->input(0) == product->input(1 - i);
      part = isOwn && part != Part::another ? Part::ofGelu : Part::another;
    }
  }
  return part;
}

bool putApart(Spelling& spelling, Part (*partOf)(const Model&, const std::string&)) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  if (node.input_size() != 2) return false;
  std::vector<std::string> inputs = {node.input(0), node.input(1)};
  const std::vector<Part> parts = {partOf(model, inputs[0]), partOf(model, inputs[1])};
  if (parts[0] == Part::none && parts[1] == Part::none) return false;
  if (parts[0] == Part::ofGelu && model.constant(inputs[1])) return false;
  if (parts[1] == Part::ofGelu && model.constant(inputs[0])) {
    std::swap(inputs[0], inputs[1]);
  } else {
    for (std::size_t i = 0; i < 2; ++i) {
      if (parts[i] != Part::none) inputs[i] = spelling.add("Identity", {inputs[i]});
    }
  }
  spelling.addCopy(inputs);
  return true;
}

// What HardSwish or Mish would be of, if x times this value is one: x. No value's name where this
// is spelled in another way.
std::optional<std::string> gatedBy(const Model& model, const std::string& value) {
  if (const Node* hard = makerOf(model, value, "HardSigmoid", 1)) return hard->input(0);
  const Node* tanh = makerOf(model, value, "Tanh", 1);
  if (tanh == nullptr) return std::nullopt;
  if (const Node* plus = makerOf(model, tanh->input(0), "Softplus", 1)) return plus->input(0);
  if (makerOf(model, tanh->input(0), "Log", 1) != nullptr) return "";
  return std::nullopt;
}

bool putGateApart(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2) return false;
  std::vector<std::string> inputs = {node.input(0), node.input(1)};
  for (int i = 0; i < 2; ++i) {
    const auto x = gatedBy(spelling.model(), node.input(i));
    if (!x || *x == node.input(1 - i)) continue;
    inputs[static_cast<std::size_t>(i)] = spelling.add("Identity", {node.input(i)});
    spelling.addCopy(inputs);
    return true;
  }
  return false;
}

bool spellProduct(Spelling& spelling) {
  return putApart(spelling, partProduct) || putGateApart(spelling);
}

bool spellShift(Spelling& spelling) { return putApart(spelling, partErf); }

bool putInputApart(Spelling& spelling) {
  spelling.addCopy({spelling.add("Identity", {spelling.node().input(0)})});
  return true;
}

bool spellErf(Spelling& spelling) {
  const Model& model = spelling.model();
  const Node& node = spelling.node();
  const Node* quotient = node.input_size() == 1 ? makerOf(model, node.input(0), "Div", 2) : nullptr;
  return quotient != nullptr && !model.constant(quotient->input(1)) && putInputApart(spelling);
}

bool spellTanh(Spelling& spelling) {
  const Model& model = spelling.model();
  const Node* product = makerOf(model, inputOf(spelling.node(), 0), "Mul", 2);
  for (int i = 0; product != nullptr && i < 2; ++i) {
    if (makerOf(model, product->input(i), "Add", 2) != nullptr) return putInputApart(spelling);
  }
  return false;
}

bool spellElu(Spelling& spelling) {
  const std::string x = inputOf(spelling.node(), 0);
  return makerOf(spelling.model(), x, "Div", 2) != nullptr && putInputApart(spelling);
}

bool isOne(const Model& model, const std::string& value) {
  const auto constant = model.constant(value);
  return constant && constant->isFloating() && constant->count() == 1 && constant->floats()[0] == 1;
}

bool spellLog(Spelling& spelling) {
  const Model& model = spelling.model();
  const Node* sum = makerOf(model, inputOf(spelling.node(), 0), "Add", 2);
  for (int i = 0; sum != nullptr && i < 2; ++i) {
    const bool isExp = makerOf(model, sum->input(i), "Exp", 1) != nullptr;
    if (isExp && !isOne(model, sum->input(1 - i))) return putInputApart(spelling);
  }
  return false;
}

}  // namespace

int spellLookalikesApart(Model& model, const DimsOf& dimsOf) {
  static const Rules rules = {{"Erf", spellErf}, {"Tanh", spellTanh}, {"Elu", spellElu},
                              {"Log", spellLog}, {"Add", spellShift}, {"Mul", spellProduct}};
  return spellOut(model, rules, dimsOf);
}

}  // namespace mpm::onnx
