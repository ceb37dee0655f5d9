// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/operands.h"

#include "onnx/graph/attribute.h"

namespace mpm::onnx {

const Node* madeBy(const Model& model, const std::string& value, const char* type, int inputs) {
  const Node* node = model.producer(value);
  const bool fits = node != nullptr && isOp(*node, type) && node->input_size() == inputs;
  return fits ? node : nullptr;
}

std::optional<Operands> constantOperand(const Model& model, const std::string& value,
                                        const char* type, bool ordered) {
  const Node* node = madeBy(model, value, type, 2);
  if (node == nullptr) return std::nullopt;
  const bool first = model.constant(node->input(0)).has_value();
  const bool second = model.constant(node->input(1)).has_value();
  if (first == second || (ordered && first)) return std::nullopt;
  return second ? Operands{node->input(0), node->input(1)}
                : Operands{node->input(1), node->input(0)};
}

std::optional<float> scalarConstant(const Model& model, const std::string& value) {
  const std::optional<Tensor> constant = model.constant(value);
  if (!constant || constant->count() != 1) return std::nullopt;
  if (constant->isFloating()) return constant->floats()[0];
  if (constant->isInteger()) return static_cast<float>(constant->integers()[0]);
  return std::nullopt;
}

bool isElementWise(const Node& node) {
  return isElementWiseOfOne(node) || isElementWiseOfTwo(node);
}

bool isElementWiseOfOne(const Node& node) {
  return isAny(node, {"Abs",  "Celu",     "Clip",        "Cos",       "Elu",       "Erf",
                      "Exp",  "Gelu",     "HardSigmoid", "HardSwish", "LeakyRelu", "Log",
                      "Mish", "Neg",      "Reciprocal",  "Relu",      "Selu",      "Sigmoid",
                      "Sin",  "Softplus", "Softsign",    "Sqrt",      "Tanh"});
}

bool isElementWiseOfTwo(const Node& node) {
  return node.input_size() == 2 &&
         isAny(node, {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "PRelu"});
}

bool isLastAxisVector(const Model& model, const std::string& constant) {
  const std::optional<Tensor> tensor = model.constant(constant);
  return tensor && tensor->isFloating() && !tensor->dims().empty() &&
         tensor->dims().back() == tensor->count();
}

}  // namespace mpm::onnx
