// SPDX-License-Identifier: Apache-2.0
// Sizes of what each operator gives, as far as they can be known without a frame.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/graph/model.h"
#include "onnx/graph_text.h"
#include "onnx/operators/values.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kOpen = -1;
const Integers kNothing = {-999};  // not even the rank is known
const std::string kMax = std::to_string(std::numeric_limits<std::int64_t>::max());
const std::string kMin = std::to_string(std::numeric_limits<std::int64_t>::min());

// A row: a model, and the sizes of "y".
struct Row {
  std::string text;
  Integers dims;
};

void expectRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const onnx::Model model(graph(row.text));
    const onnx::Values values(model);
    const Integers* dims = values.dims("y");
    EXPECT_EQ(dims == nullptr ? kNothing : *dims, row.dims) << row.text;
  }
}

TEST(Shapes, Products) {
  expectRows(
      {{"a[3, 4]\nb[4, 5]\ny = MatMul(a, b)", {3, 5}},
       {"a[4]\nb[4, 5]\ny = MatMul(a, b)", {5}},
       {"a[3, 4]\nb[4]\ny = MatMul(a, b)", {3}},
       {"a[4]\nb[4]\ny = MatMul(a, b)", {}},
       {"a[-1, 1, 3, 4]\nb[5, 4, 6]\ny = MatMul(a, b)", {kOpen, 5, 3, 6}},
       {"a[3, 4]\nb[5, 5]\ny = MatMul(a, b)", kNothing},
       {"a[]\nb[5, 5]\ny = MatMul(a, b)", kNothing},
       {"a[4, -1]\nb[5, 4]\ny = Gemm(a, b) transA=1 transB=1", {kOpen, 5}},
       {"a[-1, 3, 4, 5]\nb[-1, 3, 6, 5]\ny = Einsum(a, b) equation='bhqd, bhkd -> bhqk'",
        {kOpen, 3, 4, 6}},
       {"a[2, 3]\nb[3, 4]\ny = Einsum(a, b) equation='ij,jk'", {2, 4}},
       {"a[3, 3]\ny = Einsum(a) equation='ii->'", {}},
       {"a[-1, 4, 5]\nb[7, 5]\ny = Einsum(a, b) equation='...pd,...qd->...pq'", {kOpen, 4, 7}},
       {"a[2, 3, 4]\nb[4, 1]\ny = Einsum(a, b) equation='...ij,j...'", {2, 3}},
       {"a[3]\ny = Einsum(a) equation='...ij->...'", kNothing},
       {"a[3, 3]\ny = Einsum(a) equation='...i->i'", kNothing},
       {"a[3, 3]\ny = Einsum(a) equation='ij->k'", kNothing},
       {"a[3]\nb[3]\ny = Einsum(a, b) equation='i'", kNothing}});
}

TEST(Shapes, ElementsAndReductions) {
  std::vector<Row> rows = {
      {"a[-1, 1, 4]\nb[3, 1]\ny = Add(a, b)", {kOpen, 3, 4}},
      {"a[-1, 4]\nb[7, 4]\ny = Mul(a, b)", {7, 4}},  // one or seven
      {"a[2, 1]\nb[3]\nc[]\ny = Where(a, b, c)", {2, 3}},
      {"a[2, 1]\nb[3]\nc[5, 1, 1]\ny = Max(a, b, c)", {5, 2, 3}},
      {"a[2]\nb[3]\ny = Sub(a, b)", kNothing},
      {"a[-1, 5, 6]\ny = LayerNormalization(a, some(6), some(6))", {kOpen, 5, 6}},
      {"a[-1, 5, 6]\nz, y = LayerNormalization(a, some(6), some(6))", {kOpen, 5, 1}},
      {"a[-1, 5, 6]\ny = BatchNormalization(a, some(5), some(5), some(5), some(5))", {kOpen, 5, 6}},
      {"a[-1, 3, 4]\ny = ReduceMean(a) axes=[-1]", {kOpen, 3, 1}},
      {"a[-1, 3, 4]\ny = ReduceMax(a) keepdims=0", {}},
      {"a[-1, 3, 4]\nopset 18\ny = ReduceSum(a, [1]) keepdims=0", {kOpen, 4}},
      {"a[-1, 3]\nopset 18\ny = ReduceSum(a, []) noop_with_empty_axes=1", {kOpen, 3}},
      {"a[-1, 3, 4]\ny = ArgMax(a) axis=1 keepdims=0", {kOpen, 4}},
      {"a[2, 3]\ny = ReduceSum(a) axes=[2]", kNothing}};
  for (const std::string type :
       {"Relu", "Erf", "Softmax", "Gelu", "Clip", "HardSwish", "Sin", "Not"})
    rows.push_back({"a[-1, 5]\ny = " + type + "(a)", {kOpen, 5}});
  expectRows(rows);
}

TEST(Shapes, AttentionAndOnnxRuntimesNodes) {
  const Integers tokens = {kOpen, 5, 8};
  const std::string rows = "a[-1, 5, 8]\n", runtime = " = com.microsoft:";
  std::vector<Row> all = {
      {rows + "y" + runtime + "FusedMatMul(a, some(6, 8)) transB=1", {kOpen, 5, 6}},
      {rows + "y" + runtime + "SkipLayerNormalization(a, a, some(8), some(8))", tokens},
      {rows + "x, y" + runtime + "SkipLayerNormalization(a, a, some(8), some(8))", {kOpen, 5, 1}},
      {rows + "x, z, w, y" + runtime + "SkipLayerNormalization(a, a, some(8), some(8))", tokens},
      {rows + "y" + runtime + "Attention(a, some(8, 24), some(24))", tokens},
      {rows + "k[-1, 2, 7, 4]\nv[-1, 2, 7, 3]\ny" + runtime +
           "MultiHeadAttention(a, k, v) num_heads=2",
       {kOpen, 5, 6}},
      {rows + "y = com.example:Gelu(a)", kNothing},
      {"q[-1, 3, 5, 8]\nk[-1, 3, 6, 8]\nv[-1, 3, 6, 4]\nopset 23\ny = Attention(q, k, v)",
       {kOpen, 3, 5, 4}},
      {"q[-1, 5, 32]\nk[-1, 6, 16]\nv[-1, 6, 8]\nopset 23\ny = Attention(q, k, v) q_num_heads=4 "
       "kv_num_heads=2",
       {kOpen, 5, 16}}};
  for (const std::string type : {"Gelu", "FastGelu", "QuickGelu", "BiasGelu"})
    all.push_back({rows + "y" + runtime + type + "(a, some(8))", tokens});
  expectRows(all);
}

TEST(Shapes, Reshapes) {
  const std::string flat =
      "a[-1, 3, 4, 5]\ns = Shape(a)\no = Slice(s, [0], [2])\nt = Concat(o, [-1]) axis=0\n"
      "y = Reshape(a, t)";
  expectRows({{"a[-1, 3, 4]\ny = Reshape(a, [0, -1])", {kOpen, 12}},
              {"a[-1, 3, 4]\ny = Reshape(a, [-1, 4])", {kOpen, 4}},
              {"a[2, 3, 4]\ny = Reshape(a, [-1, 4])", {6, 4}},
              {"a[2, 3, 4]\ny = Reshape(a, [5, -1])", {5, kOpen}},
              {"a[2]\ny = Reshape(a, [1, 0])", kNothing},
              {"a[2]\ny = Reshape(a, [-2])", kNothing},
              {"a[" + kMax + ", " + kMax + "]\ny = Reshape(a, [-1])", {kOpen}},
              {"a[0, 3]\ny = Reshape(a, [3, 0]) allowzero=1", {3, 0}},
              {flat, {kOpen, 3, 20}},
              {"a[6]\nt:int64[2]\ny = Reshape(a, t)", {kOpen, kOpen}},
              {"a[6]\nt:int64[1]\ny = Reshape(a, t)", {6}},
              {"a[6]\nt:int64[-1]\ny = Reshape(a, t)", kNothing}});
}

TEST(Shapes, WhatMovesElements) {
  const std::string huge = "[" + kMax + "], [" + kMin + "]";
  expectRows(
      {{"a[-1, 3, 4]\ny = Transpose(a) perm=[1, 2, 0]", {3, 4, kOpen}},
       {"a[2, 3]\ny = Transpose(a) perm=[0, 0]", kNothing},
       {"a[-1, 3, 4]\ny = Flatten(a)", {kOpen, 12}},
       {"a[1, 3, 1]\ny = Squeeze(a)", {3}},
       {"a[1, -1]\nopset 11\ny = Squeeze(a) axes=[0]", {kOpen}},
       {"a[1, -1]\ny = Squeeze(a)", kNothing},  // the open one may be 1
       {"a[3]\ny = Unsqueeze(a, [0, -1])", {1, 3, 1}},
       {"a[-1, 3]\nb[-1, 4]\ny = Concat(a, b) axis=1", {kOpen, 7}},
       {"a[2, 3]\nb[3, 4]\ny = Concat(a, b) axis=1", kNothing},
       {"a[" + kMax + "]\nb[" + kMax + "]\ny = Concat(a, b) axis=0", {kOpen}},
       {"a[-1, 1]\ny = Expand(a, [2, 1, 6])", {2, kOpen, 6}},
       {"a[-1, 2]\ny = Tile(a, [1, 3])", {kOpen, 6}},
       {"a[4, 2]\ny = Tile(a, [" + kMax + ", " + kMin + "])", {kOpen, kOpen}},
       {"a[-1, 5]\ny = Slice(a, [1], [" + kMax + "], [1], [2])", {kOpen, 2}},
       {"a[5]\ny = Slice(a, [-1], [" + kMin + "], [0], [-2])", {3}},
       {"a[5]\ny = Slice(a, [9], [2], [0], [1])", {0}},
       {"a[5]\ny = Slice(a, " + huge + ", [0], [" + kMax + "])", {0}},
       {"a[-1]\ny = Slice(a, [0], [" + kMax + "], [0], [1])", {kOpen}},
       {"a[5]\ny = Slice(a, [0], [1], [7], [1])", kNothing},
       {"a[5, 6]\nopset 9\ny = Slice(a) starts=[1] ends=[3] axes=[-1]", {5, 2}},
       {"a[-1, 9]\nopset 11\np, q, y, s = Split(a) axis=1 split=[1, 2, 3, 3]", {kOpen, 3}},
       {"a[-1, 9]\np, y, r, s = Split(a, [1, 2, 3, 3]) axis=1", {kOpen, 2}},
       {"a[-1, 9]\nopset 18\np, q, y, s = Split(a) axis=1 num_outputs=4", {kOpen, 3}},
       {"a[-1, 9]\nopset 18\np, q, r, y = Split(a) axis=1 num_outputs=4", {kOpen, 0}},
       {"a[-1, 9]\np, q, r, y = Split(a)", {kOpen, 9}},
       {"a[-1, 4, 3]\nb:int64[2, 2]\ny = Gather(a, b) axis=1", {kOpen, 2, 2, 3}},
       {"a[5, 4]\nb:int64[2, 4]\ny = GatherElements(a, b)", {2, 4}},
       {"a[2, 3, 4, 5]\nb:int64[2, 6, 2]\ny = GatherND(a, b) batch_dims=1", {2, 6, 5}},
       {"a[2, 3]\nb:int64[2, " + kMax + "]\ny = GatherND(a, b)", kNothing},
       {"a[-1, 4]\nx, y = TopK(a, [3])", {kOpen, 3}},
       {"a[-1, 5]\ny = Pad(a, [0, 1, 0, -2])", {kOpen, 4}},
       {"a[-1, 5]\nopset 9\ny = Pad(a) pads=[0, 1, 0, -2]", {kOpen, 4}},
       {"a[5, 5]\ny = Pad(a, [" + kMax + ", " + kMin + ", 1, " + kMin + "])", {kOpen, kOpen}}});
}

TEST(Shapes, WhatIsMade) {
  expectRows({{"a[-1, 3, 4]\ny = Shape(a) start=1", {2}},
              {"a[-1, 3]\ny = Size(a)", {}},
              {"y = ConstantOfShape([2, 3])", {2, 3}},
              {"a:int64[2]\ny = ConstantOfShape(a)", {kOpen, kOpen}},
              {"a[]\nb[]\nc[]\ny = Range(a, b, c)", {kOpen}},
              {"a[4, 5]\ny = NonZero(a)", {2, kOpen}}});
  // Places are whole numbers, also where the file does not say so.
  for (const char* text : {"a[4, 5]\ny = NonZero(a)", "a[4, 5]\ny = ArgMax(a)",
                           "a[1, 9, 4]\nb[1, 2, 9]\ny = NonMaxSuppression(a, b)"}) {
    const onnx::Model model(graph(text));
    EXPECT_EQ(onnx::Values(model).type("y"), ::onnx::TensorProto::INT64) << text;
  }
}

TEST(Shapes, Planes) {
  const std::string image = "a[-1, 3, 13, 17]\n", conv = image + "y = Conv(a, some(4, 3, 3, 5)) ";
  const std::string turned = image + "y = ConvTranspose(a, some(3, 2, 3, 3)) ";
  const std::string three = image + "y = Conv(a, some(4, 3, 3, 3)) strides=";
  const auto rounded = [](int size) {
    const std::string n = std::to_string(size);
    return "a[1, 1, " + n + ", " + n +
           "]\ny = AveragePool(a) kernel_shape=[3, 2] strides=[2, 3] pads=[1, 0, 1, 0] ceil_mode=1";
  };
  expectRows(
      {{conv, {kOpen, 4, 11, 13}},
       {conv + "strides=[2, 3]", {kOpen, 4, 6, 5}},
       {conv + "pads=[1, 2, 0, 1] dilations=[2, 1]", {kOpen, 4, 10, 16}},
       {conv + "auto_pad='SAME_UPPER' strides=[2, 2]", {kOpen, 4, 7, 9}},
       {conv + "auto_pad='VALID' pads=[1, 1, 1, 1]", {kOpen, 4, 11, 13}},
       {"a[1, 3, height, width]\ny = Conv(a, some(4, 3, 8, 8))", {1, 4, kOpen, kOpen}},
       {"a[1, 3, height, width]\ny = Conv(a, some(4, 3, 3, 3)) pads=[1, 1, 1, 1]",
        {1, 4, kOpen, kOpen}},
       {"a[1, 3, 4, 4]\ny = Conv(a, some(4, 3, 5, 4))",
        {1, 4, kOpen, 1}},  // no room for its kernel
       {three + "[1, " + kMax + "]", kNothing},
       {three + "[1, " + kMin + "]", kNothing},
       {three + "[1, 0]", kNothing},
       {three + "[1]", kNothing},
       {three + "[1, 1] pads=[0, 0]", kNothing},
       {three + "[1, 1] kernel_shape=[" + kMax + ", 3]", {kOpen, 4, kOpen, 15}},
       {"a[1, 3, " + kMax + ", " + kMax + "]\ny = Conv(a, some(4, 3, 3, 3))", {1, 4, kOpen, kOpen}},
       {turned + "strides=[2, 2] output_padding=[1, 1] pads=[1, 1, 1, 1] group=3",
        {kOpen, 6, 26, 34}},
       {turned + "output_shape=[27, 35]", {kOpen, 2, 27, 35}},
       {image + "x, y = MaxPool(a) kernel_shape=[3, 5]", {kOpen, 3, 11, 13}},
       {image + "y = GlobalAveragePool(a)", {kOpen, 3, 1, 1}},
       {rounded(7), {1, 1, 4, 3}},
       {rounded(8), {1, 1, 5, 3}},
       // A window that would start behind the image is none.
       {"a[1, 1, 6]\ny = MaxPool(a) kernel_shape=[2] strides=[3] pads=[0, 1] ceil_mode=1",
        {1, 1, 2}},
       {"a[-1, 8, 3, 4]\ny = DepthToSpace(a) blocksize=2", {kOpen, 2, 6, 8}},
       {"a[-1, 2, 4, 6]\ny = SpaceToDepth(a) blocksize=2", {kOpen, 8, 2, 3}},
       {"a[1, 3, 5, 7]\ny = Resize(a, _, _, [1, 3, 10, 9])", {1, 3, 10, 9}},
       {"a[-1, 3, 5, 7]\ny = Resize(a, _, {1, 1, 2, 1.5})", {kOpen, 3, 10, 10}},
       {"a[-1, 3, 5, 7]\nopset 9\ny = Upsample(a, {1, 1, 2, inf})", {kOpen, 3, 10, kOpen}}});
}

}  // namespace
}  // namespace mpm::test
