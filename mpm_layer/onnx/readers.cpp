// SPDX-License-Identifier: Apache-2.0
#include "onnx/readers.h"

#include <string>
#include <utility>
#include <vector>

#include "onnx/attribute.h"

namespace mpm::onnx {
namespace {

bool isLayer(const Node& node) {
  return node.domain() == "mpm" || (node.domain().empty() && node.op_type().rfind("mpm.", 0) == 0);
}

std::int64_t readersOf(const Model& model, const std::string& value) {
  std::int64_t readers = model.isOutput(value) ? kOthersRead : 0;
  for (const Node* reader : model.consumers(value))
    readers |= isLayer(*reader) ? kLayersRead : kOthersRead;
  return readers;
}

}  // namespace

void noteReaders(Model& model) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isLayer(*node)) continue;
    std::vector<std::int64_t> readers, lasting;
    for (const std::string& output : node->output()) readers.push_back(readersOf(model, output));
    for (const std::string& input : node->input()) lasting.push_back(model.isInput(input) ? 1 : 0);
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    setAttribute(edit.add.back(), "readers", readers);
    setAttribute(edit.add.back(), "lasting", lasting);
  }
  model.apply(std::move(edit));
}

}  // namespace mpm::onnx
