// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/simplify.h"

#include <algorithm>
#include <string>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known.h"

namespace mpm::onnx {
namespace {

bool isPassedOn(const Model& model, const Node& node) {
  return isOp(node, "Identity") && node.input_size() == 1 && node.output_size() == 1 &&
         !node.input(0).empty() && !node.output(0).empty() && !model.isOutput(node.output(0));
}

bool isKnown(const Model& model, const Values& values, const Node& node) {
  if (!isOp(node, node.op_type().c_str()) || isOp(node, "Identity")) return false;
  const auto& outputs = node.output();
  return !outputs.empty() &&
         std::all_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
           if (output.empty()) return true;
           const Known* known = model.isOutput(output) ? nullptr : values.content(output);
           return known && known->isSure();
         });
}

}  // namespace

int fold(Model& model) { return fold(model, Values(model)); }

int fold(Model& model, const Values& values) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (isPassedOn(model, *node)) {
      edit.redirect.emplace_back(node->output(0), node->input(0));
    } else if (isKnown(model, values, *node)) {
      for (const auto& output : node->output()) {
        if (!output.empty()) edit.constants.push_back(toTensor(*values.content(output), output));
      }
    } else {
      continue;
    }
    edit.remove.push_back(node);
  }
  const int folded = static_cast<int>(edit.remove.size());
  if (folded > 0) {
    model.apply(std::move(edit));
    model.removeDead();
  }
  return folded;
}

}  // namespace mpm::onnx
