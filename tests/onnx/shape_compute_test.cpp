// SPDX-License-Identifier: Apache-2.0
// Dims of operators that compute.
#include "onnx/shape_case.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

TEST(OnnxShape, MatMul) {
  EXPECT_EQ(Case("MatMul", {{3, 4}, {4, 5}}).dims(), (Integers{3, 5}));
  EXPECT_EQ(Case("MatMul", {{4}, {4, 5}}).dims(), Integers{5});
  EXPECT_EQ(Case("MatMul", {{3, 4}, {4}}).dims(), Integers{3});
  EXPECT_EQ(Case("MatMul", {{4}, {4}}).dims(), Integers{});
  EXPECT_EQ(Case("MatMul", {{kOpen, 1, 3, 4}, {5, 4, 6}}).dims(), (Integers{kOpen, 5, 3, 6}));
  EXPECT_EQ(Case("MatMul", {{3, 4}, {5, 5}}).dims(), kNothing);
  EXPECT_EQ(Case("MatMul", {{}, {5, 5}}).dims(), kNothing);
}

TEST(OnnxShape, Gemm) {
  EXPECT_EQ(Case("Gemm", {{4, kOpen}, {5, 4}}).with("transA", 1).with("transB", 1).dims(),
            (Integers{kOpen, 5}));
}

TEST(OnnxShape, Einsum) {
  const auto dims = [](const char* equation, const std::vector<Integers>& inputs) {
    return Case("Einsum", inputs).with("equation", equation).dims();
  };
  EXPECT_EQ(dims("bhqd, bhkd -> bhqk", {{kOpen, 3, 4, 5}, {kOpen, 3, 6, 5}}),
            (Integers{kOpen, 3, 4, 6}));
  EXPECT_EQ(dims("ij,jk", {{2, 3}, {3, 4}}), (Integers{2, 4}));
  EXPECT_EQ(dims("ii->", {{3, 3}}), Integers{});
  EXPECT_EQ(dims("...pd,...qd->...pq", {{kOpen, 4, 5}, {7, 5}}), (Integers{kOpen, 4, 7}));
  EXPECT_EQ(dims("...ij,j...", {{2, 3, 4}, {4, 1}}), (Integers{2, 3}));
  EXPECT_EQ(dims("...ij->...", {{3}}), kNothing) << "more letters than axes";
  EXPECT_EQ(dims("...i->i", {{3, 3}}), kNothing);
  EXPECT_EQ(dims("ij->k", {{3, 3}}), kNothing);
  EXPECT_EQ(dims("i", {{3}, {3}}), kNothing);
}

TEST(OnnxShape, Broadcasting) {
  EXPECT_EQ(Case("Add", {{kOpen, 1, 4}, {3, 1}}).dims(), (Integers{kOpen, 3, 4}));
  EXPECT_EQ(Case("Mul", {{kOpen, 4}, {7, 4}}).dims(), (Integers{7, 4})) << "one or seven";
  EXPECT_EQ(Case("Where", {{2, 1}, {3}, {}}).dims(), (Integers{2, 3}));
  EXPECT_EQ(Case("Max", {{2, 1}, {3}, {5, 1, 1}}).dims(), (Integers{5, 2, 3}));
  EXPECT_EQ(Case("Sub", {{2}, {3}}).dims(), kNothing);
}

TEST(OnnxShape, ElementByElement) {
  for (const char* type : {"Relu", "Erf", "Softmax", "Gelu", "Clip", "HardSwish", "Sin", "Not"}) {
    EXPECT_EQ(Case(type, {{kOpen, 5}}).dims(), (Integers{kOpen, 5})) << type;
  }
}

TEST(OnnxShape, Normalizations) {
  const auto normalized = Case("LayerNormalization", {{kOpen, 5, 6}, {6}, {6}}, {}, 13);
  EXPECT_EQ(normalized.dims(), (Integers{kOpen, 5, 6}));
  EXPECT_EQ(normalized.dims("y2"), (Integers{kOpen, 5, 1}));
  EXPECT_EQ(Case("BatchNormalization", {{kOpen, 5, 6}, {5}, {5}, {5}, {5}}).dims(),
            (Integers{kOpen, 5, 6}));
}

TEST(OnnxShape, Reductions) {
  EXPECT_EQ(Case("ReduceMean", {{kOpen, 3, 4}}).with("axes", Integers{-1}).dims(),
            (Integers{kOpen, 3, 1}));
  EXPECT_EQ(Case("ReduceMax", {{kOpen, 3, 4}}).with("keepdims", 0).dims(), Integers{});
  EXPECT_EQ(Case("ReduceSum", {{kOpen, 3, 4}}, {"axes"}, 18)
                .constant("axes", {1})
                .with("keepdims", 0)
                .dims(),
            (Integers{kOpen, 4}));
  EXPECT_EQ(Case("ReduceSum", {{kOpen, 3}}, {"axes"}, 18)
                .with("noop_with_empty_axes", 1)
                .constant("axes", {})
                .dims(),
            (Integers{kOpen, 3}));
  EXPECT_EQ(Case("ArgMax", {{kOpen, 3, 4}}).with("axis", 1).with("keepdims", 0).dims(),
            (Integers{kOpen, 4}));
  EXPECT_EQ(Case("ReduceSum", {{2, 3}}).with("axes", Integers{2}).dims(), kNothing);
}

TEST(OnnxShape, OfTheRuntime) {
  const char* domain = "com.microsoft";
  const Integers tokens = {kOpen, 5, 8};
  for (const char* type : {"Gelu", "FastGelu", "QuickGelu", "BiasGelu"}) {
    EXPECT_EQ(Case(type, {tokens, {8}}).in(domain).dims(), tokens) << type;
  }
  EXPECT_EQ(Case("FusedMatMul", {tokens, {6, 8}}).in(domain).with("transB", 1).dims(),
            (Integers{kOpen, 5, 6}));
  const auto skip = Case("SkipLayerNormalization", {tokens, tokens, {8}, {8}}).in(domain);
  EXPECT_EQ(skip.dims(), tokens);
  EXPECT_EQ(skip.dims("y2"), (Integers{kOpen, 5, 1}));
  EXPECT_EQ(skip.dims("y4"), tokens);
  EXPECT_EQ(Case("Attention", {tokens, {8, 24}, {24}}).in(domain).dims(), tokens);
  EXPECT_EQ(Case("MultiHeadAttention", {tokens, {kOpen, 2, 7, 4}, {kOpen, 2, 7, 3}})
                .in(domain)
                .with("num_heads", 2)
                .dims(),
            (Integers{kOpen, 5, 6}));
  EXPECT_EQ(Case("Gelu", {tokens}).in("com.example").dims(), kNothing);
}

TEST(OnnxShape, AttentionOfOpset23) {
  EXPECT_EQ(
      Case("Attention", {{kOpen, 3, 5, 8}, {kOpen, 3, 6, 8}, {kOpen, 3, 6, 4}}, {}, 23).dims(),
      (Integers{kOpen, 3, 5, 4}));
  EXPECT_EQ(Case("Attention", {{kOpen, 5, 32}, {kOpen, 6, 16}, {kOpen, 6, 8}}, {}, 23)
                .with("q_num_heads", 4)
                .with("kv_num_heads", 2)
                .dims(),
            (Integers{kOpen, 5, 16}));
}

}  // namespace
}  // namespace mpm::test
