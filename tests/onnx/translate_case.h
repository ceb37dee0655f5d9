// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/translate.h"
#include "onnx/small_vit.h"

namespace mpm::test {

/// The types of the planned nodes, in order, "PatchEmbed MutualPairMerge ..."; or what keeps the
/// model from merging.
inline std::string plannedFor(ModelProto proto, bool lateRestore = true) {
  const Looked looked(std::move(proto));
  const onnx::Translation translation = onnx::translate(looked.facts(), {lateRestore});
  if (!translation.encoder.obstacle.empty()) return translation.encoder.obstacle;
  std::string types;
  for (const auto& added : translation.plan.nodes)
    types += (types.empty() ? "" : " ") + added.node.op_type();
  return types;
}

/// What keeps a model from merging; empty: nothing.
inline std::string obstacleOf(ModelProto proto) {
  const Looked looked(std::move(proto));
  return onnx::translate(looked.facts(), {}).encoder.obstacle;
}

/// What a plan has for a node: "regions" of a merge, "window_of" of a block.
inline std::vector<float> weightOf(const onnx::Model& model, const onnx::Plan::NewNode& added,
                                   const std::string& input) {
  for (const onnx::Weight& weight : added.weights) {
    if (weight.input != input) continue;
    std::int64_t count = 1;
    for (const std::int64_t dim : weight.dims) count *= dim;
    std::vector<float> values(static_cast<std::size_t>(count));
    weight.read(model, values.data());
    return values;
  }
  return {};
}

/// The start of a model: patches with their positions, on their grid [B, 2, 3, D].
inline ModelProto patchesOnGrid(const std::string& output) {
  auto proto = emptyModel();
  addImage(proto);
  addSome(proto, "weight", {kVitDim, 1, 2, 2});
  onnx::setAttribute(addNode(proto, "Conv", {"image", "weight"}, {"planes"}), "strides",
                     Integers{2, 2});
  addTranspose(proto, "planes", {0, 2, 3, 1}, "patches");
  addSome(proto, "position", {1, 2, 3, kVitDim});
  addNode(proto, "Add", {"patches", "position"}, {output});
  return proto;
}

}  // namespace mpm::test
