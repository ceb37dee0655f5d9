// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "onnx/graph/model.h"
#include "onnx/normal_form/normal_form.h"

namespace mpm::onnx {

// The type of a value (::onnx::TensorProto::FLOAT and so on), 0 where it is not known.
using TypeOf = std::function<int(const std::string& value)>;

// Which nodes of a model do not stay for OpenCV, and which of them tell sizes alone.
class SubgraphChoice {
 public:
  // Refers to the model.
  explicit SubgraphChoice(const Model& model);

  bool has(const Node* node) const { return taken_.count(node) != 0; }

  // Whether what a node gives is made of the sizes of values alone. Whoever reads it can have a
  // copy of it, and so knows the elements before a frame is there.
  bool isOfSizes(const Node* node) const { return sizes_.count(node) != 0; }

  // Whether a node has to stand in a group: it is taken, and not only for copies.
  bool isGrouped(const Node* node) const;

 private:
  bool isAboutSizes(const Node& node) const;
  bool hasInput(const Node& node) const;

  const Model& model_;
  std::unordered_set<const Node*> taken_, sizes_;
};

// Takes all that does not stay for OpenCV out of a graph whose constants are folded. What was taken
// and hangs together becomes a node mpm.Subgraph, whose attribute `graph` is a model of its own.
// Gives the number of these nodes.
int takeSubgraphs(Model& model, const DimsOf& dimsOf, const TypeOf& typeOf);

// Makes nodes mpm.Chain of this library's layers of tokens, for a net on a device: those that hang
// together become one, whose attribute `graph` is a model of them. A restore stays by itself where
// no layer of a chain reads it: it moves rows, of which the device has fewer to copy without it.
// Such a restore says in `tokens_output` and `map_output` which outputs of chains it reads. Gives
// the number of chains.
int takeChains(Model& model);

}  // namespace mpm::onnx
