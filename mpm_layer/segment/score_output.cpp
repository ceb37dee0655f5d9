// SPDX-License-Identifier: Apache-2.0
#include "segment/edge.h"

#include <stdexcept>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/layers/rewrite_model.h"

namespace mpm::segment {
namespace {

// Of [1, classes, height, width].
bool isOverClasses(const onnx::Node& node, std::int64_t otherwise) {
  const std::int64_t axis = onnx::intAttribute(node, "axis").value_or(otherwise);
  return axis == 1 || axis == -3;
}

// Before opset 13 a softmax of axis 1 is one over all places as well.
bool isSoftmaxOfClasses(const onnx::Model& model, const onnx::Node& node) {
  return onnx::isAny(node, {"Softmax", "LogSoftmax"}) && model.opset() >= 13 &&
         isOverClasses(node, -1);
}

// What labels are the largest of; null where `value` is no labels.
const onnx::Node* findArgMax(const onnx::Model& model, const std::string& value) {
  const onnx::Node* node = model.producer(value);
  while (node != nullptr && onnx::isAny(*node, {"Cast", "Identity", "Squeeze", "Unsqueeze"})) {
    node = model.producer(node->input(0));
  }
  if (node == nullptr || !onnx::isOp(*node, "ArgMax") || !isOverClasses(*node, 0)) return nullptr;
  return onnx::intAttribute(*node, "select_last_index").value_or(0) == 0 ? node : nullptr;
}

}  // namespace

std::string firstOutput(const onnx::Model& model, const std::string& name) {
  for (const onnx::Value& output : model.outputs()) {
    if (!onnx::isMergeOutput(output.name)) return output.name;
  }
  throw std::runtime_error(name + ": it has no output");
}

std::string showScores(onnx::Model& model) {
  const std::string output = firstOutput(model, "the model");
  std::string scores = output;
  if (const onnx::Node* labels = findArgMax(model, scores)) scores = labels->input(0);
  const onnx::Node* node = model.producer(scores);
  if (node != nullptr && isSoftmaxOfClasses(model, *node)) scores = node->input(0);
  if (scores == output || model.producer(scores) == nullptr) return {};
  onnx::Value value = model.info(scores).value_or(onnx::Value{});
  value.name = scores;
  if (value.type == 0) value.type = ::onnx::TensorProto::FLOAT;
  model.addOutput(value);
  return scores;
}

void checkFraction(const onnx::Model& model, const std::string& output, const std::string& name) {
  const int type = model.info(output).value_or(onnx::Value{}).type;
  for (const int other : {::onnx::TensorProto::FLOAT, ::onnx::TensorProto::FLOAT16,
                          ::onnx::TensorProto::BFLOAT16, ::onnx::TensorProto::DOUBLE}) {
    if (type == 0 || type == other) return;
  }
  throw std::runtime_error(name + ": its first output " + output +
                           " holds whole numbers that were not found to be the largest of scores "
                           "[1 x classes x height x width]; please export the model with scores");
}

}  // namespace mpm::segment
