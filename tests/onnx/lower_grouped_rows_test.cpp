// SPDX-License-Identifier: Apache-2.0
// Norms over groups of a row's features.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "onnx/by_rank_case.h"
#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// GroupNorm of [rows, features], as PyTorch's exporter spells it.
struct GroupedRows {
  std::int64_t groups = 1;
  float scale = 1;
  Integers shift = {4};
  Integers rows = {-1, 3, 4};  // behind the norm
};

Strings typesOfGroupedRows(const GroupedRows& part) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, 3, 4});
  addReshape(proto, "x", {-1, part.groups, 4 / part.groups}, "groups");
  addConstant(proto, "ones", {part.groups},
              std::vector<float>(static_cast<std::size_t>(part.groups), part.scale));
  addConstant(proto, "zeros", {part.groups},
              std::vector<float>(static_cast<std::size_t>(part.groups), 0));
  addNode(proto, "InstanceNormalization", {"groups", "ones", "zeros"}, {"normed"});
  addReshape(proto, "normed", part.rows, "rows");
  addSome(proto, "gain", {4});
  addSome(proto, "shift", part.shift);
  addNode(proto, "Mul", {"rows", "gain"}, {"scaled"});
  addNode(proto, "Add", {"scaled", "shift"}, {"y"});
  addOutput(proto, "y");
  return typesOf(sameByRank(proto, {{2, 3, 4}}, 1e-5F).model);
}

TEST(LowerByRank, ANormOfGroupsOfWhichEachRowHasOne) {
  EXPECT_EQ(typesOfGroupedRows({}), (Strings{"LayerNormalization"}));
  EXPECT_EQ(typesOfGroupedRows({.rows = {-1, 4}}), (Strings{"Reshape", "LayerNormalization"}))
      << "as onnxsim leaves them";
  EXPECT_EQ(typesOfGroupedRows({.rows = {0, 4}}).size(), 5U) << "as many as there are groups";
  EXPECT_EQ(typesOfGroupedRows({.groups = 2}).size(), 5U);
  EXPECT_EQ(typesOfGroupedRows({.scale = 2}).size(), 5U);
  EXPECT_EQ(typesOfGroupedRows({.shift = {3, 1}}).size(), 5U) << "one for each row";
}

// As PyTorch's newer exporter writes it; OpenCV has it for planes alone.
TEST(LowerByRank, ANormOfGroupsAsOneNode) {
  const auto typesWith = [](const Integers& dims, std::int64_t groups) {
    auto proto = emptyModel();
    proto.mutable_opset_import(0)->set_version(21);
    addInput(proto, "x", dims);
    addSome(proto, "gain", {4});
    addSome(proto, "shift", {4});
    auto& norm = addNode(proto, "GroupNormalization", {"x", "gain", "shift"}, {"y"});
    setAttribute(norm, "num_groups", groups);
    addOutput(proto, "y");
    return typesOf(byRank(std::move(proto)).model);
  };
  EXPECT_EQ(typesWith({-1, 4}, 1), (Strings{"LayerNormalization"}));
  EXPECT_EQ(typesWith({-1, 4}, 2), (Strings{"GroupNormalization"}));
  EXPECT_EQ(typesWith({-1, 4, 5}, 1), (Strings{"GroupNormalization"})) << "over all of its places";
}

}  // namespace
}  // namespace mpm::test
