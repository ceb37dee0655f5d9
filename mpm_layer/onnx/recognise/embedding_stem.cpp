// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/embedding.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <vector>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {
namespace {

bool isScores(const Model& model, const Node& node) {
  return isOp(node, "MatMul") && node.input_size() == 2 && !model.constant(node.input(0)) &&
         !model.constant(node.input(1));
}

// Whether rows are compared with each other before a convolution reads them again: in front of a
// convolutional stage's own norms (ConvNeXt) there are rows, too.
bool areCompared(const Model& model, const std::string& rows) {
  constexpr std::size_t kMost = 256;
  std::unordered_set<std::string> seen{rows};
  std::vector<std::string> waiting{rows};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const std::string value = waiting[i];
    for (const Node* reader : model.consumers(value)) {
      if (isScores(model, *reader)) return true;
      if (isAny(*reader, {"Conv", "ConvTranspose", "Resize", "MaxPool", "AveragePool", "Shape"}))
        continue;
      for (const std::string& output : reader->output()) {
        if (!output.empty() && seen.insert(output).second) waiting.push_back(output);
      }
    }
  }
  return false;
}

}  // namespace

bool areOfAStem(const Facts& facts, const std::string& planes, const std::string& rows) {
  const Integers* dims = facts.values.dims(planes);
  const Node* maker = facts.model.producer(planes);
  if (dims == nullptr || dims->size() != 4 || dims->front() != batchOf(facts) || maker == nullptr)
    return false;
  const bool mayMake =
      isAny(*maker, {"Conv", "BatchNormalization", "Relu", "Gelu", "Mul", "Div", "Add", "Sub",
                     "Clip", "LeakyRelu", "PRelu", "Elu", "HardSwish", "MaxPool", "AveragePool"});
  return mayMake && areCompared(facts.model, rows);
}

}  // namespace mpm::onnx
