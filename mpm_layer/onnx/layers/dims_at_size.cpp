// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/other_size.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "onnx/layers/rewrite_model.h"

namespace mpm::onnx {

std::unordered_map<std::string, Integers> dimsAtSize(const Model& model, const ResizedInput& input,
                                                     const DimsOf& ownDims) {
  Integers dims = input.sizes;
  const Integers* own = ownDims(input.name);
  dims.insert(dims.begin(), own == nullptr || own->empty() ? -1 : own->front());
  const Values values(model, {{input.name, dims}});
  std::unordered_map<std::string, Integers> result{{input.name, std::move(dims)}};
  std::unordered_set<std::string> behind;  // a layer
  for (const Node* node : model.nodes()) {
    const bool isBehind =
        isLayer(*node) || std::any_of(node->input().begin(), node->input().end(),
                                      [&](auto& name) { return behind.count(name) != 0; });
    for (const std::string& value : node->output()) {
      if (isBehind) behind.insert(value);
      const Integers* found = isBehind ? ownDims(value) : values.dims(value);
      if (found == nullptr) continue;
      Integers& sizes = result.emplace(value, *found).first->second;
      if (isBehind && !replaceSizes(sizes, input.change)) sizes.assign(sizes.size(), -1);
    }
  }
  return result;
}

}  // namespace mpm::onnx
