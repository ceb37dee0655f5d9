// SPDX-License-Identifier: Apache-2.0
// What a block makes of each row alone, by whatever nodes.
#include "onnx/layers/row_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/small_vit.h"
#include "onnx/translate_case.h"

namespace mpm::test {
namespace {

// Two blocks, the first of which makes something of its hidden features in front of its last layer.
template <class Spell>
std::string obstacleOfHidden(const Spell& spell) {
  auto proto = smallVit(2);
  for (auto& node : *proto.mutable_graph()->mutable_node()) {
    if (node.output_size() == 1 && node.output(0) == "block0_gelu") node.set_output(0, "hidden");
  }
  spell(proto);
  return obstacleOf(std::move(proto));
}

void addMean(ModelProto& proto, const std::string& from, std::int64_t axis, const std::string& to,
             bool keeps = true) {
  auto& mean = addNode(proto, "ReduceMean", {from}, {to});
  onnx::setAttribute(mean, "axes", Integers{axis});
  onnx::setAttribute(mean, "keepdims", std::int64_t{keeps});
}

TEST(RowFunctions, WhatIsMadeOfEachRowAlone) {
  const auto lessMean = [](std::int64_t axis) {
    return obstacleOfHidden([&](ModelProto& proto) {
      addMean(proto, "hidden", axis, "mean");
      addNode(proto, "Sub", {"hidden", "mean"}, {"block0_gelu"});
    });
  };
  const std::string other = "block 1: not supported: what comes before its attention";
  EXPECT_EQ(lessMean(-1), "");
  EXPECT_EQ(lessMean(2), "");
  EXPECT_EQ(lessMean(1), "") << "a mean over all rows, each as often as it was merged";
  const auto timesConstant = [](const Integers& dims) {
    return obstacleOfHidden([&](ModelProto& proto) {
      addSome(proto, "constant", dims);
      addNode(proto, "Max", {"hidden", "constant"}, {"block0_gelu"});
    });
  };
  EXPECT_EQ(timesConstant({8}), "");
  EXPECT_EQ(timesConstant({1, 1, 8}), "");
  EXPECT_EQ(timesConstant({}), "");
  EXPECT_EQ(timesConstant({kVitRows, 1}).find(other), 0U) << "another one for each row";
  EXPECT_EQ(timesConstant({kVitRows, 8}).find(other), 0U);
}

// OpenCV would be told to reshape it to all rows, of which fewer are live.
TEST(RowFunctions, OfWhatHasAVectorBesideItNoSizeIsSaid) {
  auto proto = smallVit(2);
  for (auto& node : *proto.mutable_graph()->mutable_node()) {
    if (node.output_size() == 1 && node.output(0) == "block0_gelu") node.set_output(0, "hidden");
  }
  addSome(proto, "vector", {8});
  addNode(proto, "Mul", {"hidden", "vector"}, {"scaled"});
  addNode(proto, "Tanh", {"scaled"}, {"bent"});
  addMean(proto, "bent", 2, "mean");
  addNode(proto, "Sub", {"bent", "mean"}, {"block0_gelu"});
  const Looked looked(std::move(proto));
  const onnx::Translation translation = onnx::translate(looked.facts(), {});
  ASSERT_EQ(translation.encoder.obstacle, "");
  Strings told;
  for (const auto& [blob, value] : translation.plan.alike) told.push_back(value);
  EXPECT_EQ(std::count(told.begin(), told.end(), "scaled"), 0);
  EXPECT_NE(std::count(told.begin(), told.end(), "mean"), 0) << "whose spreading has to be known";
}

TEST(RowFunctions, ANumberOfEachRowIsSpreadOverItsFeaturesAlone) {
  const auto spread = [](const Integers& sizes, std::int64_t axis) {
    return obstacleOfHidden([&](ModelProto& proto) {
      addMean(proto, "hidden", axis, "mean");
      addIntegers(proto, "sizes", sizes);
      addNode(proto, "Expand", {"mean", "sizes"}, {"spread"});
      addNode(proto, "Div", {"hidden", "spread"}, {"block0_gelu"});
    });
  };
  EXPECT_EQ(spread({1, 1, 8}, 2), "");
  EXPECT_EQ(spread({1, kVitRows, 1}, 1).find("block 1: not supported"), 0U) << "over the rows";
}

// A condition, or what is made of all rows together.
TEST(RowFunctions, WhatIsOneForAllRowsOfAnImage) {
  const auto times = [](const Integers& dims) {
    return obstacleOfHidden([&](ModelProto& proto) {
      addInput(proto, "condition", dims);
      addNode(proto, "Mul", {"hidden", "condition"}, {"block0_gelu"});
    });
  };
  EXPECT_EQ(times({-1, 1, 8}), "");
  EXPECT_EQ(times({-1, 1, 1}), "");
  const std::string other = "block 1: not supported: what comes before its attention";
  EXPECT_EQ(times({-1, kVitRows, 8}).find(other), 0U) << "another one for each row";
  EXPECT_EQ(times({-1, kVitRows, 1}).find(other), 0U);
  const auto timesMean = [](bool keeps) {
    return obstacleOfHidden([&](ModelProto& proto) {
      addMean(proto, "hidden", 1, "mean", keeps);
      addNode(proto, "Mul", {"hidden", "mean"}, {"block0_gelu"});
    });
  };
  EXPECT_EQ(timesMean(true), "");
}

TEST(RowFunctions, SomeOfEachRowsFeatures) {
  const auto part = [](std::int64_t axis, std::int64_t begin, std::int64_t end) {
    return obstacleOfHidden([&](ModelProto& proto) {
      addSlice(proto, "hidden", axis, begin, end, "part");
      addNode(proto, "Mul", {"hidden", "part"}, {"block0_gelu"});
    });
  };
  EXPECT_EQ(part(2, 3, 4), "");
  EXPECT_EQ(part(-1, 7, 8), "");
  EXPECT_EQ(obstacleOfHidden([](ModelProto& proto) {
              addIntegers(proto, "sizes", {1, 7});
              auto& split = addNode(proto, "Split", {"hidden", "sizes"}, {"first", "others"});
              onnx::setAttribute(split, "axis", std::int64_t{-1});
              addNode(proto, "Sub", {"hidden", "first"}, {"block0_gelu"});
            }),
            "");
}

}  // namespace
}  // namespace mpm::test
