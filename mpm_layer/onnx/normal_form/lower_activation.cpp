// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/attribute.h"

#include <string>

#include "onnx/normal_form/lower_rules.h"

namespace mpm::onnx {

// x where it is large, else softplus(x), as PyTorch computes it: softplus(x), which float32 cannot
// tell from a large x.
bool lowerThresholdSoftplus(Spelling& spelling) {
  constexpr float kLarge = 18;  // e^-18 is less than half of the last bit of 18
  const Node& node = spelling.node();
  if (node.input_size() != 3) return false;
  const Model& model = spelling.model();
  const Node* test = model.producer(node.input(0));
  const Node* function = model.producer(node.input(2));
  const std::string& x = node.input(1);
  if (test == nullptr || function == nullptr || !isOp(*test, "Greater") ||
      test->input_size() != 2 || !isOp(*function, "Softplus") || function->input_size() != 1 ||
      test->input(0) != x || function->input(0) != x)
    return false;
  const auto threshold = spelling.floatsIn(test->input(1));
  if (!threshold || threshold->size() != 1 || !(threshold->front() >= kLarge)) return false;
  const Integers *made = spelling.dims(node.output(0)), *from = spelling.dims(x);
  if (made == nullptr || from == nullptr || made->size() != from->size()) return false;
  spelling.add("Softplus", {x}, node.output(0));
  return true;
}

// 1 - erf(x). ONNX has no such operator, but TensorFlow's GELU has, and its exporter writes what it
// has no other spelling for as it is.
bool lowerErfc(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 1) return false;
  const std::string erf = spelling.add("Erf", {node.input(0)});
  spelling.add("Sub", {spelling.scalar(1), erf}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
