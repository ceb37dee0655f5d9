// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/subgraphs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mpm/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/for_opencv.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;

bool isConstant(const Model& model, const std::string& value) {
  return value.empty() || model.constant(value).has_value();
}

}  // namespace

SubgraphChoice::SubgraphChoice(const Model& model) : model_(model) {
  for (const Node* node : model.nodes()) {
    if (isForOpenCv(model, *node) || !hasInput(*node)) continue;
    taken_.insert(node);
    if (isAboutSizes(*node)) sizes_.insert(node);
  }
}

bool SubgraphChoice::isGrouped(const Node* node) const {
  if (!has(node) || !isOfSizes(node)) return has(node);
  for (const std::string& output : node->output()) {
    if (output.empty()) continue;
    const auto& readers = model_.consumers(output);
    if (model_.isOutput(output) ||
        std::any_of(readers.begin(), readers.end(), [&](auto* reader) { return !has(reader); })) {
      return true;
    }
  }
  return false;
}

bool SubgraphChoice::isAboutSizes(const Node& node) const {
  return isAny(node, {"Shape", "Size"}) ||
         std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
           return isConstant(model_, input) || sizes_.count(model_.producer(input)) != 0;
         });
}

bool SubgraphChoice::hasInput(const Node& node) const {
  return std::any_of(node.input().begin(), node.input().end(),
                     [&](const std::string& input) { return !isConstant(model_, input); });
}

namespace {

// Taken nodes that hang together, in the order of the graph. No way from one of a group to another
// leads through a node outside it: along every way the depth grows where taken nodes and others
// meet, and a group is of one depth.
std::vector<std::vector<const Node*>> groupsOf(const Model& model, const SubgraphChoice& choice) {
  std::unordered_map<const Node*, std::size_t> depth, group;
  std::vector<std::vector<const Node*>> groups;
  for (const Node* node : model.nodes()) {
    const bool isTaken = choice.isGrouped(node);
    std::set<const Node*> producers;
    for (const std::string& input : node->input()) {
      const Node* producer = input.empty() ? nullptr : model.producer(input);
      if (producer != nullptr) producers.insert(producer);
    }
    std::size_t own = 0;
    for (const Node* producer : producers) {
      own = std::max(own, depth[producer] + (choice.isGrouped(producer) != isTaken ? 1 : 0));
    }
    depth[node] = own;
    if (!isTaken) continue;
    std::size_t joined = groups.size();
    for (const Node* producer : producers) {
      if (!choice.isGrouped(producer) || depth[producer] != own) continue;
      const std::size_t other = group[producer];
      if (joined == groups.size()) joined = other;
      if (other == joined) continue;
      for (const Node* moved : groups[other]) group[moved] = joined;
      groups[joined].insert(groups[joined].end(), groups[other].begin(), groups[other].end());
      groups[other].clear();
    }
    if (joined == groups.size()) groups.emplace_back();
    groups[joined].push_back(node);
    group[node] = joined;
  }
  return groups;
}

// One group as a model of its own, and the node that stands for it.
class Subgraph {
 public:
  Subgraph(const Model& model, const std::vector<const Node*>& nodes, const SubgraphChoice& choice,
           const DimsOf& dimsOf, const TypeOf& typeOf)
      : model_(model), group_(nodes.begin(), nodes.end()), dimsOf_(dimsOf), typeOf_(typeOf) {
    nodes_ = group_;
    addSizes(nodes, choice);
    proto_.set_ir_version(model.proto().ir_version());
    *proto_.mutable_opset_import() = model.proto().opset_import();
    ::onnx::GraphProto& graph = *proto_.mutable_graph();
    graph.set_name("subgraph");
    for (const Node* node : model.nodes()) {
      if (nodes_.count(node) == 0) continue;
      *graph.add_node() = *node;
      for (const std::string& input : node->input()) read(input);
      if (group_.count(node) == 0) continue;
      for (const std::string& output : node->output()) give(output);
    }
  }

  Node node(const std::string& name) {
    Node made;
    made.set_domain("mpm");
    made.set_op_type(operatorOf(LayerKind::subgraph));
    made.set_name(name);
    std::string names;
    for (const std::string& input : inputs_) {
      made.add_input(input);
      names += (names.empty() ? "x" : ",x") + std::to_string(made.input_size() - 1);
    }
    for (const auto& output : proto_.graph().output()) made.add_output(output.name());
    setAttribute(made, "inputs", names);
    setAttribute(made, "graph", proto_.SerializeAsString());
    return made;
  }

 private:
  // Copies of the nodes that compute inputs of these from sizes.
  void addSizes(std::vector<const Node*> nodes, const SubgraphChoice& choice) {
    while (!nodes.empty()) {
      const Node* node = nodes.back();
      nodes.pop_back();
      for (const std::string& input : node->input()) {
        const Node* producer = input.empty() ? nullptr : model_.producer(input);
        if (producer == nullptr || !choice.isOfSizes(producer)) continue;
        if (nodes_.insert(producer).second) nodes.push_back(producer);
      }
    }
  }

  void read(const std::string& value) {
    if (value.empty() || !seen_.insert(value).second) return;
    ::onnx::GraphProto& graph = *proto_.mutable_graph();
    if (const auto constant = model_.constant(value)) {
      *graph.add_initializer() = constant->proto();
    } else if (nodes_.count(model_.producer(value)) == 0) {
      inputs_.push_back(value);
      describe(*graph.add_input(), value);
    }
  }

  void give(const std::string& value) {
    if (value.empty()) return;
    const auto& readers = model_.consumers(value);
    const bool isRead = std::any_of(readers.begin(), readers.end(),
                                    [&](const Node* reader) { return group_.count(reader) == 0; });
    if (isRead || model_.isOutput(value)) describe(*proto_.mutable_graph()->add_output(), value);
  }

  // Its type, and its rank where there are no two axes, which a Mat cannot tell.
  void describe(::onnx::ValueInfoProto& info, const std::string& value) {
    info.set_name(value);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    const int type = typeOf_(value);
    tensor.set_elem_type(type == 0 ? static_cast<int>(TensorProto::FLOAT) : type);
    const Integers* dims = dimsOf_(value);
    if (dims == nullptr || dims->size() > 1) return;
    tensor.mutable_shape();
    if (dims->size() == 1) tensor.mutable_shape()->add_dim();
  }

  const Model& model_;
  std::unordered_set<const Node*> group_, nodes_;  // and with copies
  const DimsOf& dimsOf_;
  const TypeOf& typeOf_;
  ::onnx::ModelProto proto_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> inputs_;
};

}  // namespace

int takeSubgraphs(Model& model, const DimsOf& dimsOf, const TypeOf& typeOf) {
  const SubgraphChoice choice(model);
  Edit edit;
  int count = 0;
  for (const auto& nodes : groupsOf(model, choice)) {
    if (nodes.empty()) continue;
    Subgraph subgraph(model, nodes, choice, dimsOf, typeOf);
    edit.add.push_back(subgraph.node("mpm/subgraph_" + std::to_string(count++)));
    edit.remove.insert(edit.remove.end(), nodes.begin(), nodes.end());
  }
  if (count == 0) return 0;
  // Nodes that are only copied go with removeDead.
  model.apply(std::move(edit));
  model.removeDead();
  return count;
}

}  // namespace mpm::onnx
