// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpm/gelu.h"
#include "onnx/graph/model.h"

namespace mpm::onnx {

double geluOf(Gelu kind, double x);

// The element-wise nodes behind one value, as long as their other operands are constants of one
// element: a function of one number, which can be evaluated.
class ScalarFunction {
 public:
  // At most kMostNodes are collected, so a large graph costs no more than a small one.
  static constexpr std::size_t kMostNodes = 24;

  ScalarFunction(const Model& model, std::string output);

  // Every value that might be the function's argument: inputs and inner values of the nodes
  // collected, nearest to the output first.
  const std::vector<std::string>& candidates() const { return candidates_; }

  // The output at argument = x, or nothing if it depends on other values too.
  std::optional<double> at(const std::string& argument, double x) const;

  // The nodes between argument and output.
  std::vector<const Node*> nodesFrom(const std::string& argument) const;

 private:
  using Values = std::unordered_map<std::string, double>;

  void collect(const std::string& value);
  std::optional<double> scalar(const std::string& value) const;
  std::optional<double> operand(const Node& node, int i, const Values& values) const;

  const Model& model_;
  std::string output_;
  std::vector<const Node*> nodes_;  // consumers first
  std::vector<std::string> candidates_;
};

}  // namespace mpm::onnx
