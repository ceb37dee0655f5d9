// SPDX-License-Identifier: Apache-2.0
// The parts of Model that change the graph.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/model.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;
using Renames = std::unordered_map<std::string, std::string>;

// Keeps the elements of a repeated field that `keep` accepts.
template <typename Field, typename Keep>
void keepOnly(Field& field, Keep keep) {
  int kept = 0;
  for (int i = 0; i < field.size(); ++i) {
    if (!keep(*field.Mutable(i))) continue;
    if (kept != i) field.SwapElements(kept, i);
    ++kept;
  }
  if (kept < field.size()) field.DeleteSubrange(kept, field.size() - kept);
}

// Returns the node with its inputs renamed, or null if nothing changes.
std::unique_ptr<Node> renamed(const Node& node, const Renames& names) {
  bool touched = false;
  const auto look = [&](const std::string& value) { touched = touched || names.count(value); };
  for (const auto& input : node.input()) look(input);
  forEachNestedUse(node, look);
  if (!touched) return nullptr;
  auto copy = std::make_unique<Node>(node);
  const auto rename = [&](std::string& value) {
    const auto found = names.find(value);
    if (found != names.end()) value = found->second;
  };
  for (auto& input : *copy->mutable_input()) rename(input);
  forEachNestedUse(*copy, std::function<void(std::string&)>(rename));
  return copy;
}

// Returns the final value of each redirection, over any number of steps.
Renames resolve(const Edit& edit, const Index& index) {
  Renames next(edit.redirect.begin(), edit.redirect.end());
  Renames last;
  for (const auto& [from, to] : next) {
    if (index.outputs.count(from)) {
      throw ModelError("the graph's output " + inQuotes(from) + " cannot be redirected");
    }
    std::string end = to;
    std::size_t steps = 0;
    for (auto found = next.find(end); found != next.end(); found = next.find(end)) {
      if (++steps > next.size())
        throw ModelError("redirections of " + inQuotes(from) + " go round");
      end = found->second;
    }
    last[from] = end;
  }
  return last;
}

// The nodes of an edited graph, in their old order, and those among them that are new.
struct NodeList {
  std::vector<const Node*> all;
  std::vector<std::unique_ptr<Node>> made;

  void take(std::unique_ptr<Node> node) {
    all.push_back(node.get());
    made.push_back(std::move(node));
  }
};

NodeList editedNodes(const ::onnx::GraphProto& graph, Edit& edit, const Renames& names) {
  NodeList list;
  const std::unordered_set<const Node*> removed(edit.remove.begin(), edit.remove.end());
  const auto place = [&] {
    for (Node& node : edit.add) list.take(std::make_unique<Node>(std::move(node)));
    edit.add.clear();
  };
  for (const Node& node : graph.node()) {
    if (removed.count(&node)) {
      place();
    } else if (auto copy = names.empty() ? nullptr : renamed(node, names)) {
      list.take(std::move(copy));
    } else {
      list.all.push_back(&node);
    }
  }
  place();
  return list;
}

}  // namespace

bool takeConstant(Node& node, TensorProto& constant) {
  if (!isOp(node, "Constant") || node.output_size() != 1 || node.output(0).empty()) return false;
  if (node.attribute_size() != 1) return false;
  auto& attribute = *node.mutable_attribute(0);
  if (attribute.name() == "value" && attribute.has_t()) {
    constant.Swap(attribute.mutable_t());
  } else if (attribute.name() == "value_float") {
    const float value = attribute.f();
    constant = floatTensor("", {}, &value);
  } else if (attribute.name() == "value_floats") {
    constant = floatTensor("", {attribute.floats_size()}, attribute.floats().data());
  } else if (attribute.name() == "value_int") {
    constant = integerTensor("", {}, {attribute.i()});
  } else if (attribute.name() == "value_ints") {
    constant = integerTensor("", {attribute.ints_size()},
                             {attribute.ints().begin(), attribute.ints().end()});
  } else {
    return false;
  }
  constant.set_name(node.output(0));
  return true;
}

void Model::adoptConstants() {
  auto& graph = *proto_->mutable_graph();
  std::vector<TensorProto> adopted;
  keepOnly(*graph.mutable_node(), [&](Node& node) {
    TensorProto constant;
    if (!takeConstant(node, constant)) return true;
    adopted.push_back(std::move(constant));
    return false;
  });
  for (auto& constant : adopted) *graph.add_initializer() = std::move(constant);
}

void Model::dropDefaultedInputs() {
  auto& graph = *proto_->mutable_graph();
  std::unordered_set<std::string> constants;
  for (const auto& constant : graph.initializer()) constants.insert(constant.name());
  keepOnly(*graph.mutable_input(),
           [&](const ::onnx::ValueInfoProto& input) { return constants.count(input.name()) == 0; });
  // Before IR version 4 every initialiser had to be an input.
  if (proto_->ir_version() < 4) proto_->set_ir_version(4);
}

void Model::apply(Edit edit) {
  auto& graph = *proto_->mutable_graph();
  NodeList nodes = editedNodes(graph, edit, resolve(edit, index_));
  std::vector<std::unique_ptr<TensorProto>> made;
  auto constants = pointersTo(graph.initializer());
  for (TensorProto& constant : edit.constants) {
    Tensor{constant};
    made.push_back(std::make_unique<TensorProto>(std::move(constant)));
    constants.push_back(made.back().get());
  }
  Index index = indexOf(graph, nodes.all, constants);

  // Only an allocation can fail from here on.
  std::vector<Node*> old(static_cast<std::size_t>(graph.node_size()));
  graph.mutable_node()->ExtractSubrange(0, graph.node_size(), old.data());
  std::unordered_map<const Node*, std::unique_ptr<Node>> owned;
  for (Node* node : old) owned.emplace(node, node);
  for (auto& node : nodes.made) owned.emplace(node.get(), std::move(node));
  for (const Node* node : index.order) {
    graph.mutable_node()->AddAllocated(owned.at(node).release());
  }
  for (auto& constant : made) graph.mutable_initializer()->AddAllocated(constant.release());
  index_ = std::move(index);
}

void Model::changeInPlace(const std::function<void(::onnx::ModelProto&)>& change) {
  change(*proto_);
}

int Model::removeDead() {
  std::unordered_set<std::string> needed = index_.outputs;
  std::unordered_set<const Node*> alive;
  for (auto node = index_.order.rbegin(); node != index_.order.rend(); ++node) {
    const auto& outputs = (*node)->output();
    const bool used = std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
      return needed.count(output) != 0;
    });
    if (!used) continue;
    alive.insert(*node);
    needed.insert((*node)->input().begin(), (*node)->input().end());
    forEachNestedUse(**node, [&](const std::string& value) { needed.insert(value); });
  }
  Edit edit;
  for (const Node* node : index_.order) {
    if (!alive.count(node)) edit.remove.push_back(node);
  }
  const int gone = static_cast<int>(edit.remove.size());
  if (gone > 0) apply(std::move(edit));
  auto& graph = *proto_->mutable_graph();
  const auto size = [&] { return graph.initializer_size() + graph.value_info_size(); };
  const int before = size();
  const auto isNeeded = [&](const auto& named) { return needed.count(named.name()) != 0; };
  keepOnly(*graph.mutable_initializer(), isNeeded);
  keepOnly(*graph.mutable_value_info(), isNeeded);
  if (size() != before) reindex();
  return gone;
}

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
