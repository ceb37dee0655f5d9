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

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/for_opencv.h"
#include "onnx/layers/rewrite_model.h"

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

using Takes = std::function<bool(const Node*)>;

// Returns connected groups of taken nodes, in the order of the graph. No path between two nodes of
// a group leaves the group. Depth grows along every path between taken and other nodes, and all
// nodes of a group have one depth.
std::vector<std::vector<const Node*>> groupsOf(const Model& model, const Takes& takes) {
  std::unordered_map<const Node*, std::size_t> depth, group;
  std::vector<std::vector<const Node*>> groups;
  for (const Node* node : model.nodes()) {
    const bool isTaken = takes(node);
    std::set<const Node*> producers;
    for (const std::string& input : node->input()) {
      const Node* producer = input.empty() ? nullptr : model.producer(input);
      if (producer != nullptr) producers.insert(producer);
    }
    std::size_t own = 0;
    for (const Node* producer : producers) {
      own = std::max(own, depth[producer] + (takes(producer) != isTaken ? 1 : 0));
    }
    depth[node] = own;
    if (!isTaken) continue;
    std::size_t joined = groups.size();
    for (const Node* producer : producers) {
      if (!takes(producer) || depth[producer] != own) continue;
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

// Describes what groups are made into.
struct GroupKind {
  LayerKind kind = LayerKind::subgraph;
  Takes takes;
  Takes isCopied;  // a node that is not taken, for whoever reads it
  DimsOf dimsOf;
  TypeOf typeOf;
};

// One group as a model, and the node that replaces it.
class Subgraph {
 public:
  Subgraph(const Model& model, const std::vector<const Node*>& nodes, const GroupKind& kind)
      : model_(model), kind_(kind), group_(nodes.begin(), nodes.end()) {
    nodes_ = group_;
    addCopies(nodes);
    proto_.set_ir_version(model.proto().ir_version());
    *proto_.mutable_opset_import() = model.proto().opset_import();
    ::onnx::GraphProto& graph = *proto_.mutable_graph();
    graph.set_name(operatorOf(kind.kind));
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
    made.set_op_type(operatorOf(kind_.kind));
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
  void addCopies(std::vector<const Node*> nodes) {
    while (!nodes.empty()) {
      const Node* node = nodes.back();
      nodes.pop_back();
      for (const std::string& input : node->input()) {
        const Node* producer = input.empty() ? nullptr : model_.producer(input);
        if (producer == nullptr || !kind_.isCopied(producer)) continue;
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

  // Sets a value's type, and its rank if it is below two, which a Mat cannot express.
  void describe(::onnx::ValueInfoProto& info, const std::string& value) {
    info.set_name(value);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    const int type = kind_.typeOf(value);
    tensor.set_elem_type(type == 0 ? static_cast<int>(TensorProto::FLOAT) : type);
    const Integers* dims = kind_.dimsOf(value);
    if (dims == nullptr || dims->size() > 1) return;
    tensor.mutable_shape();
    if (dims->size() == 1) tensor.mutable_shape()->add_dim();
  }

  const Model& model_;
  const GroupKind& kind_;
  std::unordered_set<const Node*> group_, nodes_;  // and with copies
  ::onnx::ModelProto proto_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> inputs_;
};

// Replaces groups by nodes. removeDead removes nodes that were only copied.
int takeGroups(Model& model, const std::string& name, const GroupKind& kind) {
  Edit edit;
  int count = 0;
  for (const auto& nodes : groupsOf(model, kind.takes)) {
    if (nodes.empty()) continue;
    edit.add.push_back(Subgraph(model, nodes, kind).node(name + std::to_string(count++)));
    edit.remove.insert(edit.remove.end(), nodes.begin(), nodes.end());
  }
  if (count == 0) return 0;
  model.apply(std::move(edit));
  model.removeDead();
  return count;
}

std::optional<LayerKind> layerKindOf(const Node& node) {
  return kindOf(node.domain() == "mpm" ? "mpm." + node.op_type() : node.op_type());
}

bool isInChain(const Model& model, const Node& node) {
  const std::optional<LayerKind> kind = layerKindOf(node);
  if (!kind || !infoOf(*kind).isInChains) return false;
  if (kind != LayerKind::mergeRestore) return true;
  const auto& readers = model.consumers(node.output(0));
  return !model.isOutput(node.output(0)) &&
         std::all_of(readers.begin(), readers.end(),
                     [&](const Node* reader) { return isInChain(model, *reader); });
}

void noteOutputs(Model& model) {
  std::unordered_map<std::string, std::int64_t> places;
  for (const Node* node : model.nodes()) {
    for (int i = 0; i < node->output_size() && layerKindOf(*node) == LayerKind::chain; ++i)
      places[node->output(i)] = i;
  }
  model.changeInPlace([&](::onnx::ModelProto& proto) {
    for (Node& node : *proto.mutable_graph()->mutable_node()) {
      if (layerKindOf(node) != LayerKind::mergeRestore) continue;
      const char* const names[] = {"tokens_output", "map_output"};
      for (int i = 0; i < std::min(node.input_size(), 2); ++i) {
        if (const auto place = places.find(node.input(i)); place != places.end())
          setAttribute(node, names[i], place->second);
      }
    }
  });
}

}  // namespace

int takeSubgraphs(Model& model, const DimsOf& dimsOf, const TypeOf& typeOf) {
  const SubgraphChoice choice(model);
  return takeGroups(model, "mpm/subgraph_",
                    {LayerKind::subgraph, [&](const Node* node) { return choice.isGrouped(node); },
                     [&](const Node* node) { return choice.isOfSizes(node); }, dimsOf, typeOf});
}

int takeChains(Model& model) {
  const int count =
      takeGroups(model, "mpm/chain_",
                 {LayerKind::chain, [&](const Node* node) { return isInChain(model, *node); },
                  [](const Node*) { return false; },
                  [](const std::string&) -> const Integers* { return nullptr; },
                  [](const std::string&) { return 0; }});
  noteOutputs(model);
  return count;
}

}  // namespace mpm::onnx
