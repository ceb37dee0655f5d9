// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/facts_case.h"
#include "onnx/small_vit.h"
#include "onnx/translate.h"

namespace mpm::test {

/// What keeps a model from merging; empty: nothing.
inline std::string obstacleOf(ModelProto proto) {
  const Looked looked(std::move(proto));
  return onnx::translate(looked.facts(), {}).encoder.obstacle;
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
