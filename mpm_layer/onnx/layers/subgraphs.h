// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "onnx/graph/model.h"
#include "onnx/normal_form/normal_form.h"

namespace mpm::onnx {

// Returns the type of a value (::onnx::TensorProto::FLOAT and so on), 0 if it is unknown.
using TypeOf = std::function<int(const std::string& value)>;

// Chooses the nodes of a model that do not stay for OpenCV, and those of them that only compute
// sizes.
class SubgraphChoice {
 public:
  // Refers to the model.
  explicit SubgraphChoice(const Model& model);

  bool has(const Node* node) const { return taken_.count(node) != 0; }

  // Tells whether a node's output is made only of sizes of values. Each reader can have a copy of
  // it, and so knows the elements before the first frame.
  bool isOfSizes(const Node* node) const { return sizes_.count(node) != 0; }

  // Tells whether a node has to be in a group: it is taken, and not only to be copied.
  bool isGrouped(const Node* node) const;

 private:
  bool isAboutSizes(const Node& node) const;
  bool hasInput(const Node& node) const;

  const Model& model_;
  std::unordered_set<const Node*> taken_, sizes_;
};

// Takes all nodes that do not stay for OpenCV out of a graph whose constants are folded. Each
// connected group becomes a node mpm.Subgraph, with a model in its attribute `graph`. Returns the
// number of these nodes.
int takeSubgraphs(Model& model, const DimsOf& dimsOf, const TypeOf& typeOf);

// Makes mpm.Chain nodes of this library's layers of tokens, for a net on a device. Each connected
// group becomes one, with a model in its attribute `graph`. A restore stays outside if no layer of
// a chain reads it, since the device then has fewer rows to copy. Such a restore names in
// `tokens_output` and `map_output` the outputs of chains that it reads. Returns the number of
// chains.
int takeChains(Model& model);

}  // namespace mpm::onnx
