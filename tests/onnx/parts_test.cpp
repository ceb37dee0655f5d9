// SPDX-License-Identifier: Apache-2.0
// Norms, linear layers, activations and mask heads as exporters and people write them, and near
// misses that are something else.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

const std::string kBefore = "block 0: not supported: ";

// (x - mean) / root(variance + eps), of which parts can be changed; the first block's norm.
std::string byHand(const std::string& change = "") {
  return changed(R"(mean = ReduceMean(tokens) axes=[-1]; less = Sub(tokens, mean)
square = Mul(less, less); variance = ReduceMean(square) axes=[-1]; sum = Add(variance, 1e-5)
root = Sqrt(sum); inverse = Reciprocal(root); unit = Mul(less, inverse)
gained = Mul(unit, some(8)); b0.norm1 = Add(gained, some(8)))",
                 change);
}

TEST(Norms, AnySpelling) {
  const std::string spread = R"(factor = Mul(inverse, some(8)); rows = Mul(tokens, factor)
minus = Neg(mean); taken = Mul(minus, factor); rest = Add(some(8)#shift, taken)
b0.norm1 = Add(rows, rest))";
  const std::string flat =
      R"(m = ReduceMean(tokens) axes=[2] keepdims=0; mean = Reshape(m, [0, 7, 1])
s = ReduceMean(square) axes=[2] keepdims=0; variance = Reshape(s, [0, 7, 1]))";
  const std::string equal = R"(low = ReduceMin(tokens) axes=[2]; high = ReduceMax(tokens) axes=[2]
alike = Equal(high, low); chosen = Where(alike, 0.0, less); unit = Mul(chosen, inverse))";
  expectAll(
      vit(),
      {{"by a product with the root's inverse", byHand()},
       {"divided by the root", byHand("unit = Div(less, root)")},
       {"a power", byHand("square = Pow(less, 2.0)")},
       {"one over the root", byHand("inverse = Div(1.0, root)")},
       {"a negative power", byHand("inverse = Pow(sum, -0.5)")},
       {"the mean twice",
        byHand("mean2 = ReduceMean(tokens) axes=[-1]; less2 = Sub(tokens, mean2)\n"
               "square = Mul(less2, less2)")},
       {"the mean of squares", byHand("s = Mul(tokens, tokens); a = ReduceMean(s) axes=[-1]\n"
                                      "b = Mul(mean, mean); variance = Sub(a, b)")},
       {"without a mean", byHand("square = Mul(tokens, tokens); unit = Mul(tokens, inverse)")},
       {"without scale and shift", byHand("b0.norm1 = Identity(unit)")},
       {"the scale beside the root",
        byHand("factor = Mul(inverse, some(8)); gained = Mul(less, factor)")},
       {"spread over a sum", byHand(spread)},
       {"spread, the mean taken off", byHand(spread + "\ntaken = Mul(mean, factor)\n"
                                                      "rest = Sub(some(8)#shift, taken)")},
       {"spread, without a shift", byHand(spread + "\nb0.norm1 = Add(rows, taken)")},
       {"a variance not below zero", byHand("floor = Max(variance, 0.0); sum = Add(floor, 1e-5)")},
       {"a variance behind Relu", byHand("floor = Relu(variance); sum = Add(floor, 1e-5)")},
       {"an axis that goes and comes back", byHand(flat)},
       {"nothing where all are equal", byHand(equal)},
       {"rows within the bounds of half precision",
        "kept = Clip(tokens, -65504, 65504); b0.norm1 = LayerNormalization(kept, some(8), "
        "some(8))"},
       {"without a mean, in one node", "b0.norm1 = SimplifiedLayerNormalization(tokens, some(8))",
        "",
        byHand("square = Mul(tokens, tokens); unit = Mul(tokens, inverse)\n"
               "b0.norm1 = Mul(unit, some(8)#b0.norm1/1)")},
       {"a group of all features", R"(groups = Reshape(tokens, [-1, 1, 8])
normed = InstanceNormalization(groups, {1}, {0}); rows = Reshape(normed, [-1, 7, 8])
gained = Mul(rows, some(8)); b0.norm1 = Add(gained, some(8)))"}});
}

TEST(Norms, NearMissesComputeWhatTheySay) {
  expectAll(
      vit(),
      {{"of columns",
        byHand("mean = ReduceMean(tokens) axes=[1]; variance = ReduceMean(square) axes=[1]")},
       {"another power", byHand("square = Pow(less, 4.0)")},
       {"a root instead of its inverse", byHand("inverse = Pow(sum, 0.5)")},
       {"squares of what it is not of", byHand("square = Mul(tokens, tokens)")},
       {"another mean the second time",
        byHand("mean2 = ReduceMean(tokens) axes=[1]\n"
               "less2 = Sub(tokens, mean2); square = Mul(less2, less2)")},
       {"a mean that is added", byHand("rows = Mul(tokens, inverse); taken = Mul(mean, inverse)\n"
                                       "b0.norm1 = Add(rows, taken)")},
       {"a variance from a tenth on", byHand("floor = Max(variance, 0.1); sum = Add(floor, 1e-5)")},
       {"two vectors", byHand("factor = Mul(inverse, some(8)); gained = Mul(less, factor)\n"
                              "twice = Mul(gained, some(8)); b0.norm1 = Add(twice, some(8))")},
       {"one where all are equal", byHand(R"(low = ReduceMin(tokens) axes=[2]
high = ReduceMax(tokens) axes=[2]; alike = Equal(high, low); chosen = Where(alike, 1.0, less)
unit = Mul(chosen, inverse))"),
        kBefore},
       {"two groups", R"(groups = Reshape(tokens, [-1, 2, 4])
normed = InstanceNormalization(groups, {1, 1}, {0, 0}); b0.norm1 = Reshape(normed, [-1, 7, 8]))",
        kBefore}});
}

TEST(LinearLayers, AnySpelling) {
  expectAll(
      vit(),
      {{"without a bias", "b0.fc1 = MatMul(b0.norm2, some(8, 12))"},
       {"the bias in front", "b0.fc1 = Add(some(12), b0.fc1.product)"},
       {"a matrix that is turned",
        "w = Transpose(some(12, 8)) perm=[1, 0]; b0.fc1.product = MatMul(b0.norm2, w)"},
       {"Gemm", R"(rows = Reshape(b0.norm2, [-1, 8]); g = Gemm(rows, some(12, 8), some(12)) transB=1
b0.fc1 = Reshape(g, [-1, 7, 12]))"},
       {"Gemm with a factor", R"(rows = Reshape(b0.norm2, [-1, 8])
g = Gemm(rows, some(8, 12), some(12)) alpha=2.0; b0.fc1 = Reshape(g, [-1, 7, 12]))",
        "block 1: not supported: "},
       {"a sum that is no bias", "b0.fc1 = Add(b0.fc1.product, some(7, 12))"},
       {"a number for all", "b0.fc1 = Add(b0.fc1.product, 0.5)"},
       {"scaled behind", "scaled = Mul(b0.out, some(8)); b0.half = Add(tokens, scaled)"},
       {"two of one input, side by side",
        R"(a.p = MatMul(b0.norm2, some(8, 5)); a = Add(a.p, some(5))
c = MatMul(b0.norm2, some(8, 7)); b0.fc1 = Concat(a, c) axis=-1)"},
       {"two of one input, one below the other", R"(a = MatMul(b0.norm2, some(8, 12))
c = MatMul(b0.norm2, some(8, 12)); d = Concat(a, c) axis=1; b0.fc1 = Slice(d, [3], [10], [1]))",
        "block 1: not supported: "},
       {"an Einsum", "b0.fc1.product = Einsum(b0.norm2, some(12, 8)) equation='btd,ed->bte'"}});
}

TEST(Activations, AnySpelling) {
  const std::string erf = R"(scaled = Div(b0.fc1, 1.4142135); e = Erf(scaled); more = Add(e, 1.0)
half = Mul(b0.fc1, 0.5); b0.gelu = Mul(half, more)
)";
  const std::string tanh = R"(cube = Pow(b0.fc1, 3.0); a = Mul(cube, 0.044715); b = Add(b0.fc1, a)
c = Mul(b, 0.7978845608); t = Tanh(c); more = Add(t, 1.0); half = Mul(b0.fc1, 0.5)
b0.gelu = Mul(half, more))";
  expectAll(vit(), {{"erf", erf},
                    {"erf, in another order",
                     erf + "scaled = Mul(b0.fc1, 0.70710678); more = Add(1.0, e)\n"
                           "twice = Mul(b0.fc1, more); b0.gelu = Mul(twice, 0.5)"},
                    {"by tanh", tanh},
                    {"by tanh, in one node", "b0.gelu = Gelu(b0.fc1) approximate='tanh'", "", tanh},
                    {"quick", "t = Mul(b0.fc1, 1.702); s = Sigmoid(t); b0.gelu = Mul(b0.fc1, s)"},
                    {"another divisor", erf + "scaled = Div(b0.fc1, 1.5)"},
                    {"another number beside it", erf + "more = Add(e, 0.9)"},
                    {"another factor", erf + "half = Mul(b0.fc1, 0.51)"},
                    {"two arguments", erf + "half = Mul(b0.fc1.product, 0.5)"},
                    {"Relu", "b0.gelu = Relu(b0.fc1)"},
                    {"a gate", "s = Sigmoid(b0.fc1.product); b0.gelu = Mul(b0.fc1, s)"}});
}

// The end of Segmenter's mask transformer.
TEST(MaskHeads, AnyWayToWriteALength) {
  const auto head = [](const std::string& length, const std::string& change = "") {
    const std::string text = R"(p = Slice(b1, [1], [7], [1]); c = Slice(b1, [0], [1], [1])
a = MatMul(p, some(8, 8)); b = MatMul(c, some(8, 8)); turned = Transpose(b.unit) perm=[0, 2, 1]
masks = MatMul(a.unit, turned); y = LayerNormalization(masks, some(1), some(1))
)" + replaced(length, "$", "a") +
                             replaced(length, "$", "b");
    return changed(text, change);
  };
  const std::string divided = "$.length = ReduceL2($) axes=[-1]; $.unit = Div($, $.length)\n";
  const std::string squares =
      "$.s = Mul($, $); $.sum = ReduceSum($.s, [-1]); $.length = Sqrt($.sum)\n"
      "$.unit = Div($, $.length)\n";
  const std::string guarded = divided +
                              "$.safe = Clip($.length, 1e-12); $.all = Expand($.safe, [1, 1, 8])\n"
                              "$.unit = Div($, $.all)\n";
  expectAll(vit(), {{"ReduceL2", head(divided)},
                    {"squares", head(squares)},
                    {"powers", head(squares, "a.s = Pow(a, 2.0); b.s = Pow(b, 2.0)")},
                    {"one node", head("$.unit = LpNormalization($) axis=-1\n")},
                    {"kept from zero", head(changed(guarded, ""))},
                    {"kept above a half", head(changed(guarded, "$.safe = Clip($.length, 0.5)\n"))},
                    {"a sum of sizes", head("$.unit = LpNormalization($) p=1\n")},
                    {"down the columns", head("$.unit = LpNormalization($) axis=1\n")},
                    {"another power", head(squares, "a.s = Pow(a, 4.0)")},
                    {"patches that are no unit", head(divided, "a.unit = Identity(a)")},
                    {"a bias", head(divided, "a.p = MatMul(p, some(8, 8)); a = Add(a.p, some(8))")},
                    {"without a norm", head(divided, "y = Identity(masks)")}});
}

}  // namespace
}  // namespace mpm::test
