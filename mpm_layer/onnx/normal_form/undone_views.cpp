// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

// Rejects more axes than those of planes: they are of windows, which are followed as they are, even
// if there is one.
bool isOfPlanes(const AnalysedModel& analysed, const Node& node) {
  const Integers* dims = analysed.values.dims(node.output(0));
  return dims != nullptr && dims->size() <= 4;
}

// Returns the earlier value that `value` equals after a transpose and its reverse, or a split and a
// join. Empty if there is none, or it is a step on that way.
std::string undone(const AnalysedModel& analysed, const std::string& value) {
  const std::optional<View> view = viewOf(analysed, value);
  const Integers* dims = analysed.values.dims(value);
  if (!view || dims == nullptr || view->factor != 1 || view->offset != 0) return {};
  const Integers* before = analysed.values.dims(view->base);
  const bool isUndone = std::any_of(view->nodes.begin(), view->nodes.end(), [](const Node* node) {
    return isAny(*node, {"Transpose", "Concat"});
  });
  if (!isUndone || before == nullptr || *before != *dims ||
      analysed.model.producer(view->base) == nullptr ||
      !std::all_of(view->nodes.begin(), view->nodes.end(),
                   [&](const Node* node) { return isOfPlanes(analysed, *node); }))
    return {};
  const bool isDense = view->strides() == denseView(view->base, *before).strides();
  return isDense ? view->base : std::string();
}

}  // namespace

int dropUndoneViews(Model& model, const Values& values) {
  const AnalysedModel analysed{model, values};
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isAny(*node, {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Concat"}) ||
        node->output_size() != 1 || model.isOutput(node->output(0)))
      continue;
    const std::string before = undone(analysed, node->output(0));
    if (before.empty()) continue;
    edit.redirect.emplace_back(node->output(0), before);
    edit.remove.push_back(node);
  }
  const int count = static_cast<int>(edit.remove.size());
  if (count == 0) return 0;
  model.apply(std::move(edit));
  model.removeDead();
  return count;
}

}  // namespace mpm::onnx
