// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/activation.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <Gelu kind>
double gelu(double x) {
  return geluOf(kind, x);
}

using Unary = double (*)(double);

Unary unaryOf(const Node& node) {
  static const std::unordered_map<std::string, Unary> functions = {
      {"Erf", [](double x) { return std::erf(x); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Sigmoid", sigmoid},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Neg", [](double x) { return -x; }},
      {"Sqrt", [](double x) { return std::sqrt(x); }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Identity", [](double x) { return x; }},
      {"Cast", [](double x) { return x; }},
  };
  if (isOp(node, "Gelu")) {
    return stringAttribute(node, "approximate").value_or("none") == "tanh" ? gelu<Gelu::tanh>
                                                                           : gelu<Gelu::erf>;
  }
  const auto found = functions.find(node.op_type());
  return found != functions.end() && isOp(node, found->first.c_str()) ? found->second : nullptr;
}

using Binary = double (*)(double, double);

Binary binaryOf(const Node& node) {
  static const std::unordered_map<std::string, Binary> functions = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
  };
  const auto found = functions.find(node.op_type());
  return found != functions.end() && isOp(node, found->first.c_str()) ? found->second : nullptr;
}

// A Cast to whole numbers rounds, which is no identity.
bool roundsOff(const Node& node) {
  return isOp(node, "Cast") && !isFloatingType(intAttribute(node, "to").value_or(0));
}

int arity(const Node& node) {
  if (node.output_size() != 1 || roundsOff(node)) return 0;
  if (node.input_size() == 1 && unaryOf(node) != nullptr) return 1;
  return node.input_size() == 2 && binaryOf(node) != nullptr ? 2 : 0;
}

}  // namespace

double geluOf(Gelu kind, double x) {
  constexpr double kSlope = 0.7978845608028654;  // sqrt(2 / pi)
  switch (kind) {
    case Gelu::erf:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Gelu::tanh:
      return x / 2 * (1 + std::tanh(kSlope * (x + 0.044715 * x * x * x)));
    case Gelu::quick:
      break;
  }
  return x * sigmoid(1.702 * x);
}

ScalarFunction::ScalarFunction(const Model& model, std::string output)
    : model_(model), output_(std::move(output)) {
  collect(output_);
  // Consumers first, whatever the order they were found in.
  const auto& order = model_.nodes();
  std::unordered_map<const Node*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::sort(nodes_.begin(), nodes_.end(),
            [&](const Node* a, const Node* b) { return place[a] > place[b]; });
  std::unordered_set<std::string> seen;
  for (const Node* node : nodes_) {
    for (const std::string& input : node->input()) {
      if (!scalar(input) && seen.insert(input).second) candidates_.push_back(input);
    }
  }
}

void ScalarFunction::collect(const std::string& value) {
  std::vector<std::string> open = {value};
  std::unordered_set<const Node*> taken;
  while (!open.empty() && nodes_.size() < kMostNodes) {
    const Node* node = model_.producer(open.back());
    open.pop_back();
    if (node == nullptr || arity(*node) == 0 || !taken.insert(node).second) continue;
    nodes_.push_back(node);
    for (const std::string& input : node->input()) open.push_back(input);
  }
}

std::optional<double> ScalarFunction::scalar(const std::string& value) const {
  const std::optional<Tensor> constant = model_.constant(value);
  if (!constant || constant->count() != 1) return std::nullopt;
  if (constant->isFloating()) return constant->floats()[0];
  if (constant->isInteger()) return static_cast<double>(constant->integers()[0]);
  return std::nullopt;
}

std::optional<double> ScalarFunction::operand(const Node& node, int i, const Values& values) const {
  const auto known = values.find(node.input(i));
  if (known != values.end()) return known->second;
  return scalar(node.input(i));
}

std::optional<double> ScalarFunction::at(const std::string& argument, double x) const {
  Values values = {{argument, x}};
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    if ((*node)->output(0) == argument) continue;
    const std::optional<double> a = operand(**node, 0, values);
    if (!a) continue;
    if (arity(**node) == 1) {
      values[(*node)->output(0)] = unaryOf(**node)(*a);
    } else if (const std::optional<double> b = operand(**node, 1, values)) {
      values[(*node)->output(0)] = binaryOf(**node)(*a, *b);
    }
  }
  const auto found = values.find(output_);
  return found == values.end() ? std::nullopt : std::optional<double>(found->second);
}

std::vector<const Node*> ScalarFunction::nodesFrom(const std::string& argument) const {
  std::unordered_set<std::string> needed = {output_};
  std::vector<const Node*> nodes;
  for (const Node* node : nodes_) {
    const std::string& made = node->output(0);
    if (made == argument || needed.count(made) == 0) continue;
    nodes.push_back(node);
    needed.insert(node->input().begin(), node->input().end());
  }
  return nodes;
}

namespace {

// Constants in a file may be rounded to a few digits, or to half precision (1.4140625 for the root
// of 2, which is 3e-5 off); the three functions lie 5e-4 apart and more.
constexpr double kTolerance = 1.2e-4;

bool computes(const ScalarFunction& function, const std::string& argument, Gelu kind) {
  for (int step = -32; step <= 32; ++step) {
    const double x = step / 4.0 + 0.01;
    const std::optional<double> y = function.at(argument, x);
    if (!y || !(std::abs(*y - geluOf(kind, x)) <= kTolerance)) return false;
  }
  return true;
}

}  // namespace

std::optional<FoundGelu> findGelu(const Model& model, const std::string& output) {
  const ScalarFunction function(model, output);
  std::optional<FoundGelu> best;
  for (const std::string& argument : function.candidates()) {
    for (const Gelu kind : kGelus) {
      if (!computes(function, argument, kind)) continue;
      FoundGelu found{kind, argument, function.nodesFrom(argument)};
      if (!best || found.nodes.size() < best->nodes.size()) best = found;
    }
  }
  return best;
}

}  // namespace mpm::onnx
