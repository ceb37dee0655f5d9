// SPDX-License-Identifier: Apache-2.0
// Which convolutions become the layer mpm.Convolve.
#include "onnx/layers/planes.h"

#include <gtest/gtest.h>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// x [-1 4 9 7] -> a Conv of `filters` -> c -> Relu -> y; both are outputs where c is asked for.
struct ConvolveCase {
  explicit ConvolveCase(const Integers& filters = {8, 4, 3, 3}) : proto(emptyModel()) {
    addInput(proto, "x", {-1, 4, 9, 7});
    std::int64_t count = 1;
    for (const std::int64_t dim : filters) count *= dim;
    addConstant(proto, "w", filters, std::vector<float>(static_cast<std::size_t>(count), 1));
    conv = &addNode(proto, "Conv", {"x", "w"}, {"c"});
    addNode(proto, "Relu", {"c"}, {"y"});
    addOutput(proto, "y");
  }

  // Types of the nodes that are left; ours with their domain.
  Strings types() {
    Model model(std::move(proto));
    const onnx::Values values(model);
    onnx::useConvolve(model, [&](const std::string& value) { return values.dims(value); });
    model.removeDead();
    Strings types;
    for (const auto* node : model.nodes()) {
      types.push_back((node->domain().empty() ? "" : node->domain() + ".") + node->op_type());
      if (node->domain() == "mpm") layer = *node;
    }
    return types;
  }

  ModelProto proto;
  onnx::Node* conv;
  onnx::Node layer;
};

const Strings kLayer = {"mpm.Convolve"}, kKept = {"Conv", "Relu"};

TEST(OnnxConvolve, WithItsRelu) {
  ConvolveCase one;
  setAttribute(*one.conv, "strides", Integers{2, 1});
  setAttribute(*one.conv, "pads", Integers{1, 2, 3, 4});
  EXPECT_EQ(one.types(), kLayer);
  EXPECT_EQ(onnx::intsAttribute(one.layer, "stride"), (Integers{2, 1}));
  EXPECT_EQ(onnx::intsAttribute(one.layer, "dilation"), (Integers{1, 1}));
  EXPECT_EQ(onnx::intsAttribute(one.layer, "padding"), (Integers{1, 2, 3, 4}));
  EXPECT_EQ(onnx::stringAttribute(one.layer, "activation"), "relu");
  EXPECT_EQ(one.layer.input_size(), 2);
  EXPECT_EQ(one.layer.output(0), "y");
}

TEST(OnnxConvolve, ASumThatOthersReadKeepsItsRelu) {
  ConvolveCase read;
  addNode(read.proto, "Neg", {"c"}, {"n"});
  addOutput(read.proto, "n");
  EXPECT_EQ(read.types(), (Strings{"mpm.Convolve", "Relu", "Neg"}));
  EXPECT_FALSE(onnx::findAttribute(read.layer, "activation"));
  ConvolveCase given;
  addOutput(given.proto, "c");
  EXPECT_EQ(given.types(), (Strings{"mpm.Convolve", "Relu"}));
}

TEST(OnnxConvolve, ABiasIsAnInput) {
  ConvolveCase biased;
  addConstant(biased.proto, "b", {8}, std::vector<float>(8, 1));
  biased.conv->add_input("b");
  EXPECT_EQ(biased.types(), kLayer);
  EXPECT_EQ(biased.layer.input(2), "b");
  ConvolveCase computed;
  addInput(computed.proto, "b", {8});
  computed.conv->add_input("b");
  EXPECT_EQ(computed.types(), kKept);
}

TEST(OnnxConvolve, OthersStay) {
  EXPECT_EQ(ConvolveCase({7, 4, 3, 3}).types(), kKept) << "few outputs";
  ConvolveCase groups({8, 2, 3, 3});
  setAttribute(*groups.conv, "group", std::int64_t{2});
  EXPECT_EQ(groups.types(), kKept);
  ConvolveCase word;
  setAttribute(*word.conv, "auto_pad", std::string("SAME_LOWER"));
  EXPECT_EQ(word.types(), kKept);
  ConvolveCase contrary;
  setAttribute(*contrary.conv, "kernel_shape", Integers{5, 5});
  EXPECT_EQ(contrary.types(), kKept) << "is refused later";
  ConvolveCase cut;
  setAttribute(*cut.conv, "pads", Integers{-1, 0, 0, 0});
  EXPECT_EQ(cut.types(), kKept);
}

}  // namespace
}  // namespace mpm::test
