// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/index.h"

#include <functional>
#include <queue>

#include "onnx/graph/error.h"
#include "onnx/graph/walk.h"

namespace mpm::onnx {
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

// From a node that waits, backwards along what it waits for, until one comes again: it is in a
// cycle.
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
