// SPDX-License-Identifier: Apache-2.0
// What stays for OpenCV, and in which spelling.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

TEST(ForOpenCv, ConvNamesItsKernel) {
  auto proto = modelFromX({1, 2, 4, 4});
  addConstant(proto, "w", {1, 2, 1, 3}, std::vector<float>(6, 1));
  addNode(proto, "Conv", {"x", "w"}, {"y"});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(onnx::intsAttribute(*model.nodes()[0], "kernel_shape"), (Integers{1, 3}));
}

// The importer cuts off as much on either side, and that as numbers.
TEST(ForOpenCv, WhatATurnedConvCutsOffIsASlice) {
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

// Importers before 5.0 go by the file's producer where the node should be asked.
TEST(ForOpenCv, PaddingIsCountedByTheNodeAndNotByTheProducer) {
  const auto producerOf = [](const char* producer) {
    auto proto = modelFromX({1, 2, 4, 4});
    proto.set_producer_name(producer);
    setAttribute(addNode(proto, "AveragePool", {"x"}, {"y"}), "kernel_shape", Integers{3, 3});
    return forOpenCv(std::move(proto)).producerName();
  };
  EXPECT_EQ(producerOf("pytorch"), "mpm");
  EXPECT_EQ(producerOf("another"), "another");
}

TEST(ForOpenCv, PaddingByAWordIsWrittenInNumbers) {
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

TEST(ForOpenCv, APaddedPlaceIsPaddedInFront) {
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

TEST(ForOpenCv, TapsOfEachChannelThatReachBesideTheImageArePaddedInFront) {
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

// A node of this type, of planes [B, 2, 4, 4] or what stands in front of it.
bool staysForOpenCv(const std::string& type, const std::string& before = "",
                    const std::function<void(onnx::Node&)>& change = {}) {
  auto proto = modelFromX({-1, 2, 4, 4});
  addConstant(proto, "w", {2, 2, 1, 1}, {1, 2, 3, 4});
  const bool isConv = before == "Conv" || before == "ConvTranspose";
  if (!before.empty()) addNode(proto, before, isConv ? Strings{"x", "w"} : Strings{"x"}, {"a"});
  const std::string from = before.empty() ? "x" : "a";
  auto& node = addNode(proto, type, type == "Conv" ? Strings{from, "w"} : Strings{from}, {"y"});
  if (change) change(node);
  const Model model(std::move(proto));
  return onnx::isForOpenCv(model, *model.nodes().back());
}

TEST(ForOpenCv, ConvolutionsPoolsAndWhatTheyTakeIn) {
  EXPECT_TRUE(staysForOpenCv("Conv"));
  EXPECT_TRUE(staysForOpenCv("Relu", "Conv"));
  EXPECT_TRUE(staysForOpenCv("Sigmoid", "ConvTranspose"));
  EXPECT_TRUE(staysForOpenCv("GlobalAveragePool"));
  for (const char* type : {"Relu", "Sigmoid", "Softmax", "Exp", "Identity"}) {
    EXPECT_FALSE(staysForOpenCv(type)) << type;
    EXPECT_FALSE(staysForOpenCv(type, "MaxPool")) << type;
  }
  EXPECT_FALSE(staysForOpenCv("Tanh", "Conv"));
}

TEST(ForOpenCv, PoolsOfWindowsThatLieInThePicture) {
  struct Case {
    const char* type;
    const char* attribute;
    std::int64_t value;
    bool isPadded, stays;
  };
  for (const Case& each :
       {Case{"MaxPool", "ceil_mode", 0, true, true}, Case{"MaxPool", "ceil_mode", 1, false, false},
        Case{"AveragePool", "count_include_pad", 0, true, true},
        Case{"AveragePool", "count_include_pad", 1, false, true},
        Case{"AveragePool", "count_include_pad", 1, true, false}}) {
    EXPECT_EQ(staysForOpenCv(each.type, "",
                             [&](onnx::Node& node) {
                               setAttribute(node, "kernel_shape", Integers{3, 3});
                               setAttribute(node, each.attribute, each.value);
                               if (each.isPadded) setAttribute(node, "pads", Integers{1, 0, 1, 0});
                             }),
              each.stays)
        << each.type << " " << each.attribute << " " << each.value;
  }
  const auto withWindow = [](const char* name, const auto& value) {
    return staysForOpenCv("MaxPool", "", [&](onnx::Node& node) {
      setAttribute(node, "kernel_shape", Integers{3, 3});
      setAttribute(node, name, value);
    });
  };
  EXPECT_FALSE(withWindow("auto_pad", std::string("SAME_UPPER")));
  EXPECT_FALSE(withWindow("dilations", Integers{2, 2}));
  EXPECT_FALSE(withWindow("kernel_shape", Integers{3})) << "of rows";
}

TEST(ForOpenCv, ALinearLayerOfConstantWeightsAndBias) {
  const auto stays = [](const char* attribute, const auto& value, std::size_t bias) {
    auto proto = modelFromX({-1, 3});
    addConstant(proto, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
    addConstant(proto, "b", {static_cast<std::int64_t>(bias)}, std::vector<float>(bias, 1));
    auto& node = addNode(proto, "Gemm", {"x", "w", "b"}, {"y"});
    setAttribute(node, "transB", std::int64_t{1});
    setAttribute(node, attribute, value);
    const Model model(std::move(proto));
    return onnx::isForOpenCv(model, *model.nodes()[0]);
  };
  EXPECT_TRUE(stays("alpha", 1.0F, 2));
  EXPECT_FALSE(stays("alpha", 0.5F, 2));
  EXPECT_FALSE(stays("beta", 2.0F, 2));
  EXPECT_FALSE(stays("transA", std::int64_t{1}, 2));
  EXPECT_FALSE(stays("transB", std::int64_t{0}, 2));
  EXPECT_FALSE(stays("alpha", 1.0F, 1)) << "one number for all";
}

TEST(ForOpenCv, WhatPassesValuesOnGoes) {
  auto proto = modelFromX({2, 5, 8});
  addScalar(proto, "ratio", 0.5F);
  addNode(proto, "Identity", {"x"}, {"a"});
  addNode(proto, "Relu", {"a"}, {"b"});
  addNode(proto, "Dropout", {"b", "ratio"}, {"y", "mask"});
  const Model model = forOpenCv(std::move(proto));
  EXPECT_EQ(typesOf(model), Strings{"Relu"});
  EXPECT_TRUE(model.isOutput("y"));
  EXPECT_EQ(model.producer("y")->input(0), "x");
}

}  // namespace
}  // namespace mpm::test
