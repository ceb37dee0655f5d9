// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "onnx/lower.h"
#include "onnx/lower_case.h"
#include "onnx/values.h"

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
  const std::vector<float> expected = resultOf(Model(ModelProto(proto)), sizes),
                           found = resultOf(after.model, sizes);
  EXPECT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    EXPECT_NEAR(expected[i], found[i], tolerance) << i;
  return after;
}

// Types of the nodes that a model over "x", which makes "y", has then.
inline Strings typesByRank(ModelProto proto, const Integers& dims = {2, 5, 4}) {
  addOutput(proto, "y");
  proto.mutable_opset_import(0)->set_version(17);
  return typesOf(sameByRank(proto, {dims}).model);
}

}  // namespace mpm::test
