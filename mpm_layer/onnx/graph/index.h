// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/graph/proto.h"

namespace mpm::onnx {

// Addresses of a repeated field's elements; they stay when others are added.
template <typename Field>
auto pointersTo(const Field& field) {
  std::vector<const typename Field::value_type*> pointers;
  for (const auto& element : field) pointers.push_back(&element);
  return pointers;
}

// Who makes and who reads each value of a graph. Points into what it was made from.
struct Index {
  std::unordered_set<std::string> inputs;  // of the graph
  std::unordered_set<std::string> outputs;
  std::unordered_map<std::string, const ::onnx::ValueInfoProto*> infos;  // the first of each name
  std::unordered_map<std::string, const ::onnx::TensorProto*> constants;
  std::unordered_set<std::string> sparse;  // constants that stay unread
  std::unordered_map<std::string, const Node*> producers;
  std::unordered_map<std::string, std::vector<const Node*>> consumers;  // each node once
  std::vector<const Node*> order;                                       // producers first

  // Whether the outer graph has a value of this name.
  bool knows(const std::string& value) const;
};

// Indexes a graph made of these nodes and constants (graph gives inputs, outputs and sparse
// constants; its own nodes and initialisers are not read). Nodes keep their order where it is a
// topological one already. ModelError, naming node and value, where two things give the same value,
// a node's input or a graph's output comes from nowhere, or nodes wait for each other in a cycle.
Index indexOf(const ::onnx::GraphProto& graph, const std::vector<const Node*>& nodes,
              const std::vector<const ::onnx::TensorProto*>& constants);

}  // namespace mpm::onnx
