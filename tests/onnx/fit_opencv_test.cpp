// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/fit_opencv.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/graph/tensor.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using onnx::Model;

// Whether a merge may shorten its tokens in OpenCV 5, where a node of this type reads them, and
// another what was restored.
bool mayShorten(const std::string& reader, const std::string& last = "Relu") {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 5, 4});
  addNode(proto, "mpm.MutualPairMerge", {"image"}, {"tokens", "rows", "map"});
  addNode(proto, reader, {"tokens"}, {"read"});
  addNode(proto, "mpm.MergeRestore", {"read", "map"}, {"full"});
  for (auto& each : *proto.mutable_graph()->mutable_node()) {
    if (each.op_type().starts_with("mpm.")) onnx::setAttribute(each, "special", std::int64_t{1});
  }
  addNode(proto, last, {"full"}, {"last"});
  addOutput(proto, "last");
  Model model(std::move(proto));
  onnx::fitOpenCv5(model);
  return onnx::intAttribute(*model.producer("tokens"), "short").has_value();
}

TEST(FitOpenCv, MergesShortenTokensWhereNoLayerOfOpenCvsReadsThem) {
  EXPECT_TRUE(mayShorten("mpm.TransformerBlock"));
  EXPECT_FALSE(mayShorten("Relu"));
  for (const char* ofPlanes : {"mpm.Upsample", "mpm.Convolve"})
    EXPECT_TRUE(mayShorten("mpm.TransformerBlock", ofPlanes)) << ofPlanes;
}

TEST(FitOpenCv, AReshapeWithAZeroIsPutApartFromAnother) {
  auto proto = emptyModel();
  addInput(proto, "image", {2, 8, 3});
  const auto addDims = [&](const char* name, const std::vector<std::int64_t>& dims) {
    *proto.mutable_graph()->add_initializer() =
        onnx::integerTensor(name, {static_cast<std::int64_t>(dims.size())}, dims);
  };
  addDims("turned", {8, 2, 3});
  addDims("zero", {0, 0, 3, 1});
  addDims("whole", {8, 6});
  addNode(proto, "Reshape", {"image", "zero"}, {"first"});
  addNode(proto, "Reshape", {"image", "turned"}, {"other"});
  addNode(proto, "Reshape", {"other", "zero"}, {"second"});
  addNode(proto, "Reshape", {"other", "whole"}, {"third"});
  for (const char* name : {"first", "second", "third"}) addOutput(proto, name);
  Model model(std::move(proto));
  onnx::fitOpenCv5(model);
  EXPECT_EQ(model.producer("first")->input(0), "image");
  EXPECT_EQ(model.producer("third")->input(0), "other");
  const auto* between = model.producer(model.producer("second")->input(0));
  EXPECT_EQ(between->op_type(), "Identity");
  EXPECT_EQ(between->input(0), "other");
}

TEST(FitOpenCv, NormsBehindAConvolutionAloneMayBeFoldedIntoIt) {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 2, 4, 4});
  addConstant(proto, "weight", {2, 2, 1, 1}, {1, 0, 0, 1});
  for (const char* name : {"scale", "shift", "mean", "variance"})
    addConstant(proto, name, {2}, {1, 2});
  addNode(proto, "Conv", {"image", "weight"}, {"planes"});
  addNode(proto, "BatchNormalization", {"planes", "scale", "shift", "mean", "variance"}, {"even"});
  addNode(proto, "Sigmoid", {"even"}, {"bent"});
  for (const char* name : {"one", "other"}) {
    addNode(proto, "BatchNormalization", {"bent", "scale", "shift", "mean", "variance"}, {name});
    addOutput(proto, name);
  }
  Model model(std::move(proto));
  onnx::fitOpenCv5(model);
  EXPECT_EQ(model.producer("even")->input(0), "planes");
  std::set<std::string> between;
  for (const char* name : {"one", "other"}) {
    const auto* node = model.producer(model.producer(name)->input(0));
    EXPECT_EQ(node->op_type(), "Identity");
    EXPECT_EQ(node->input(0), "bent");
    between.insert(node->output(0));
  }
  EXPECT_EQ(between.size(), 2);
}

TEST(FitOpenCv, WhatATanhReadsIsBoundedForOpenCv5) {
  auto proto = emptyModel();
  addInput(proto, "image", {1, 3, 8, 8});
  addNode(proto, "Tanh", {"image"}, {"y"});
  addOutput(proto, "y");
  Model model(std::move(proto));
  onnx::fitOpenCv5(model);
  const auto* bounded = model.producer(model.producer("y")->input(0));
  ASSERT_NE(bounded, nullptr);
  EXPECT_EQ(bounded->op_type(), "Clip");
  EXPECT_EQ(bounded->input(0), "image");
  EXPECT_EQ(onnx::floatAttribute(*bounded, "min"), -10);
  EXPECT_EQ(onnx::floatAttribute(*bounded, "max"), 10);
}

// Beside a picture, whose own name stays.
TEST(FitOpenCv, OpenCv4GetsShortInputsWithoutTheNameOfTheirBatch) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 3, 8, 8});
  addInput(proto, "sizes", {-1, 2});
  addNode(proto, "Relu", {"image"}, {"a"});
  addNode(proto, "Relu", {"sizes"}, {"b"});
  addOutput(proto, "a");
  addOutput(proto, "b");
  onnx::Model model(std::move(proto));
  onnx::fitOpenCv4(model);
  EXPECT_EQ(model.inputs()[0].dims[0].symbol, "batch");
  EXPECT_EQ(model.inputs()[1].dims[0].symbol, "");
  EXPECT_FALSE(model.inputs()[1].dims[0].isKnown());
  EXPECT_EQ(model.inputs()[1].dims[1].size, 2);
}

// OpenCV 5 would take them in their own type alone, and OpenCV 4 takes float32.
TEST(FitOpenCv, InputsOfWholeNumbersAreFloatsForOpenCv5WithACastBehind) {
  using ::onnx::TensorProto;
  auto proto = emptyModel();
  for (const char* name : {"image", "ids", "mask", "given"}) addInput(proto, name, {1, 4});
  const auto setType = [&](int input, int type) {
    proto.mutable_graph()
        ->mutable_input(input)
        ->mutable_type()
        ->mutable_tensor_type()
        ->set_elem_type(type);
  };
  setType(1, TensorProto::INT64);
  setType(2, TensorProto::BOOL);
  setType(3, TensorProto::INT32);
  addNode(proto, "Where", {"mask", "image", "image"}, {"masked"});
  addNode(proto, "Neg", {"ids"}, {"turned"});
  for (const char* name : {"masked", "turned", "given"}) addOutput(proto, name);
  Model model(std::move(proto));
  onnx::fitOpenCv5(model);
  const auto type = [&](int input) {
    return model.proto().graph().input(input).type().tensor_type().elem_type();
  };
  for (const int input : {0, 1, 2, 3}) EXPECT_EQ(type(input), TensorProto::FLOAT) << input;
  for (const auto& [made, source, whole] : {std::tuple("turned", "ids", TensorProto::INT64),
                                            std::tuple("masked", "mask", TensorProto::BOOL)}) {
    const auto* cast = model.producer(model.producer(made)->input(0));
    ASSERT_NE(cast, nullptr) << made;
    EXPECT_EQ(cast->op_type(), "Cast");
    EXPECT_EQ(cast->input(0), source);
    EXPECT_EQ(onnx::intAttribute(*cast, "to"), whole);
  }
  EXPECT_EQ(model.producer("masked")->input(1), "image");
}

TEST(FitOpenCv, OutputsWithoutATypeGetOne) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 3, 8, 8});
  addNode(proto, "Relu", {"image"}, {"a"});
  addNode(proto, "Exp", {"image"}, {"b"});
  proto.mutable_graph()->add_output()->set_name("a");
  auto& shapeless = *proto.mutable_graph()->add_output();
  shapeless.set_name("b");
  shapeless.mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::INT64);
  for (const auto fit : {onnx::fitOpenCv4, onnx::fitOpenCv5}) {
    onnx::Model model{::onnx::ModelProto(proto)};
    fit(model);
    const auto& outputs = model.proto().graph().output();
    EXPECT_EQ(outputs[0].type().tensor_type().elem_type(), ::onnx::TensorProto::FLOAT);
    EXPECT_EQ(outputs[1].type().tensor_type().elem_type(), ::onnx::TensorProto::INT64);
    for (const auto& output : outputs) EXPECT_TRUE(output.type().tensor_type().has_shape());
  }
}

}  // namespace
}  // namespace mpm::test
