// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "onnx/interpreter.h"
#include "onnx/lower.h"
#include "onnx/model.h"

namespace mpm::onnx {

// The type of a value (::onnx::TensorProto::FLOAT and so on), 0 where it is not known.
using TypeOf = std::function<int(const std::string& value)>;

// Which nodes of a model OpenCV 4.6 has not, or computes wrongly without a word, and which of them
// tell sizes alone.
class SubgraphChoice {
 public:
  // Refers to the model.
  SubgraphChoice(const Model& model, const DimsOf& dimsOf, const TypeOf& typeOf);

  bool has(const Node* node) const { return taken_.count(node) != 0; }

  // Whether what a node gives is made of the sizes of values alone. Whoever reads it can have a
  // copy of it, and so knows the elements before a frame is there.
  bool isOfSizes(const Node* node) const { return sizes_.count(node) != 0; }

  // Whether a node has to stand in a group: it is taken, and not only for copies.
  bool isGrouped(const Node* node) const;

 private:
  bool isAboutSizes(const Node& node) const;
  bool hasInput(const Node& node) const;
  bool isBetween(const Node& node) const;

  const Model& model_;
  std::unordered_set<const Node*> taken_, sizes_;
};

}  // namespace mpm::onnx
