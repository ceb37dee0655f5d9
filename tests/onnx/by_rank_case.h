// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "onnx/lower_case.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/operators/values.h"

namespace mpm::test {

struct ByRank {
  Model model;
  int changes = 0;
};

// What lowerByRank makes of a model.
inline ByRank byRank(ModelProto proto) {
  Model model(std::move(proto));
  const onnx::Values values(model);
  const int changes =
      onnx::lowerByRank(model, [&](const std::string& value) { return values.dims(value); });
  model.removeDead();
  return {std::move(model), changes};
}

// The same, after it gave the same for inputs of these sizes.
inline ByRank sameByRank(const ModelProto& proto, const std::vector<Integers>& sizes,
                         float tolerance = 1e-6F) {
  ByRank after = byRank(ModelProto(proto));
  expectSameResult(Model(ModelProto(proto)), after.model, sizes, tolerance);
  return after;
}

// Types of the nodes that a model over "x", which makes "y", has then.
inline Strings typesByRank(ModelProto proto, const Integers& dims = {2, 5, 4}) {
  addOutput(proto, "y");
  proto.mutable_opset_import(0)->set_version(17);
  return typesOf(sameByRank(proto, {dims}).model);
}

}  // namespace mpm::test
