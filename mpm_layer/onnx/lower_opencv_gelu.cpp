// SPDX-License-Identifier: Apache-2.0
// OpenCV 4.10 to 5.0 make a GELU of x of
//   Mul(Mul(any, Add(Erf(Div(x, c)), c)), c)
// whichever input stands first and whatever `any` is, and read the second input of that Div, Add
// and outer Mul as a constant without asking whether it is one: 0.5 * (3 * x * (1 + erf(x /
// sqrt(2)))) loses its 3, and the process ends with PyTorch's x * (0.5 * (1 + erf(x / sqrt(2)))).
// So a GELU's constants stand second, and what only looks like one is put apart by an Identity.
#include <string>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

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

bool spellOuterMul(Spelling& spelling) { return putApart(spelling, partProduct); }

bool spellShift(Spelling& spelling) { return putApart(spelling, partErf); }

bool spellErf(Spelling& spelling) {
  const Model& model = spelling.model();
  const Node& node = spelling.node();
  const Node* quotient = node.input_size() == 1 ? makerOf(model, node.input(0), "Div", 2) : nullptr;
  if (quotient == nullptr || model.constant(quotient->input(1))) return false;
  spelling.addCopy({spelling.add("Identity", {node.input(0)})});
  return true;
}

}  // namespace

int spellGelusApart(Model& model, const DimsOf& dimsOf) {
  static const Rules rules = {{"Erf", spellErf}, {"Add", spellShift}, {"Mul", spellOuterMul}};
  return spellOut(model, rules, dimsOf);
}

}  // namespace mpm::onnx
