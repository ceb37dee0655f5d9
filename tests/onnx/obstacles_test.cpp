// SPDX-License-Identifier: Apache-2.0
// What keeps a model from merging, or a file from being read, each in a sentence; and what does
// not.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/graph/tensor.h"
#include "onnx/layers/for_opencv.h"
#include "onnx/proto_model.h"
#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

const std::string kBefore = "block 1: not supported: what comes before its attention";

TEST(Obstacles, ValuesInsideABlockThatAreReadOutside) {
  expectAll(
      vit(),
      {{"the weights of the first", "out b0.weights, y",
        "block 0: node 'b0.weights_node' ('Softmax') inside it is used outside of it as well"},
       {"the weights of the last", "out b1.weights, y"},
       {"between the halves of the last", "out b1.half, y"},
       {"hidden features of the last", "out b1.gelu, y"},
       {"rows in front of attention", "out tokens, b0, b1.norm1, y"},
       {"made of the weights", "most = ReduceMax(b0.weights) axes=[1]; out most, y",
        "block 0: node 'b0.weights_node'"}});
}

TEST(Obstacles, BlocksThatAreSomethingElse) {
  const std::string pairs = R"(pairs = Transpose(tokens) perm=[0, 2, 1]; qk = MatMul(tokens, pairs)
w = Softmax(qk) axis=-1; v = MatMul(tokens, some(8, 8)); mixed = MatMul(w, v)
b0.out.product = MatMul(mixed, some(8, 8)))";
  const std::string oneRow =
      R"(q5 = Reshape(b0.q, [0, 2, 7, 1, 4]); k5 = Reshape(b0.kt, [0, 2, 1, 4, 7])
v5 = Reshape(b0.v, [0, 2, 1, 7, 4]); b0.qk = MatMul(q5, k5); m5 = MatMul(b0.weights, v5)
b0.mixed = Reshape(m5, [0, 2, 7, 4]))";
  expectAll(vit(),
            {{"another function of rows", "b0.gelu = Softmax(b0.fc1) axis=-1"},
             {"a function that is not known", "b0.gelu = Shrink(b0.fc1) bias=0.1", kBefore},
             {"a function that is not known, behind the last attention",
              "b1.gelu = Shrink(b1.fc1) bias=0.1"},
             {"a sum of scores that is no bias", "b1.scores = Add(b1.qk, 0.5)",
              "block 1: not supported: an attention mask, or a bias of its similarities that is "
              "not known, "
              "at node 'b1.scores_node' ('Add')"},
             {"what it read is taken off", "b1.half = Sub(b0, b1.out)", kBefore},
             {"the first of two", "b0.half = Sub(tokens, b0.out)",
              "block 0: not supported: its attention, or how it joins what it read, at node "
              "'b0.weights_node' ('Softmax')"},
             {"tokens that are compared without linear layers", pairs,
              "block 0: not supported: not made by a linear layer, at node 'tokens_node' ('Add')"},
             {"one row at a time", oneRow,
              "block 0: not supported: attention of one row at a time, at node 'b0.weights_node' "
              "('Softmax')"},
             {"several pictures in one batch",
              R"(others = Neg(tokens); both = Concat(tokens, others) axis=0
b0.half = Add(both, b0.out); b0.norm1 = LayerNormalization(both, some(8), some(8)))",
              "block 0: not supported: tokens of several pictures that share its batch, at node "
              "'b0.weights_node' ('Softmax')"}});
}

TEST(Obstacles, NoEncoder) {
  for (const SmallNet& net : std::vector<SmallNet>{
           {"no attention", "image[-1, 1, 4, 6]\ny = Relu(image)", "it has no transformer block"},
           {"classes of pixels",
            "image[1, 3, 6, 6]\nscores = Conv(image, some(5, 3, 1, 1))\n"
            "y = Softmax(scores) axis=1",
            "it has no transformer block"},
           {"no picture", "rows[-1, 7, 8]\n" + block("b0", "rows"),
            "it has no image input [B, C, H, W] or [B, H, W, C]"},
           {"a softmax of features",
            "image[-1, 1, 7, 8]\nrows = Reshape(image, [-1, 7, 8])\n"
            "q = MatMul(rows, some(8, 4))\nk = MatMul(rows, some(8, 4))\nv = MatMul(rows, some(8, "
            "4))\n"
            "shares = Softmax(q)\ncolumns = Transpose(k) perm=[0, 2, 1]\nsums = MatMul(columns, "
            "v)\n"
            "y = MatMul(shares, sums)",
            "it has no transformer block that is recognised"}})
    expectAsComputed(net);
}

// What stands behind an encoder, from scores to decoders, reads restored rows, or live ones.
TEST(BehindTheEncoder, AnythingMerges) {
  const auto decoder = [](int width, const std::string& from) {
    const std::string w = std::to_string(width);
    return "told = MatMul(" + from + ", some(8, " + w + ")); dq = MatMul(told, some(" + w + ", " +
           w + ")); dk = MatMul(told, some(" + w + ", " + w + ")); dv = MatMul(told, some(" + w +
           ", " + w +
           "))\ndkt = Transpose(dk) perm=[0, 2, 1]; dqk = MatMul(dq, dkt); dw = Softmax(dqk) "
           "axis=-1\n"
           "z = MatMul(dw, dv); out z";
  };
  const std::string looks = R"(queries = MatMul(y, some(8, 8)); keys = Transpose(y) perm=[0, 2, 1]
s = MatMul(queries, keys); w = Softmax(s) axis=-1; looks = Slice(w, [0], [1], [1]); out looks)";
  expectAll(
      vit(),
      {{"rows", ""},
       {"the class token",
        "c = Slice(b1, [0], [1], [1]); r = Reshape(c, [-1, 8]); y = MatMul(r, some(8, 5))"},
       {"a mean of patches", "p = Slice(b1, [1], [7], [1]); y = ReduceMean(p) axes=[1] keepdims=0"},
       {"a mean of features", "p = Slice(b1, [1], [7], [1]); y = ReduceMean(p) axes=[2]"},
       {"the largest of all rows", "y = ReduceMax(b1) axes=[1]"},
       {"positions once more",
        "n = LayerNormalization(b1, some(8), some(8)); y = Add(n, some(7, 8))"},
       {"a convolution of rows",
        "t = Transpose(b1) perm=[0, 2, 1]; u = Unsqueeze(t, [2])\n"
        "y = Conv(u, some(1, 8, 1, 3))"},
       {"scores as planes, resized", R"(p = Slice(y0, [1], [7], [1]); s = MatMul(p, some(8, 5))
y0 = LayerNormalization(b1, some(8), some(8)); t = Transpose(s) perm=[0, 2, 1]; g = Reshape(t, [-1, 5, 2, 3])
y = Resize(g, _, {1, 1, 2, 2}) mode='linear')"},
       {"a decoder of another width", decoder(6, "y")},
       {"attention weights that are an output", looks}});
  expectAll(vit(1), {{"attention weights that are an output, behind one block", looks,
                      "not supported: attention weights that its outputs are made from, at "},
                     {"a decoder of another width, behind one block", decoder(6, "y")},
                     {"a decoder of the same width, behind one block", decoder(8, "y"), kBefore}});
  const std::string two =
      vit(1) +
      "c.planes = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]\n"
      "c.columns = Reshape(c.planes, [0, 8, 6])\nc.patches = Transpose(c.columns) perm=[0, 2, 1]\n"
      "c.tokens = Add(c.patches, some(1, 6, 8))\n" +
      block("c0", "c.tokens") + "z = LayerNormalization(c0, some(8), some(8))\nout y, z";
  expectAsComputed({"two encoders", two});
}

// Between two blocks, of each row alone or of all rows together.
TEST(BetweenBlocks, WhatIsMadeOfRows) {
  const std::string mean = "m = ReduceMean(b0.fc1) axes=";
  expectAll(
      vit(),
      {{"less the mean of features", mean + "[-1]; b0.gelu = Sub(b0.fc1, m)"},
       {"less the mean of rows", mean + "[1]; b0.gelu = Sub(b0.fc1, m)"},
       {"times the mean of rows", mean + "[1] keepdims=1; b0.gelu = Mul(b0.fc1, m)"},
       {"the larger of it and a vector", "b0.gelu = Max(b0.fc1, some(12))"},
       {"the larger of it and a number", "b0.gelu = Max(b0.fc1, 0.1)"},
       {"the larger of it and one for each row", "b0.gelu = Max(b0.fc1, some(7, 1))", kBefore},
       {"the larger of it and one for each element", "b0.gelu = Max(b0.fc1, some(7, 12))", kBefore},
       {"a vector, a function and a mean", R"(s = Mul(b0.fc1, some(12)); t = Tanh(s)
m = ReduceMean(t) axes=[2]; b0.gelu = Sub(t, m))"},
       {"a number of each row, spread",
        mean + "[2]; e = Expand(m, [1, 1, 12]); b0.gelu = Mul(b0.fc1, e)"},
       {"a number of each row, spread over the rows",
        mean + "[1]; e = Expand(m, [1, 7, 1]); b0.gelu = Mul(b0.fc1, e)", "block 1: not supported"},
       {"some of the features", "p = Slice(b0.fc1, [3], [4], [2]); b0.gelu = Mul(b0.fc1, p)"},
       {"the last of the features",
        "p = Slice(b0.fc1, [11], [12], [-1]); b0.gelu = Mul(b0.fc1, p)"},
       {"a part of a split", "p, q = Split(b0.fc1, [1, 11]) axis=-1; b0.gelu = Sub(b0.fc1, p)"},
       {"what is given for all rows", "more[-1, 1, 12]; b0.gelu = Mul(b0.fc1, more)"},
       {"what is given for each row", "more[-1, 7, 12]; b0.gelu = Mul(b0.fc1, more)", kBefore},
       {"positions between blocks",
        "c = Add(b0, some(7, 8)); b1.half = Add(c, b1.out)\n"
        "b1.norm1 = LayerNormalization(c, some(8), some(8))"}});
}

TEST(Files, WhatNoNetDoesIsRefusedInASentence) {
  const std::string x = "x[-1, 2, 3, 3]\n", without = " does; please export the model without it";
  const std::string opencv4 = ", which no net of OpenCV 4" + without;
  const std::string end = "; please export the model with attention written out, for one size";
  const auto isSaid = [&](const std::string& node, const std::string& sentence) {
    const std::string said = refusalOf(x + node);
    EXPECT_NE(said.find(sentence), std::string::npos) << node << ": " << said;
  };
  isSaid("y = NonMaxSuppression(x, x)",
         "('NonMaxSuppression') gives as many values as it finds in a frame");
  isSaid("y = SequenceConstruct(x)",
         "('SequenceConstruct') holds a list of tensors, or one that may be missing");
  isSaid("y = RandomUniformLike(x)", "('RandomUniformLike') draws random numbers");
  for (const std::string type : {"LSTM", "RoiAlign", "BitwiseAnd", "QLinearMatMul"})
    isSaid("y = " + type + "(x)",
           "('" + type +
               "') is an operator that is not computed here; "
               "cv::dnn::readNetFromONNX may read the model, without merging");
  isSaid("y = com.microsoft:MatMulNBits(x)",
         "('MatMulNBits') is of a kind of quantised file that is not read here; "
         "please quantise with QuantizeLinear and DequantizeLinear (QDQ)");
  isSaid("y = Attention(x, x, x, _, x, x)\nopset 23",
         "('Attention') attends to keys of earlier calls" + end);
  isSaid("y = com.microsoft:GroupQueryAttention(x, x, x)",
         "is attention of the kind that language models use" + end);
  isSaid("y = com.microsoft.nchwc:Conv(x, some(8, 2, 1, 1))", "for one kind of processor");
  isSaid(
      "p = MaxPool(some(1, 2, 3, 3)) kernel_shape=[1, 1]\ny = Add(x, p)\nz = "
      "Identity(some(2))\nout z, y",
      "which is the same for every picture and which OpenCV does not read; please export the model "
      "without it");
  isSaid("y = Conv(x, some(3, 2), some(3))", "has weights that are no");
  isSaid("y = Conv(x, some(3, 2, 1, 1), some(2))", "has a bias that is no");
  isSaid("y = Conv(x, some(3, 2, 1, 1)) strides=[0, 1]", "strides");
  isSaid(
      "shape = Shape(x)\nb = Slice(shape, [0], [1])\ns = Concat(b, [3, 3]) axis=0\ny = "
      "Expand(some(1, 1, 6), s)",
      "an expand's sizes do not fit what it expands: node");
  EXPECT_EQ(refusalOf("x[1, 3, 4, 4]\ny = Reshape(x, [1, 3, 17])")
                .find("a reshape changes the number of elements"),
            0U);
}

// What the importer would crash of, had nothing been folded and nothing else been in the way.
TEST(Files, WhatTheImporterDoesNotReadIsRefusedInASentence) {
  const auto said = [](::onnx::ModelProto proto) -> std::string {
    const onnx::Model model(std::move(proto));
    try {
      onnx::checkImportable(model);
      onnx::checkFlow(model, 4);
    } catch (const onnx::ModelError& error) {
      return error.what();
    }
    return "taken";
  };
  const std::string x = "x[-1, 2, 3, 3]\n";
  ::onnx::ModelProto sparse = graph(x);
  auto& few = *sparse.mutable_graph()->add_sparse_initializer();
  const float five = 5;
  *few.mutable_values() = onnx::floatTensor("few", {1}, &five);
  *few.mutable_indices() = onnx::integerTensor("places", {1}, {3});
  for (const std::int64_t size : {3, 3}) few.add_dims(size);
  addNode(sparse, "Add", {"x", "few"}, {"y"});
  EXPECT_EQ(said(sparse),
            "node 'y_node' ('Add') reads 'few', a sparse constant; please save the model with "
            "dense ones");
  EXPECT_EQ(said(graph(x + "p = MaxPool(some(1, 2, 3, 3))\ny = Add(x, p)")),
            "node 'p_node' ('MaxPool') computes with a constant of the model, which OpenCV does "
            "not read");
  EXPECT_NE(said(graph(x + "y, z = Split(x) axis=1073741824"))
                .find("names an axis that its input does not have"),
            std::string::npos);
  const std::string end = "; please export the model with attention written out, for one size";
  EXPECT_EQ(
      said(graph("x[-1, n, 4]\nopset 23\ny = Attention(x, x, x) is_causal=1")),
      "node 'y_node' ('Attention') is causal, over rows whose number the file leaves open" + end);
  EXPECT_EQ(said(graph(x + "y = Relu(x)")), "taken");
}

}  // namespace
}  // namespace mpm::test
