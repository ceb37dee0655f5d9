// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/for_opencv.h"

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
  EXPECT_FALSE(mayShorten("mpm.Subgraph")) << "planned anew for each number of rows";
  for (const char* ofPlanes : {"mpm.Upsample", "mpm.Convolve"})
    EXPECT_TRUE(mayShorten("mpm.TransformerBlock", ofPlanes)) << ofPlanes;
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
