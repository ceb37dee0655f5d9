// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/model.h"

#include <functional>
#include <queue>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"

namespace mpm::onnx {

namespace {

Value valueOf(const ::onnx::ValueInfoProto& info) {
  Value value;
  value.name = info.name();
  if (!info.type().has_tensor_type()) return value;
  const auto& tensor = info.type().tensor_type();
  value.type = tensor.elem_type();
  value.hasShape = tensor.has_shape();
  for (const auto& dim : tensor.shape().dim()) {
    Dim known;
    if (dim.has_dim_value() && dim.dim_value() >= 0) known.size = dim.dim_value();
    if (dim.has_dim_param()) known.symbol = dim.dim_param();
    value.dims.push_back(known);
  }
  return value;
}

template <typename Infos>
std::vector<Value> valuesOf(const Infos& infos) {
  std::vector<Value> values;
  for (const auto& info : infos) values.push_back(valueOf(info));
  return values;
}

bool isDefaultDomain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

}  // namespace

Model::Model(::onnx::ModelProto&& proto)
    : proto_(std::make_unique<::onnx::ModelProto>(std::move(proto))) {
  if (!proto_->has_graph()) throw ModelError("the model has no graph");
  checkOpsets();
  forEachTensor(*proto_, [](::onnx::TensorProto& tensor) { Tensor{tensor}; });
  adoptConstants();
  dropDefaultedInputs();
  reindex();
  apply({});  // puts the nodes in order
}

void Model::checkOpsets() const {
  if (proto_->opset_import_size() == 0) {
    throw ModelError("the model names no opset; was the file cut off?");
  }
  if (opset() != 0) return;
  for (const auto& node : proto_->graph().node()) {
    if (isDefaultDomain(node.domain())) {
      throw ModelError("the model names no opset for ONNX's own operators, which " + nameOf(node) +
                       " needs");
    }
  }
}

void Model::reindex() {
  const auto& graph = proto_->graph();
  index_ = indexOf(graph, pointersTo(graph.node()), pointersTo(graph.initializer()));
}

std::vector<Value> Model::inputs() const { return valuesOf(proto_->graph().input()); }

std::vector<Value> Model::outputs() const { return valuesOf(proto_->graph().output()); }

std::optional<Value> Model::info(const std::string& value) const {
  const auto found = index_.infos.find(value);
  if (found == index_.infos.end()) return std::nullopt;
  return valueOf(*found->second);
}

const Node* Model::producer(const std::string& value) const {
  const auto found = index_.producers.find(value);
  return found == index_.producers.end() ? nullptr : found->second;
}

const std::vector<const Node*>& Model::consumers(const std::string& value) const {
  static const std::vector<const Node*> none;
  const auto found = index_.consumers.find(value);
  return found == index_.consumers.end() ? none : found->second;
}

std::optional<Tensor> Model::constant(const std::string& value) const {
  const auto found = index_.constants.find(value);
  if (found == index_.constants.end()) return std::nullopt;
  return Tensor(*found->second);
}

std::int64_t Model::opset(const std::string& domain) const {
  for (const auto& entry : proto_->opset_import()) {
    const bool same =
        entry.domain() == domain || (isDefaultDomain(entry.domain()) && isDefaultDomain(domain));
    if (same) return entry.version();
  }
  return 0;
}

std::map<std::string, std::string> Model::metadata() const {
  std::map<std::string, std::string> entries;
  for (const auto& entry : proto_->metadata_props()) entries[entry.key()] = entry.value();
  return entries;
}

void Model::putLast(const std::vector<std::string>& names) {
  auto& outputs = *proto_->mutable_graph()->mutable_output();
  for (const std::string& name : names) {
    for (int i = 0; i + 1 < outputs.size(); ++i) {
      if (outputs[i].name() == name) outputs.SwapElements(i, i + 1);
    }
  }
}

void Model::addOutput(const Value& value) {
  if (!index_.knows(value.name)) {
    throw ModelError("nothing produces " + inQuotes(value.name) + ", so it cannot be an output");
  }
  if (!index_.outputs.insert(value.name).second) return;
  auto& outputs = *proto_->mutable_graph()->mutable_output();
  auto* info = outputs.Add();
  for (int i = outputs.size() - 1; i > 0; --i) outputs.SwapElements(i, i - 1);
  info->set_name(value.name);
  index_.infos.emplace(value.name, info);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(value.type);
  if (!value.hasShape) return;
  auto* shape = tensor->mutable_shape();
  for (const Dim& dim : value.dims) {
    auto* entry = shape->add_dim();
    if (dim.isKnown()) {
      entry->set_dim_value(dim.size);
    } else if (!dim.symbol.empty()) {
      entry->set_dim_param(dim.symbol);
    }
  }
}

void Model::setBatch(const std::string& input, std::int64_t images) {
  for (auto& info : *proto_->mutable_graph()->mutable_input()) {
    auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    if (info.name() == input && shape.dim_size() > 0) shape.mutable_dim(0)->set_dim_value(images);
  }
}

void Model::setInputSize(const std::string& input, const std::vector<std::int64_t>& sizes) {
  for (auto& info : *proto_->mutable_graph()->mutable_input()) {
    auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    if (info.name() != input || shape.dim_size() != 4) continue;
    for (int i = 1; i < 4; ++i)
      shape.mutable_dim(i)->set_dim_value(sizes.at(static_cast<std::size_t>(i - 1)));
  }
}

void Model::importOpset(const std::string& domain, std::int64_t version) {
  for (auto& entry : *proto_->mutable_opset_import()) {
    if (entry.domain() == domain) {
      entry.set_version(version);
      return;
    }
  }
  auto* entry = proto_->add_opset_import();
  entry->set_domain(domain);
  entry->set_version(version);
}

void Model::setMetadata(const std::string& key, const std::string& text) {
  for (auto& entry : *proto_->mutable_metadata_props()) {
    if (entry.key() == key) {
      entry.set_value(text);
      return;
    }
  }
  auto* entry = proto_->add_metadata_props();
  entry->set_key(key);
  entry->set_value(text);
}

void Model::removeMetadata(const std::string& key) {
  auto& entries = *proto_->mutable_metadata_props();
  for (int i = entries.size() - 1; i >= 0; --i) {
    if (entries[i].key() == key) entries.DeleteSubrange(i, 1);
  }
}

std::string Model::unusedName(const std::string& stem) const {
  std::string name = stem;
  for (int i = 1; index_.knows(name) || index_.consumers.count(name); ++i) {
    name = stem + "_" + std::to_string(i);
  }
  return name;
}

namespace {

using Nodes = std::vector<const Node*>;

void claim(Index& index, const std::string& value, const std::string& by) {
  if (!index.knows(value)) return;
  const auto found = index.producers.find(value);
  const std::string first = found != index.producers.end() ? nameOf(*found->second)
                            : index.inputs.count(value)    ? "a graph input"
                                                           : "a constant";
  throw ModelError("the value " + inQuotes(value) + " is given twice: by " + first + " and by " +
                   by);
}

void addConstants(Index& index, const ::onnx::GraphProto& graph,
                  const std::vector<const ::onnx::TensorProto*>& constants) {
  for (const auto* constant : constants) {
    if (constant->name().empty()) throw ModelError("a constant has no name");
    claim(index, constant->name(), "a constant");
    index.constants[constant->name()] = constant;
  }
  for (const auto& sparse : graph.sparse_initializer()) {
    claim(index, sparse.values().name(), "a sparse constant");
    index.sparse.insert(sparse.values().name());
  }
}

void addEnds(Index& index, const ::onnx::GraphProto& graph) {
  for (const auto& input : graph.input()) {
    claim(index, input.name(), "a graph input");
    index.inputs.insert(input.name());
  }
  for (const auto& output : graph.output()) index.outputs.insert(output.name());
  for (const auto* infos : {&graph.input(), &graph.output(), &graph.value_info()}) {
    for (const auto& info : *infos) index.infos.emplace(info.name(), &info);
  }
}

void addConsumers(Index& index, const Node& node) {
  const auto add = [&](const std::string& value) {
    auto& consumers = index.consumers[value];
    if (consumers.empty() || consumers.back() != &node) consumers.push_back(&node);
  };
  for (const auto& input : node.input()) {
    if (input.empty()) continue;  // an optional input that is left out
    if (!index.knows(input)) {
      throw ModelError(nameOf(node) + " reads " + inQuotes(input) + ", which nothing produces");
    }
    add(input);
  }
  forEachNestedUse(node, [&](const std::string& value) {
    if (index.knows(value)) add(value);
  });
}

// Finds a node in a cycle: walks from a waiting node backwards for as many steps as there are
// nodes.
[[noreturn]] void refuseCycle(const std::vector<std::vector<std::size_t>>& readers,
                              const std::vector<std::size_t>& waiting, const Nodes& nodes) {
  std::vector<std::size_t> before(nodes.size(), nodes.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waiting[i] == 0) continue;
    at = i;
    for (const std::size_t reader : readers[i]) before[reader] = i;
  }
  for (std::size_t step = 0; step < nodes.size(); ++step) at = before[at];
  throw ModelError("the graph has a cycle, through " + nameOf(*nodes[at]));
}

void sortNodes(Index& index, const Nodes& nodes) {
  std::unordered_map<const Node*, std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = i;
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> waiting(nodes.size(), 0);
  for (const auto& [value, consumers] : index.consumers) {
    const auto producer = index.producers.find(value);
    if (producer == index.producers.end()) continue;
    for (const Node* consumer : consumers) {
      readers[places.at(producer->second)].push_back(places.at(consumer));
      ++waiting[places.at(consumer)];
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    index.order.push_back(nodes[i]);
    for (const std::size_t reader : readers[i]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  if (index.order.size() != nodes.size()) refuseCycle(readers, waiting, nodes);
}

}  // namespace

bool Index::knows(const std::string& value) const {
  return producers.count(value) || constants.count(value) || inputs.count(value) ||
         sparse.count(value);
}

Index indexOf(const ::onnx::GraphProto& graph, const Nodes& nodes,
              const std::vector<const ::onnx::TensorProto*>& constants) {
  Index index;
  addEnds(index, graph);
  addConstants(index, graph, constants);
  for (const Node* node : nodes) {
    for (const auto& output : node->output()) {
      if (output.empty()) continue;
      claim(index, output, nameOf(*node));
      index.producers[output] = node;
    }
  }
  for (const Node* node : nodes) addConsumers(index, *node);
  for (const auto& output : graph.output()) {
    if (!index.knows(output.name())) {
      throw ModelError("nothing produces the graph's output " + inQuotes(output.name()));
    }
  }
  sortNodes(index, nodes);
  return index;
}

}  // namespace mpm::onnx
