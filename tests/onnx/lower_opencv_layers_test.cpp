// SPDX-License-Identifier: Apache-2.0
// Layers that OpenCV 4.6 reads in one form only.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

TEST(OnnxLowerOpenCvLayers, GemmIsMatMulUnlessItsWeightsAreTurned) {
  auto proto = modelFromX({-1, 2});
  addConstant(proto, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  addScalar(proto, "b", 7);
  auto& node = addNode(proto, "Gemm", {"x", "w", "b"}, {"y"});
  setAttribute(node, "beta", 2.0F);
  const Model model = forOpenCv(proto);
  EXPECT_EQ(typesOf(model), (Strings{"MatMul", "Add"}));
  EXPECT_EQ(model.nodes()[0]->input(1), "w");
  EXPECT_EQ(floatsRead(model, "Add", 1), (std::vector<float>{14, 14, 14}));

  auto turned = modelFromX({-1, 3});
  addConstant(turned, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  addConstant(turned, "b", {2}, {1, 2});
  auto& gemm = addNode(turned, "Gemm", {"x", "w", "b"}, {"y"});
  setAttribute(gemm, "transB", std::int64_t{1});
  EXPECT_EQ(forOpenCv(turned).nodes()[0]->input(2), "b") << "as it was";
  setAttribute(*turned.mutable_graph()->mutable_node(0), "alpha", 0.5F);
  EXPECT_EQ(typesOf(forOpenCv(turned)), (Strings{"Mul", "Gemm"}));
}

TEST(OnnxLowerOpenCvLayers, ConstantOnTheLeftIsTurned) {
  auto proto = modelFromX({1, 3, 4});
  addConstant(proto, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  addNode(proto, "MatMul", {"w", "x"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Transpose", "MatMul", "Transpose"}));
  EXPECT_EQ(floatsRead(model, "MatMul", 1), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(OnnxLowerOpenCvLayers, MoreConstantsThanFitAreRefused) {
  auto proto = modelFromX({1, 1024, 1});
  addConstant(proto, "w", {1024, 1024}, std::vector<float>(1 << 20, 1.0F));
  std::string value = "x";
  for (int i = 0; i < 66; ++i) {
    const std::string made = i == 65 ? "y" : "product_" + std::to_string(i);
    addNode(proto, "MatMul", {"w", value}, {made});
    value = made;
  }
  try {
    forOpenCv(std::move(proto));
    ADD_FAILURE() << "left as it is, which OpenCV misreads";
  } catch (const onnx::ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("exceed 256 MB"), std::string::npos) << error.what();
  }
}

TEST(OnnxLowerOpenCvLayers, ProductsOfValuesKeepWhatFollows) {
  auto proto = modelFromX({1, 2, 4, 4});
  addScalar(proto, "scale", 0.5F);
  addNode(proto, "MatMul", {"x", "x"}, {"scores"});
  addNode(proto, "Mul", {"scores", "scale"}, {"y"});
  EXPECT_EQ(typesOf(forOpenCv(std::move(proto))), (Strings{"MatMul", "Reshape", "Mul"}));
}

TEST(OnnxLowerOpenCvLayers, ConvNamesItsKernel) {
  auto proto = modelFromX({1, 2, 4, 4});
  addConstant(proto, "w", {1, 2, 1, 3}, std::vector<float>(6, 1));
  addNode(proto, "Conv", {"x", "w"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[0], "kernel_shape"), (Integers{1, 3}));
}

// OpenCV 4.6 multiplies the weights by it once more whenever the input has another shape.
TEST(OnnxLowerOpenCvLayers, ANormBehindATurnedConvIsInItsWeights) {
  const auto normed = [](int groups, bool isUsedTwice) {
    auto proto = modelFromX({-1, 2, 4, 4});
    addConstant(proto, "w", {2, 2 / groups, 1, 1},
                groups == 1 ? std::vector<float>{1, 2, 3, 4} : std::vector<float>{1, 2});
    addConstant(proto, "b", {2}, {1, 2});
    addConstant(proto, "scale", {2}, {10, 100});
    addConstant(proto, "shift", {2}, {5, 6});
    addConstant(proto, "mean", {2}, {1, 1});
    addConstant(proto, "variance", {2}, {3, 15});
    auto& conv = addNode(proto, "ConvTranspose", {"x", "w", "b"}, {"c"});
    setAttribute(conv, "group", std::int64_t{groups});
    auto& norm = addNode(proto, "BatchNormalization", {"c", "scale", "shift", "mean", "variance"},
                         {isUsedTwice ? "n" : "y"});
    setAttribute(norm, "epsilon", 1.0F);
    if (isUsedTwice) addNode(proto, "Add", {"n", "c"}, {"y"});
    return forOpenCv(std::move(proto));
  };
  const Model model = normed(1, false);
  ASSERT_EQ(typesOf(model), (Strings{"ConvTranspose"}));
  EXPECT_EQ(floatsRead(model, "ConvTranspose", 1), (std::vector<float>{5, 50, 15, 100}));
  EXPECT_EQ(floatsRead(model, "ConvTranspose", 2), (std::vector<float>{5, 31}));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[0], "kernel_shape"), (Integers{1, 1}));
  EXPECT_EQ(floatsRead(normed(2, false), "ConvTranspose", 1), (std::vector<float>{5, 50}));
  EXPECT_EQ(typesOf(normed(1, true)), (Strings{"ConvTranspose", "BatchNormalization", "Add"}));
}

// The importer cuts off as much on either side, and that as numbers.
TEST(OnnxLowerOpenCvLayers, WhatATurnedConvCutsOffIsASlice) {
  const auto turned = [](const char* word, const Integers& pads, const Integers& wanted) {
    auto proto = modelFromX({-1, 1, 4, 4});
    addConstant(proto, "w", {1, 1, 3, 3}, std::vector<float>(9, 1));
    auto& conv = addNode(proto, "ConvTranspose", {"x", "w"}, {"y"});
    setAttribute(conv, "strides", Integers{2, 2});
    setAttribute(conv, "auto_pad", word);
    if (!pads.empty()) setAttribute(conv, "pads", pads);
    if (!wanted.empty()) setAttribute(conv, "output_shape", wanted);
    return forOpenCv(std::move(proto));
  };
  const auto cutOf = [](const Model& model, int input) {
    return model.constant(model.nodes()[1]->input(input))->integers();
  };
  const Integers::value_type all = std::numeric_limits<std::int32_t>::max();
  const Model same = turned("SAME_UPPER", {}, {});  // 9 x 9 becomes 8 x 8
  ASSERT_EQ(typesOf(same), (Strings{"ConvTranspose", "Slice"}));
  EXPECT_FALSE(onnx::findAttribute(*same.nodes()[0], "auto_pad"));
  EXPECT_EQ(cutOf(same, 1), (Integers{0, 0}));
  EXPECT_EQ(cutOf(same, 2), (Integers{-1, -1}));
  EXPECT_EQ(cutOf(same, 3), (Integers{2, 3}));
  const Model lower = turned("SAME_LOWER", {}, {});
  EXPECT_EQ(cutOf(lower, 1), (Integers{1, 1}));
  EXPECT_EQ(cutOf(lower, 2), (Integers{all, all}));
  const Model asked = turned("NOTSET", {}, {8, 6});
  EXPECT_EQ(cutOf(asked, 1), (Integers{1, 2}));
  EXPECT_EQ(cutOf(asked, 2), (Integers{all, -1}));
  const Model uneven = turned("NOTSET", {0, 1, 2, 0}, {});
  EXPECT_EQ(cutOf(uneven, 1), (Integers{0, 1}));
  EXPECT_EQ(cutOf(uneven, 2), (Integers{-2, all}));
  const Model even = turned("NOTSET", {}, {7, 7});
  ASSERT_EQ(typesOf(even), (Strings{"ConvTranspose"}));
  EXPECT_EQ(onnx::intsAttribute(*even.nodes()[0], "pads"), (Integers{1, 1, 1, 1}));
  EXPECT_EQ(typesOf(turned("NOTSET", {}, {10, 10})), (Strings{"ConvTranspose"}));  // more than all
}

TEST(OnnxLowerOpenCvLayers, CountedPaddingIsPad) {
  auto proto = modelFromX({1, 2, 4, 4});
  auto& node = addNode(proto, "AveragePool", {"x"}, {"y"});
  setAttribute(node, "kernel_shape", Integers{3, 3});
  setAttribute(node, "pads", Integers{1, 0, 2, 0});
  setAttribute(node, "count_include_pad", std::int64_t{1});
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"Pad", "AveragePool"}));
  EXPECT_EQ(model.constant(model.nodes()[0]->input(1))->integers(),
            (Integers{0, 0, 1, 0, 0, 0, 2, 0}));
  EXPECT_FALSE(onnx::findAttribute(*model.nodes()[1], "pads"));
}

// Importers before 5.0 go by the file's producer where the node should be asked.
TEST(OnnxLowerOpenCvLayers, PaddingIsCountedByTheNodeAndNotByTheProducer) {
  const auto producerOf = [](const char* producer) {
    auto proto = modelFromX({1, 2, 4, 4});
    proto.set_producer_name(producer);
    setAttribute(addNode(proto, "AveragePool", {"x"}, {"y"}), "kernel_shape", Integers{3, 3});
    return forOpenCv(std::move(proto)).producerName();
  };
  EXPECT_EQ(producerOf("pytorch"), "mpm");
  EXPECT_EQ(producerOf("another"), "another");
}

TEST(OnnxLowerOpenCvLayers, PaddingByAWordIsWrittenInNumbers) {
  const auto padsOf = [](std::int64_t size, std::int64_t stride, const char* word) {
    auto proto = modelFromX({1, 1, size, 9});
    addConstant(proto, "w", {1, 1, 4, 1}, {1, 2, 3, 4});
    auto& node = addNode(proto, "Conv", {"x", "w"}, {"y"});
    node.add_attribute()->set_name("auto_pad");
    node.mutable_attribute(0)->set_type(::onnx::AttributeProto::STRING);
    node.mutable_attribute(0)->set_s(word);
    setAttribute(node, "strides", Integers{stride, 1});
    const Model model = forOpenCv(std::move(proto));
    EXPECT_FALSE(onnx::findAttribute(*model.nodes()[0], "auto_pad"));
    return onnx::intsAttribute(*model.nodes()[0], "pads");
  };
  EXPECT_EQ(padsOf(6, 1, "SAME_LOWER"), (Integers{2, 0, 1, 0}));
  EXPECT_EQ(padsOf(6, 1, "SAME_UPPER"), (Integers{1, 0, 2, 0}));
  EXPECT_EQ(padsOf(7, 3, "SAME_LOWER"), (Integers{2, 0, 1, 0}));
  EXPECT_EQ(padsOf(8, 4, "SAME_UPPER"), (Integers{0, 0, 0, 0}));
}

TEST(OnnxLowerOpenCvLayers, APaddedPlaceIsPaddedInFront) {
  const auto typesFor = [](const Integers& kernel, const Integers& pads) {
    auto proto = modelFromX({1, 1, 4, 4});
    addConstant(proto, "w", {1, 1, kernel[0], kernel[1]},
                std::vector<float>(static_cast<std::size_t>(kernel[0] * kernel[1]), 1));
    auto& node = addNode(proto, "Conv", {"x", "w"}, {"y"});
    setAttribute(node, "kernel_shape", kernel);
    setAttribute(node, "pads", pads);
    return typesOf(forOpenCv(std::move(proto)));
  };
  EXPECT_EQ(typesFor({1, 1}, {1, 0, 2, 0}), (Strings{"Pad", "Conv"}));
  EXPECT_EQ(typesFor({1, 1}, {0, 0, 0, 0}), (Strings{"Conv"}));
  EXPECT_EQ(typesFor({1, 3}, {0, 1, 0, 1}), (Strings{"Conv"}));
}

TEST(OnnxLowerOpenCvLayers, TapsOfEachChannelThatReachBesideTheImageArePaddedInFront) {
  struct Case {
    Integers size = {4, 6}, pads = {1, 1, 1, 1};
    std::int64_t gap = 1, group = 3, taps = 3;
    const char* autoPad = "NOTSET";
  };
  const auto typesFor = [](const Case& each) {
    auto proto = modelFromX({-1, 6, each.size[0], each.size[1]});
    const std::int64_t inputs = 6 / each.group, count = 6 * inputs * each.taps * each.taps;
    addConstant(proto, "w", {6, inputs, each.taps, each.taps},
                std::vector<float>(static_cast<std::size_t>(count), 1));
    auto& node = addNode(proto, "Conv", {"x", "w"}, {"y"});
    setAttribute(node, "kernel_shape", Integers{each.taps, each.taps});
    setAttribute(node, "group", each.group);
    setAttribute(node, "dilations", Integers{each.gap, each.gap});
    if (each.autoPad == std::string("NOTSET")) {
      setAttribute(node, "pads", each.pads);
    } else {
      setAttribute(node, "auto_pad", std::string(each.autoPad));
    }
    return typesOf(forOpenCv(std::move(proto)));
  };
  const Strings inside = {"Conv"}, inFront = {"Pad", "Conv"};
  EXPECT_EQ(typesFor({.group = 6}), inside);
  EXPECT_EQ(typesFor({.size = {1, 6}, .group = 6}), inFront);
  EXPECT_EQ(typesFor({.size = {4, 1}, .group = 6}), inFront);
  EXPECT_EQ(typesFor({.size = {1, 1}, .group = 6, .autoPad = "SAME_UPPER"}), inFront);
  EXPECT_EQ(typesFor({.size = {1, 6}, .pads = {0, 0, 0, 0}, .taps = 1}), inside);
  EXPECT_EQ(typesFor({.pads = {0, 0, 2, 0}, .group = 6}), inFront);
  EXPECT_EQ(typesFor({.gap = 2, .group = 6}), inFront);
  EXPECT_EQ(typesFor({.pads = {2, 2, 2, 2}, .gap = 2, .group = 6}), inside);
  EXPECT_EQ(typesFor({.size = {1, 6}}), inside) << "two channels to a filter";
  EXPECT_EQ(typesFor({.size = {1, 6}, .pads = {2, 2, 2, 2}, .group = 6, .taps = 5}), inside);
}

TEST(OnnxLowerOpenCvLayers, GroupsAreInstances) {
  auto proto = modelFromX({-1, 4, 3, 3});
  addConstant(proto, "scale", {2}, {1, 2});
  addConstant(proto, "shift", {4}, {1, 2, 3, 4});
  auto& node = addNode(proto, "GroupNormalization", {"x", "scale", "shift"}, {"y"});
  setAttribute(node, "num_groups", std::int64_t{2});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(typesOf(model), (Strings{"Reshape", "InstanceNormalization", "Reshape", "Mul", "Add"}));
  EXPECT_EQ(floatsRead(model, "Mul", 1), (std::vector<float>{1, 1, 2, 2}));
  EXPECT_TRUE(onnx::findAttribute(*model.nodes()[1], "epsilon"));
}

TEST(OnnxLowerOpenCvLayers, InstancesAreScaledBehindThem) {
  auto proto = modelFromX({-1, 2, 3, 3});
  addConstant(proto, "scale", {2}, {1, 2});
  addConstant(proto, "shift", {2}, {3, 4});
  addNode(proto, "InstanceNormalization", {"x", "scale", "shift"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"InstanceNormalization", "Mul", "Add"}));
  EXPECT_EQ(floatsRead(model, "InstanceNormalization", 1), (std::vector<float>{1, 1}));
  EXPECT_EQ(floatsRead(model, "Add", 1), (std::vector<float>{3, 4}));
}

}  // namespace
}  // namespace mpm::test
