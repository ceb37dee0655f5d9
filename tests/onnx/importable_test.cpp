// SPDX-License-Identifier: Apache-2.0
// What is refused before OpenCV's importer sees it, each in a sentence.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/layers/for_opencv.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

TEST(OnnxImportable, SparseConstantsAreRefused) {
  auto proto = modelFromX({-1, 2, 3, 3});
  auto& sparse = *proto.mutable_graph()->add_sparse_initializer();
  const float five = 5;
  *sparse.mutable_values() = onnx::floatTensor("few", {1}, &five);
  *sparse.mutable_indices() = onnx::integerTensor("few_places", {1}, {3});
  for (const std::int64_t size : {3, 3}) sparse.add_dims(size);
  addNode(proto, "Add", {"x", "few"}, {"y"}).set_name("sum");
  const Model model(std::move(proto));
  try {
    onnx::checkImportable(model);
    FAIL() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_EQ(std::string(error.what()),
              "node 'sum' ('Add') reads 'few', a sparse constant; please save the model with dense "
              "ones");
  }
}

// The importer reads memory that is not there.
TEST(OnnxImportable, LayersOfConstantsAreRefused) {
  auto proto = modelFromX({-1, 2, 3, 3});
  addConstant(proto, "c", {1, 2, 3, 3}, std::vector<float>(18, 1));
  addNode(proto, "MaxPool", {"c"}, {"pooled"}).set_name("pool");
  addNode(proto, "Add", {"x", "pooled"}, {"y"});
  const Model model(std::move(proto));
  try {
    onnx::checkImportable(model);
    FAIL() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "node 'pool' ('MaxPool') computes with a constant of the model, which OpenCV does not "
        "read");
  }
  auto fixed = modelFromX({-1, 2, 3, 3});
  addConstant(fixed, "c", {1, 2}, {1, 2});
  addNode(fixed, "Relu", {"x"}, {"y"});
  addNode(fixed, "Identity", {"c"}, {"classes"}).set_name("last");
  addOutput(fixed, "classes");
  try {
    onnx::checkImportable(Model(std::move(fixed)));
    FAIL() << "it was taken";
  } catch (const onnx::ModelError& error) {
    EXPECT_EQ(std::string(error.what()),
              "node 'last' ('Identity') gives the output 'classes', which is the same for every "
              "picture and which OpenCV does not read; please export the model without it");
  }
}

// What is said of a model of this one node; "taken" where nothing is.
std::string flowRefusal(const std::string& type, const std::string& domain = "", int openCv = 4,
                        const Strings& inputs = {"x"}, const char* set = nullptr) {
  auto proto = modelFromX({-1, 2, 3, 3});
  auto& node = addNode(proto, type, inputs, {"y"});
  node.set_name("n");
  node.set_domain(domain);
  if (set != nullptr) setAttribute(node, set, std::int64_t{1});
  try {
    onnx::checkFlow(Model(std::move(proto)), openCv);
  } catch (const onnx::ModelError& error) {
    return error.what();
  }
  return "taken";
}

TEST(OnnxImportable, WhatNoNetDoesIsRefusedInASentence) {
  const auto refusalOf = [](const std::string& type, int openCv) {
    return flowRefusal(type, "", openCv);
  };
  const auto sentence = [](const std::string& what, const std::string& openCv) {
    return what + ", which no net of OpenCV " + openCv +
           " does; please export the model without it";
  };
  EXPECT_EQ(refusalOf("Loop", 4),
            sentence("node 'n' ('Loop') chooses or repeats nodes while it computes", "4"));
  EXPECT_EQ(
      refusalOf("NonMaxSuppression", 4),
      sentence("node 'n' ('NonMaxSuppression') gives as many values as it finds in a frame", "4"));
  for (const char* type : {"Loop", "If", "NonMaxSuppression", "NonZero", "Unique"})
    EXPECT_EQ(refusalOf(type, 5), "taken") << type;
  EXPECT_EQ(refusalOf("Scan", 5),
            sentence("node 'n' ('Scan') chooses or repeats nodes while it computes", "5"));
  for (const int openCv : {4, 5}) {
    EXPECT_EQ(refusalOf("SequenceConstruct", openCv),
              sentence("node 'n' ('SequenceConstruct') holds a list of tensors, or one that may be "
                       "missing",
                       std::to_string(openCv)));
    EXPECT_EQ(
        refusalOf("RandomUniformLike", openCv),
        sentence("node 'n' ('RandomUniformLike') draws random numbers", std::to_string(openCv)));
  }
}

TEST(OnnxImportable, OperatorsThatAreNotComputedAreNamed) {
  for (const std::string type : {"LSTM", "RoiAlign", "BitwiseAnd", "QLinearMatMul"}) {
    EXPECT_EQ(flowRefusal(type, ""), "node 'n' ('" + type +
                                         "') is an operator that is not computed here; "
                                         "cv::dnn::readNetFromONNX may read the model, without "
                                         "merging");
  }
  EXPECT_EQ(flowRefusal("MatMulNBits", "com.microsoft"),
            "node 'n' ('MatMulNBits') is of a kind of quantised file that is not read here; please "
            "quantise with QuantizeLinear and DequantizeLinear (QDQ)");
}

TEST(OnnxImportable, AttentionThatIsNotWrittenOutIsRefusedInASentence) {
  const auto refusalOf = [](const std::string& type, const std::string& domain, const char* set,
                            const Strings& inputs) {
    return flowRefusal(type, domain, 4, inputs, set);
  };
  const std::string end = "; please export the model with attention written out, for one size";
  const Strings plain = {"x", "x", "x"};
  EXPECT_EQ(refusalOf("Attention", "", "is_causal", plain),
            "node 'n' ('Attention') is causal, over rows whose number the file leaves open" + end);
  EXPECT_EQ(refusalOf("Attention", "", nullptr, {"x", "x", "x", "", "x", "x"}),
            "node 'n' ('Attention') attends to keys of earlier calls" + end);
  EXPECT_EQ(
      refusalOf("GroupQueryAttention", "com.microsoft", nullptr, plain),
      "node 'n' ('GroupQueryAttention') is attention of the kind that language models use" + end);
  EXPECT_EQ(refusalOf("Attention", "com.microsoft", nullptr, plain), "taken")
      << "later versions of OpenCV read some of them";
}

TEST(OnnxImportable, WhatTheImporterWouldCrashOfIsRefused) {
  const auto refusalOf = [](ModelProto proto) -> std::string {
    try {
      onnx::checkImportable(Model(std::move(proto)));
    } catch (const onnx::ModelError& error) {
      return error.what();
    }
    return "taken";
  };
  const auto convolution = [](const Integers& weight, const Integers& bias) {
    const auto count = [](const Integers& dims) {
      std::int64_t product = 1;
      for (const auto dim : dims) product *= dim;
      return static_cast<std::size_t>(product);
    };
    auto proto = modelFromX({-1, 2, 4, 4});
    addConstant(proto, "w", weight, std::vector<float>(count(weight), 1));
    addConstant(proto, "b", bias, std::vector<float>(count(bias), 1));
    addNode(proto, "Conv", {"x", "w", "b"}, {"y"});
    return proto;
  };
  EXPECT_EQ(refusalOf(convolution({3, 2, 1, 1}, {3})), "taken");
  EXPECT_NE(refusalOf(convolution({3, 2}, {3})).find("has weights that are no"), std::string::npos);
  EXPECT_NE(refusalOf(convolution({3, 2, 1, 1}, {2})).find("has a bias that is no"),
            std::string::npos);
  auto still = convolution({3, 2, 1, 1}, {3});
  setAttribute(*still.mutable_graph()->mutable_node(0), "strides", Integers{0, 1});
  EXPECT_NE(refusalOf(std::move(still)).find("strides"), std::string::npos);
  auto far = modelFromX({-1, 2, 4, 4});
  setAttribute(addNode(far, "Split", {"x"}, {"y", "z"}), "axis", std::int64_t{1} << 30);
  EXPECT_NE(refusalOf(std::move(far)).find("an axis that its input does not have"),
            std::string::npos);
}

}  // namespace
}  // namespace mpm::test
