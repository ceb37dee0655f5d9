// SPDX-License-Identifier: Apache-2.0
// Shapes that are computed become constants.
#include "onnx/normal_form/fold.h"

#include <gtest/gtest.h>

#include "onnx/shape_case.h"

namespace mpm::test {
namespace {

// A model over "a" in which a test makes "y" from a computed shape.
Model settled(ModelProto proto) {
  addOutput(proto, "y");
  Model model(std::move(proto));
  onnx::fold(model);
  onnx::settleReshapes(model, onnx::Values(model));
  return model;
}

// "target": the sizes of "a" at these places, then more numbers.
void addTarget(ModelProto& proto, const Integers& places, const Integers& more) {
  addNode(proto, "Shape", {"a"}, {"shape"});
  addIntegers(proto, "places", places);
  addIntegers(proto, "more", more);
  addNode(proto, "Gather", {"shape", "places"}, {"sizes"});
  onnx::setAttribute(addNode(proto, "Concat", {"sizes", "more"}, {"target"}), "axis",
                     std::int64_t{0});
}

Integers targetOf(const Model& model, int input = 1) {
  const auto constant = model.constant(model.producer("y")->input(input));
  return constant ? constant->integers() : kNothing;
}

Integers settledReshape(const Integers& data, const Integers& places, const Integers& more,
                        std::int64_t allowZero = 0) {
  auto proto = opsetModel(17, {data});
  addTarget(proto, places, more);
  onnx::setAttribute(addNode(proto, "Reshape", {"a", "target"}, {"y"}), "allowzero", allowZero);
  return targetOf(settled(std::move(proto)));
}

TEST(OnnxSettle, ReshapeWithOneOpenSize) {
  EXPECT_EQ(settledReshape({kOpen, 3, 8}, {0, 1}, {2, 4}), (Integers{-1, 3, 2, 4}));
  EXPECT_EQ(settledReshape({3, kOpen, 8}, {1}, {24}), (Integers{-1, 24}));
  EXPECT_EQ(settledReshape({kOpen, 3, 8}, {0}, {-1}), (Integers{-1, 24}));
}

TEST(OnnxSettle, ReshapeWithMoreOpenSizes) {
  auto proto = opsetModel(17, {{kOpen, 3, 8}});
  auto* size = proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  size->mutable_shape()->mutable_dim(1)->set_dim_param("height");
  ModelProto crossed = proto;
  addTarget(proto, {0, 1}, {2, 4});
  addNode(proto, "Reshape", {"a", "target"}, {"y"});
  EXPECT_EQ(targetOf(settled(std::move(proto))), (Integers{0, 0, 2, 4}));
  addTarget(crossed, {1, 0}, {2, 4});
  addNode(crossed, "Reshape", {"a", "target"}, {"y"});
  EXPECT_EQ(targetOf(settled(std::move(crossed))), kNothing);
}

TEST(OnnxSettle, ReshapeOfNothingStays) {
  EXPECT_EQ(settledReshape({kOpen, 0}, {0}, {0}), kNothing);
}

TEST(OnnxSettle, TheNodesOfATargetGo) {
  auto proto = opsetModel(17, {{kOpen, 3, 8}});
  addTarget(proto, {0}, {24});
  addNode(proto, "Reshape", {"a", "target"}, {"y"});
  const Model model = settled(std::move(proto));
  EXPECT_EQ(model.nodes().size(), 1u);
  EXPECT_EQ(model.producer("y")->name(), "y_node");
}

TEST(OnnxSettle, ExpandToTheSizeThatIsThere) {
  auto proto = opsetModel(17, {{kOpen, 1}});
  addTarget(proto, {0}, {6});
  addNode(proto, "Expand", {"a", "target"}, {"y"});
  EXPECT_EQ(targetOf(settled(std::move(proto))), (Integers{1, 6}));
}

TEST(OnnxSettle, ExpandToAnOpenSizeStays) {
  auto proto = opsetModel(17, {{kOpen, 6}});
  addConstant(proto, "token", {1, 6}, std::vector<float>(6));
  addTarget(proto, {0}, {6});
  addNode(proto, "Expand", {"token", "target"}, {"y"});
  EXPECT_EQ(targetOf(settled(std::move(proto))), kNothing);
}

Model resized(const Integers& to) {
  auto proto = opsetModel(17, {{kOpen, 3, 4, 5}});
  addTarget(proto, {0, 1}, to);
  addNode(proto, "Resize", {"a", "", "", "target"}, {"y"});
  return settled(std::move(proto));
}

TEST(OnnxSettle, ResizeBySizes) {
  const Model model = resized({8, 15});
  ASSERT_EQ(model.producer("y")->input_size(), 3);
  const auto scales = model.constant(model.producer("y")->input(2))->floats();
  EXPECT_EQ(std::vector<float>(scales.begin(), scales.end()), (std::vector<float>{1, 1, 2, 3}));
}

TEST(OnnxSettle, ResizeBySizesThatNoScaleGives) {
  for (std::int64_t width = 1; width < 200; ++width) {
    const Model model = resized({8, width});
    if (model.producer("y")->input_size() == 4) continue;
    const float scale = model.constant(model.producer("y")->input(2))->floats()[3];
    EXPECT_EQ(static_cast<std::int64_t>(scale * 5), width);
    EXPECT_EQ(static_cast<std::int64_t>(static_cast<double>(scale) * 5), width);
  }
}

TEST(OnnxSettle, AnExpandToItsOwnSizesGoes) {
  const auto kinds = [](const Integers& places) {
    auto proto = opsetModel(17, {{kOpen, 3, 8}});
    addTarget(proto, places, {3, 8});
    addNode(proto, "Expand", {"a", "target"}, {"spread"});
    addNode(proto, "Relu", {"spread"}, {"y"});
    Strings types;
    const Model model = settled(std::move(proto));
    for (const auto* node : model.nodes()) types.push_back(node->op_type());
    return types;
  };
  EXPECT_EQ(kinds({0}), (Strings{"Relu"}));
  EXPECT_EQ(kinds({0, 0}), (Strings{"Shape", "Gather", "Concat", "Expand", "Relu"}));
}

}  // namespace
}  // namespace mpm::test
