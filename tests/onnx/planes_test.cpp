// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, resizes and what else works on planes, whoever computes them: OpenCV, this
// library's layers, or the interpreter in a part of the net.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

// Rows of {what, nodes over "x"}, perhaps with what they are the same as.
void expectPlanes(const std::string& input, const std::vector<SmallNet>& rows) {
  for (const SmallNet& each : rows) {
    SmallNet net{each.name, input + "\n" + each.text, "it has no"};
    if (!each.same.empty()) net.same = input + "\n" + each.same;
    expectAsComputed(net);
  }
}

TEST(Planes, Convolutions) {
  expectPlanes(
      "x[-1, 4, 9, 7]",
      {{"plain", "y = Conv(x, some(8, 4, 3, 3))"},
       {"with its Relu",
        "c = Conv(x, some(8, 4, 3, 3)) strides=[2, 1] pads=[1, 2, 3, 4]\ny = Relu(c)"},
       {"whose sum others read",
        "c = Conv(x, some(8, 4, 3, 3), some(8))\nr = Relu(c)\nn = Neg(c)\nout r, n"},
       {"that is given as well", "c = Conv(x, some(8, 4, 3, 3))\nr = Relu(c)\nout c, r"},
       {"of few outputs", "c = Conv(x, some(7, 4, 3, 3))\ny = Relu(c)"},
       {"of groups", "c = Conv(x, some(8, 2, 3, 3)) group=2\ny = Relu(c)"},
       {"of each channel",
        "y = Conv(x, some(4, 1, 3, 3)) group=4 pads=[1, 1, 1, 1] kernel_shape=[3, 3]"},
       {"of each channel, with gaps",
        "y = Conv(x, some(4, 1, 3, 3)) group=4 pads=[1, 1, 1, 1] dilations=[2, 2]"},
       {"of each channel, uneven", "y = Conv(x, some(4, 1, 3, 3)) group=4 pads=[0, 0, 2, 0]"},
       {"padded by a word", "y = Conv(x, some(8, 4, 4, 2)) auto_pad='SAME_LOWER' strides=[2, 1]"},
       {"padded by another word",
        "y = Conv(x, some(8, 4, 4, 2)) auto_pad='SAME_UPPER' strides=[3, 2]"},
       {"one place, padded", "y = Conv(x, some(8, 4, 1, 1)) pads=[1, 0, 2, 0]"},
       {"with weights that are computed", "w[8, 4, 2, 2]\ny = Conv(x, w)"},
       {"into a sum of its own",
        "a = Conv(x, some(8, 4, 1, 1))\nb = Relu(a)\nc = Add(a, b)\ny = Relu(c)"}});
  expectPlanes(
      "x[-1, 4, 1, 6]",
      {{"of each channel, in one line", "y = Conv(x, some(4, 1, 3, 3)) group=4 pads=[1, 1, 1, 1]"},
       {"of larger windows", "y = Conv(x, some(4, 1, 5, 5)) group=4 pads=[2, 2, 2, 2]"}});
}

// The importer cuts off as much on either side, and that as numbers.
TEST(Planes, TransposedConvolutions) {
  const std::string plain = "c = ConvTranspose(x, some(1, 1, 3, 3)#w) strides=[2, 2]\n";
  const std::string turned = "y = ConvTranspose(x, some(1, 1, 3, 3)#w) strides=[2, 2] ";
  const auto cut = [&](const std::string& from, const std::string& to) {
    return plain + "y = Slice(c, " + from + ", " + to + ", [2, 3])";
  };
  expectPlanes(
      "x[-1, 1, 4, 4]",
      {{"padded by a word", turned + "auto_pad='SAME_UPPER'", "", cut("[0, 0]", "[-1, -1]")},
       {"padded by another word", turned + "auto_pad='SAME_LOWER'", "", cut("[1, 1]", "[9, 9]")},
       {"to a size", turned + "output_shape=[8, 6]", "", cut("[1, 2]", "[9, -1]")},
       {"uneven", turned + "pads=[0, 1, 2, 0]", "", cut("[0, 1]", "[-2, 9]")},
       {"even", turned + "output_shape=[7, 7]", "", cut("[1, 1]", "[-1, -1]")},
       {"with a bias behind it",
        "c = ConvTranspose(x, some(1, 8, 2, 2)#w) strides=[2, 2]\ny = Add(c, some(8, 1, 1)#b)", "",
        "b = Reshape(some(8, 1, 1)#b, [8])\ny = ConvTranspose(x, some(1, 8, 2, 2)#w, b) "
        "strides=[2, 2]"}});
  const std::string norm =
      "y = BatchNormalization(c, some(4)#s, some(4)#t, some(4)#m, fill(2, 4)) epsilon=1.0";
  for (const std::string group : {"1", "2"}) {
    const std::string conv = "ConvTranspose(x, some(4, " + std::string(group == "1" ? "4" : "2") +
                             ", 2, 2)#w, some(4)#b) group=" + group;
    expectPlanes("x[-1, 4, 3, 5]",
                 {{"with a norm behind it, of groups: " + group, "c = " + conv + "\n" + norm, "",
                   "d = " + conv + "\ne = Neg(d)\nc = Neg(e)\n" + norm}});
  }
}

TEST(Planes, Pools) {
  expectPlanes(
      "x[-1, 2, 9, 7]",
      {{"of windows", "y = MaxPool(x) kernel_shape=[3, 3] pads=[1, 0, 1, 0]"},
       {"that hang over", "y = MaxPool(x) kernel_shape=[3, 3] strides=[2, 2] ceil_mode=1"},
       {"by a word", "y = MaxPool(x) kernel_shape=[3, 3] auto_pad='SAME_UPPER'"},
       {"with gaps", "y = MaxPool(x) kernel_shape=[3, 3] dilations=[2, 2]"},
       {"means", "y = AveragePool(x) kernel_shape=[3, 3] pads=[1, 0, 1, 0]"},
       {"means that count what is padded",
        "y = AveragePool(x) kernel_shape=[3, 3] pads=[1, 0, 1, 0] count_include_pad=1"},
       {"of all", "y = GlobalAveragePool(x)"},
       {"of rows", "r = Reshape(x, [0, 2, 63])\ny = GlobalAveragePool(r)"},
       {"and functions behind them",
        "p = MaxPool(x) kernel_shape=[2, 2]\ns = Sigmoid(p)\nt = Tanh(s)\ny = Softmax(t) axis=1"}});
}

TEST(Planes, Resizes) {
  const std::string linear = "mode='linear' coordinate_transformation_mode=";
  std::vector<SmallNet> rows;
  for (const std::string place :
       {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"})
    rows.push_back(
        {"linear, " + place, "y = Resize(x, _, _, [2, 4, 40, 3]) " + linear + "'" + place + "'"});
  rows.insert(
      rows.end(),
      {{"by scales", "y = Resize(x, _, {1, 1, 1.5, 2}) mode='linear'"},
       {"nearest", "y = Resize(x, _, _, [2, 4, 8, 10]) mode='nearest'"},
       {"cubic", "y = Resize(x, _, _, [2, 4, 8, 10]) mode='cubic'"},
       {"of channels", "y = Resize(x, _, _, [2, 8, 9, 5]) mode='linear'"},
       {"of pixels, by scales", "y = Resize(x, _, {1, 2, 3, 1}) mode='linear'"},
       {"of pixels, by axes", "y = Resize(x, _, _, [8, 9]) mode='linear' axes=[1, 2]"},
       {"to computed sizes",
        "s = Shape(x)\nb = Slice(s, [0], [2])\nt = Concat(b, [9, 10]) axis=0\n"
        "y = Resize(x, _, _, t) mode='linear'"},
       {"of scores that are planes of a grid",
        "r = Reshape(x, [0, 15, 4])\nq = Relu(r)\nt = Transpose(q) perm=[0, 2, 1]\n"
        "g = Reshape(t, [-1, 4, 3, 5])\ny = Resize(g, _, _, [2, 4, 24, 40]) mode='linear'"},
       {"of other planes",
        "r = Reshape(x, [0, 15, 4])\nt = Transpose(r) perm=[0, 2, 1]\n"
        "g = Reshape(t, [-1, 2, 6, 5])\ny = Resize(g, _, _, [2, 2, 24, 40]) mode='linear'"}});
  expectPlanes("x[-1, 4, 3, 5]", rows);
}

// What OpenCV does not compute comes in parts, none of which waits for itself.
TEST(Planes, PartsOfANet) {
  expectPlanes(
      "x[-1, 2, 5, 8]",
      {{"norms and means",
        "n = LayerNormalization(x, some(8))\nm = ReduceMean(n) axes=[1]\ny, _ = Dropout(m)", "",
        "n = LayerNormalization(x, some(8))\ny = ReduceMean(n) axes=[1]"},
       {"a way out and back",
        "a = LayerNormalization(x, some(8))\nb, _ = Dropout(a)\nc = Max(a, b)\n"
        "d = LayerNormalization(c, some(8))\ny, _ = Dropout(d)",
        "", "a = LayerNormalization(x, some(8))\ny = LayerNormalization(a, some(8)#d/1)"},
       {"sizes where they are read",
        "s = Shape(x)\nb = Gather(s, [0])\nt = Concat(b, [2, 1, 8]) axis=0\n"
        "c = Expand(some(1, 2, 1, 8), t)\nj = Concat(c, x) axis=2\ny = Reshape(j, [0, 12, 8])"},
       {"whole numbers", "l = ArgMax(x) axis=3\ns = Mul(l, l)\ny = Cast(s) to=1"},
       {"what passes values on", "a = Identity(x)\nb = Relu(a)\ny, _ = Dropout(b)", "",
        "y = Relu(x)"},
       {"a linear layer", "r = Reshape(x, [-1, 80])\ny = Gemm(r, some(3, 80), some(3)) transB=1"},
       {"a linear layer with factors",
        "r = Reshape(x, [-1, 80])\ny = Gemm(r, some(3, 80), some(3)) transB=1 alpha=0.5 beta=2.0"},
       {"a linear layer and one number",
        "r = Reshape(x, [-1, 80])\ny = Gemm(r, some(3, 80), some(1)) transB=1"}});
}

}  // namespace
}  // namespace mpm::test
