// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/walk.h"

#include <unordered_set>
#include <utility>
#include <vector>

namespace mpm::onnx {
namespace {

using Visit = std::function<void(::onnx::TensorProto&)>;
using Graphs = std::vector<::onnx::GraphProto*>;

void visitSparse(::onnx::SparseTensorProto& sparse, const Visit& visit) {
  if (sparse.has_values()) visit(*sparse.mutable_values());
  if (sparse.has_indices()) visit(*sparse.mutable_indices());
}

void queueSubgraphs(::onnx::AttributeProto& attribute, Graphs& open) {
  if (attribute.has_g()) open.push_back(attribute.mutable_g());
  for (auto& graph : *attribute.mutable_graphs()) open.push_back(&graph);
}

void visitAttribute(::onnx::AttributeProto& attribute, const Visit& visit, Graphs& open) {
  if (attribute.has_t()) visit(*attribute.mutable_t());
  for (auto& tensor : *attribute.mutable_tensors()) visit(tensor);
  if (attribute.has_sparse_tensor()) visitSparse(*attribute.mutable_sparse_tensor(), visit);
  for (auto& sparse : *attribute.mutable_sparse_tensors()) visitSparse(sparse, visit);
  queueSubgraphs(attribute, open);
}

}  // namespace

void forEachTensor(::onnx::ModelProto& model, const Visit& visit) {
  Graphs open;
  if (model.has_graph()) open.push_back(model.mutable_graph());
  for (auto& training : *model.mutable_training_info()) {
    if (training.has_initialization()) open.push_back(training.mutable_initialization());
    if (training.has_algorithm()) open.push_back(training.mutable_algorithm());
  }
  for (auto& function : *model.mutable_functions()) {
    for (auto& node : *function.mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) visitAttribute(attribute, visit, open);
    }
  }
  while (!open.empty()) {
    ::onnx::GraphProto& graph = *open.back();
    open.pop_back();
    for (auto& tensor : *graph.mutable_initializer()) visit(tensor);
    for (auto& sparse : *graph.mutable_sparse_initializer()) visitSparse(sparse, visit);
    for (auto& node : *graph.mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) visitAttribute(attribute, visit, open);
    }
  }
}

void forEachNestedUse(Node& node, const std::function<void(std::string&)>& visit) {
  Graphs open;
  for (auto& attribute : *node.mutable_attribute()) queueSubgraphs(attribute, open);
  while (!open.empty()) {
    ::onnx::GraphProto& graph = *open.back();
    open.pop_back();
    for (auto& output : *graph.mutable_output()) visit(*output.mutable_name());
    for (auto& inner : *graph.mutable_node()) {
      for (auto& input : *inner.mutable_input()) visit(input);
      for (auto& attribute : *inner.mutable_attribute()) queueSubgraphs(attribute, open);
    }
  }
}

void forEachNestedUse(const Node& node, const std::function<void(const std::string&)>& visit) {
  std::vector<const ::onnx::GraphProto*> open;
  const auto queue = [&open](const ::onnx::AttributeProto& attribute) {
    if (attribute.has_g()) open.push_back(&attribute.g());
    for (const auto& graph : attribute.graphs()) open.push_back(&graph);
  };
  for (const auto& attribute : node.attribute()) queue(attribute);
  while (!open.empty()) {
    const ::onnx::GraphProto& graph = *open.back();
    open.pop_back();
    for (const auto& output : graph.output()) visit(output.name());
    for (const auto& inner : graph.node()) {
      for (const auto& input : inner.input()) visit(input);
      for (const auto& attribute : inner.attribute()) queue(attribute);
    }
  }
}

bool isAnyBehind(const Model& model, const std::string& value,
                 const std::function<bool(const std::string&)>& holds) {
  std::unordered_set<std::string> seen{value};
  std::vector<std::string> waiting{value};
  while (!waiting.empty()) {
    const std::string at = std::move(waiting.back());
    waiting.pop_back();
    if (holds(at)) return true;
    const Node* node = model.producer(at);
    if (node == nullptr) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && seen.insert(input).second) waiting.push_back(input);
    }
  }
  return false;
}

}  // namespace mpm::onnx
