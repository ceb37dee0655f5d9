// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "onnx/lower_spelling.h"
#include "onnx/walk.h"

namespace mpm::onnx {
namespace {

// Each costs a pass over the graph, and models have a few outputs.
constexpr int kMostOutputs = 64;

// Gives the graph's output that a node only passes on to the node before it. False where that one
// has to keep its name, too.
bool passOutput(Model& model, const Node* node) {
  const std::string source = node->input(0);
  const std::string output = node->output(0);
  const Node* producer = model.producer(source);
  if (producer == nullptr || model.isOutput(source)) return false;
  // A subgraph may have a value of its own that is called like the output.
  for (const Node* reader : model.consumers(source)) {
    bool nested = false;
    forEachNestedUse(*reader, [&](const std::string&) { nested = true; });
    if (nested) return false;
  }
  Edit edit;
  Node renamed = *producer;
  for (auto& made : *renamed.mutable_output()) {
    if (made == source) made = output;
  }
  edit.remove = {producer, node};
  edit.add.push_back(std::move(renamed));
  edit.redirect = {{source, output}};
  model.apply(std::move(edit));
  return true;
}

}  // namespace

int bypass(Model& model, const std::vector<const Node*>& nodes) {
  std::vector<std::string> outputs;
  Edit edit;
  for (const Node* node : nodes) {
    if (model.isOutput(node->output(0))) {
      outputs.push_back(node->output(0));
    } else {
      edit.remove.push_back(node);
      edit.redirect.emplace_back(node->output(0), node->input(0));
    }
  }
  int count = static_cast<int>(edit.remove.size());
  if (count > 0) model.apply(std::move(edit));
  for (std::size_t i = 0; i < outputs.size() && i < kMostOutputs; ++i) {
    if (passOutput(model, model.producer(outputs[i]))) ++count;
  }
  return count;
}

}  // namespace mpm::onnx
