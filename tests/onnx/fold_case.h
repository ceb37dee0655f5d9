// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/fold.h"
#include "onnx/proto_model.h"

namespace mpm::test {

using onnx::Model;
using ::onnx::ModelProto;
using Integers = std::vector<std::int64_t>;

inline constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

inline void addIntegers(ModelProto& model, const std::string& name, const Integers& values) {
  *model.mutable_graph()->add_initializer() =
      onnx::integerTensor(name, {static_cast<std::int64_t>(values.size())}, values);
}

// The start of a model in which a test builds "y"; folded() makes it reach an output through a node
// that cannot be folded.
inline ModelProto start() {
  auto model = emptyModel();
  addInput(model, "image", {-1, 3, 32, 64});
  return model;
}

inline Model folded(ModelProto proto) {
  addNode(proto, "Use", {"image", "y"}, {"end"}).set_domain("mpm");
  addOutput(proto, "end");
  Model model(std::move(proto));
  onnx::fold(model);
  return model;
}

inline Integers valuesOfY(const Model& model) {
  const auto constant = model.constant("y");
  return constant ? constant->integers() : Integers{-999};
}

inline Integers dimsOfY(const Model& model) {
  const auto constant = model.constant("y");
  return constant ? constant->dims() : Integers{-999};
}

}  // namespace mpm::test
