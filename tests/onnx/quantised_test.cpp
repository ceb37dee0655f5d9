// SPDX-License-Identifier: Apache-2.0
// Weights and values of whole numbers with scales are what they stand for; nothing is rounded that
// the file does not hold rounded. Whole models are among those of tests/models.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "onnx/graph/model.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

// 8 x 12 whole numbers from `low` on.
std::string whole(const std::string& type, int low) {
  std::string text = type + "(8, 12){";
  for (int i = 0; i < 96; ++i) text += std::to_string(low + i * 37 % 101) + " ";
  return text + "}";
}

// The hidden layer of the first block, with these weights, or what they stand for.
std::string dequantised(const std::string& weight, const std::string& end) {
  return "b0.fc1.product = MatMul(b0.norm2, d); d = DequantizeLinear(" + weight + ", " + end;
}
std::string real(const std::string& weight, const std::string& zero, const std::string& scale) {
  return "b0.fc1.product = MatMul(b0.norm2, d); c = Cast(w) to=1; w = " + weight + "; l = Sub(c, " +
         zero + "); d = Mul(l, " + scale + ")";
}

TEST(Quantised, WeightsHaveAScaleEachOrOneOrOneABlock) {
  const std::string bytes = whole("uint8", 30), chars = whole("int8", -50);
  const std::string rounded = "b0.fc1.product = MatMul(b0.norm2, d); w = some(8, 12)#w\n";
  expectAll(
      vit(),
      {{"one for all", dequantised(bytes, "0.02, uint8(){80})"), "", real(bytes, "80.0", "0.02")},
       {"no zero", dequantised(chars, "0.02)"), "", real(chars, "0.0", "0.02")},
       {"one for each column", dequantised(chars, "some(12)#s) axis=1"), "",
        real(chars, "0.0", "some(12)#s")},
       {"one for each row", dequantised(chars, "some(8)#s) axis=0"), "",
        real(chars, "0.0", "t") + "; t = Reshape(some(8)#s, [8, 1])"},
       {"one for a block of rows", dequantised(chars, "some(2, 12)#s) axis=0 block_size=4"), "",
        real(chars, "0.0", "t") + "; u = Unsqueeze(some(2, 12)#s, [1]); e = Expand(u, [2, 4, 12]); "
                                  "t = Reshape(e, [8, 12])"},
       {"reals that are rounded",
        rounded +
            "q = QuantizeLinear(w, 0.25, int8(){2}); d = DequantizeLinear(q, 0.25, int8(){2})",
        "", rounded + "a = Div(w, 0.25); r = Round(a); d = Mul(r, 0.25)"},
       {"reals that are cut off",
        rounded +
            "q = QuantizeLinear(w, 0.001, int8(){0}); d = DequantizeLinear(q, 0.001, int8(){0})",
        "",
        rounded + "a = Div(w, 0.001); r = Round(a); k = Clip(r, -128.0, 127.0); d = Mul(k, 0.001)"},
       {"a table whose columns are moved",
        "q = Gather(" + chars +
            ", int32(12){1 0 3 2 5 4 7 6 9 8 11 10}) axis=1\n"
            "d = DequantizeLinear(q, 0.02); b0.fc1.product = MatMul(b0.norm2, d)",
        "",
        real(chars, "0.0", "0.02") +
            "; m = Gather(d, int32(12){1 0 3 2 5 4 7 6 9 8 11 10}) axis=1\n"
            "b0.fc1.product = MatMul(b0.norm2, m)"},
       {"products of whole numbers",
        "q, s, z = DynamicQuantizeLinear(b0.norm2)\n"
        "p = MatMulInteger(q, " +
            chars +
            ", z, int8(){1}); c = Cast(p) to=1; t = Mul(s, some(12)#s)\n"
            "b0.fc1.product = Mul(c, t)",
        "", real(chars, "1.0", "some(12)#s")}});
}

TEST(Quantised, ValuesPassThroughButForWhatTheyCutOff) {
  const auto passed = [](const std::string& zero, const std::string& from = "b0.fc1",
                         const std::string& to = "b0.gelu") {
    return "q = QuantizeLinear(" + from + ", 0.5, " + zero + "); t = Reshape(q, [0, 7, -1])\n" +
           to + " = DequantizeLinear(t, 0.5, " + zero + ")";
  };
  const std::string none = "b0.gelu = Identity(b0.fc1)", cut = "b0.gelu = Relu(b0.fc1)";
  expectAll(
      vit(),
      {{"signed numbers", passed("int8(){0}"), "", none},
       {"numbers with a zero in the middle", passed("uint8(){128}"), "", none},
       {"numbers with a low zero", passed("uint8(){3}"), "", none},
       {"numbers that begin at zero", passed("uint8(){0}"), "", cut},
       {"signed numbers that begin at zero", passed("int8(){-128}"), "", cut},
       {"shares that begin at zero",
        passed("uint8(){0}", "w", "w2") + "; w = Softmax(b0.fc1); b0.gelu = Mul(w2, b0.fc1)", "",
        "w = Softmax(b0.fc1); b0.gelu = Mul(w, b0.fc1)"},
       {"behind a convolution, above as well", R"(c = Conv(image, some(8, 1, 2, 2)#w) strides=[2, 2]
q = QuantizeLinear(c, 0.001, uint8(){0}); planes = DequantizeLinear(q, 0.001, uint8(){0}))",
        "", "c = Conv(image, some(8, 1, 2, 2)#w) strides=[2, 2]; planes = Clip(c, 0.0, 0.255)"}});
}

// Read with another scale it is another value, which nothing may forget.
TEST(Quantised, WhatIsNotKnownStaysAsItIs) {
  const std::string x = "x[-1, 1, 4, 4]\nq = QuantizeLinear(x, 0.5, int8(){0})\n";
  EXPECT_NE(refusalOf(x + "n = QLinearElu(q)\ny = DequantizeLinear(n, 0.5, int8(){0})"), "taken");
  for (const bool isSame : {true, false}) {
    const std::string scale = isSame ? "0.5" : "0.25";
    onnx::Model model(graph(x + "d = DequantizeLinear(q, " + scale + ", int8(){0})\ny = Neg(d)"));
    EXPECT_EQ(onnx::dequantise(model) > 0, isSame);
  }
}

// A file of few bytes must not become gigabytes.
TEST(Quantised, AConstantThatManyNodesReadIsNotCopiedForEach) {
  std::string text = "x[-1, 4]\nw = int8(4, 64){" + std::string(512, ' ');
  for (int i = 0; i < 256; ++i)
    text.replace(text.size() - 512 + static_cast<std::size_t>(2 * i), 1, "1");
  text += "}\n";
  for (int i = 0; i < 64; ++i) {
    const std::string n = std::to_string(i);
    text += "d" + n + " = DequantizeLinear(w, 1.0)\ny" + n + " = MatMul(x, d" + n + ")\n";
  }
  onnx::Model model(graph(text + "out y0"));
  onnx::dequantise(model);
  const auto& nodes = model.nodes();
  EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(),
                          [](const auto* node) { return node->op_type() == "DequantizeLinear"; }));
}

}  // namespace
}  // namespace mpm::test
