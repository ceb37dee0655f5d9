// SPDX-License-Identifier: Apache-2.0
// What exporters fuse and people write out by hand: it computes the same, and merges.
#include <gtest/gtest.h>

#include <string>

#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

const std::string kRuntime = "com.microsoft:";
const std::string kNotKnown = "block 0: not supported: ";

// Attention in one node over rows, with the weights of a layer of all three.
TEST(FusedNodes, Attention) {
  const std::string packed = R"(p = MatMul(b0.norm1, some(8, 24)#w); qkv = Add(p, some(24)#b)
parts = Reshape(qkv, [0, 0, 3, 2, 4]); turned = Transpose(parts) perm=[2, 0, 3, 1, 4]
b0.q = Gather(turned, int64(){0}); b0.k = Gather(turned, int64(){1}); b0.v = Gather(turned, int64(){2})
b0.scores = Mul(b0.qk, 0.5))";
  const std::string node =
      "b0.joined = com.microsoft:Attention(b0.norm1, some(8, 24)#w, some(24)#b) num_heads=2";
  const std::string biased = packed + R"(
b0.q.bias = Slice(some(24)#b, [0], [8]); rows = Add(qkv, some(24)#b2); parts = Reshape(rows, [0, 0, 3, 2, 4]))";
  const std::string padding =
      "kept = Expand(int32(1, 7){1, 1, 1, 1, 1, 1, 0}, each); each = Concat(batch, [7]) axis=0";
  const std::string three = "b0.scores = Mul(b0.qk, ";
  const std::string four = "; b0.weights = Identity(b0.scores)";
  expectAll(
      vit(),
      {{"com.microsoft, packed", node, "", packed},
       {"com.microsoft, packed, with a scale", node + " scale=0.25", "",
        packed + "; b0.scores = Mul(b0.qk, 0.25)"},
       {"com.microsoft, three inputs",
        "b0.joined = com.microsoft:MultiHeadAttention(b0.q.rows, b0.k.rows, b0.v.rows) num_heads=2",
        "", three + "0.5)"},
       {"com.microsoft, three inputs, with a scale",
        "b0.joined = com.microsoft:MultiHeadAttention(b0.q.rows, b0.k.rows, b0.v.rows) num_heads=2 "
        "scale=0.25",
        "", three + "0.25)"},
       {"com.microsoft, three inputs with one bias", R"(
b0.joined = com.microsoft:MultiHeadAttention(b0.q.product, b0.k.product, b0.v.product, some(24)#b) num_heads=2)",
        "", three + R"(0.5); b = Concat(some(24)#b) axis=0; bq, bk, bv = Split(b, [8, 8, 8]) axis=0
b0.q.rows = Add(b0.q.product, bq); b0.k.rows = Add(b0.k.product, bk); b0.v.rows = Add(b0.v.product, bv))"},
       {"com.microsoft, all three in one input", R"(qkv = MatMul(b0.norm1, some(8, 24)#w)
parts = Reshape(qkv, [0, 0, 2, 3, 4]); b0.joined = com.microsoft:MultiHeadAttention(parts) num_heads=2)",
        "", R"(qkv = MatMul(b0.norm1, some(8, 24)#w); parts = Reshape(qkv, [0, 0, 2, 3, 4])
turned = Transpose(parts) perm=[3, 0, 2, 1, 4]; b0.q = Gather(turned, int64(){0})
b0.k = Gather(turned, int64(){1}); b0.v = Gather(turned, int64(){2}); b0.scores = Mul(b0.qk, 0.5))"},
       {"com.microsoft, keys and values by head",
        "b0.joined = com.microsoft:MultiHeadAttention(b0.q.rows, b0.k, b0.v) num_heads=2", "",
        three + "0.5)"},
       {"com.microsoft, causal", node + " unidirectional=1", kNotKnown + "an attention mask",
        packed + "; b0.weights = Softmax(masked) axis=-1; masked = Add(b0.scores, closed)\n"
                 "closed = Trilu(fill(-1e9, 7, 7), int64(){1})"},
       {"com.microsoft, with keys that are padding",
        "b0.joined = com.microsoft:Attention(b0.norm1, some(8, 24)#w, some(24)#b, kept) "
        "num_heads=2\n" +
            padding,
        kNotKnown + "a bias of its similarities",
        packed + "; b0.weights = Softmax(masked) axis=-1; masked = Add(b0.scores, float(7){0, 0, "
                 "0, 0, 0, 0, -10000})"},
       {"com.microsoft, three inputs, causal",
        "b0.joined = com.microsoft:MultiHeadAttention(b0.q.rows, b0.k.rows, b0.v.rows) num_heads=2 "
        "unidirectional=1",
        kNotKnown + "an attention mask",
        three + "0.5); b0.weights = Softmax(masked) axis=-1; masked = Add(b0.scores, closed)\n"
                "closed = Trilu(fill(-1e9, 7, 7), int64(){1})"},
       {"of heads", "b0.mixed = Attention(b0.q, b0.k, b0.v); opset 23", "", three + "0.5)"},
       {"of rows", R"(opset 23
b0.joined = Attention(b0.q.rows, b0.k.rows, b0.v.rows) q_num_heads=2 kv_num_heads=2)",
        "", three + "0.5)"},
       {"of heads, causal", "b0.mixed = Attention(b0.q, b0.k, b0.v) is_causal=1; opset 23",
        kNotKnown + "an attention mask",
        three + "0.5); b0.weights = Softmax(masked) axis=-1\n"
                "masked = Add(b0.scores, closed); closed = Trilu(fill(-1e9, 7, 7), int64(){1})"},
       {"of heads, with a cap", "b0.mixed = Attention(b0.q, b0.k, b0.v) softcap=5.0; opset 23",
        kNotKnown, three + R"(0.5); small = Div(b0.scores, 5.0); bent = Tanh(small)
capped = Mul(bent, 5.0); b0.weights = Softmax(capped) axis=-1)"},
       {"of heads, with a bias",
        "b0.mixed = Attention(b0.q, b0.k, b0.v, some(7, 7)#bias); opset 23", "",
        three + "0.5); b0.weights = Softmax(more) axis=-1; more = Add(b0.scores, some(7, 7)#bias)"},
       {"of heads, where a condition says what is seen",
        R"(opset 23; seen = Greater(some(7, 7), -0.5)
b0.mixed = Attention(b0.q, b0.k, b0.v, seen))",
        kNotKnown + "an attention mask",
        three + R"(0.5); seen = Greater(some(7, 7), -0.5); closed = Where(seen, 0.0, -1e9)
b0.weights = Softmax(more) axis=-1; more = Add(b0.scores, closed))"},
       {"of keys that serve several queries",
        R"(opset 23; b0.q.heads = Reshape(b0.q.rows, [0, 0, 4, 2])
b0.k.heads = Reshape(k4, [0, 0, 2, 2]); k4 = MatMul(b0.norm1, some(8, 4)); b0.v.heads = Reshape(v4, [0, 0, 2, 2])
v4 = MatMul(b0.norm1, some(8, 4)); b0.mixed = Attention(b0.q, b0.k, b0.v))",
        "", R"(b0.q.heads = Reshape(b0.q.rows, [0, 0, 4, 2]); b0.scores = Mul(b0.qk, 0.70710678)
b0.k.heads = Reshape(k4, [0, 0, 2, 2]); k4 = MatMul(b0.norm1, some(8, 4)); b0.v.heads = Reshape(v4, [0, 0, 2, 2])
v4 = MatMul(b0.norm1, some(8, 4)); ka = Gather(b0.k, [0, 0, 1, 1]) axis=1; va = Gather(b0.v, [0, 0, 1, 1]) axis=1
b0.kt = Transpose(ka) perm=[0, 1, 3, 2]; b0.mixed = MatMul(b0.weights, va))"}});
}

TEST(FusedNodes, OthersOfOnnxRuntime) {
  expectAll(
      vit(),
      {{"Gelu", "b0.gelu = com.microsoft:Gelu(b0.fc1)", "", "b0.gelu = Gelu(b0.fc1)"},
       {"BiasGelu", "b0.gelu = com.microsoft:BiasGelu(b0.fc1.product, some(12)#b0.fc1/1)", "",
        "b0.gelu = Gelu(b0.fc1)"},
       {"FastGelu", "b0.gelu = com.microsoft:FastGelu(b0.fc1)", "",
        "b0.gelu = Gelu(b0.fc1) approximate='tanh'"},
       {"FastGelu with a bias",
        "b0.gelu = com.microsoft:FastGelu(b0.fc1.product, some(12)#b0.fc1/1)", "",
        "b0.gelu = Gelu(b0.fc1) approximate='tanh'"},
       {"QuickGelu", "b0.gelu = com.microsoft:QuickGelu(b0.fc1)", "",
        "t = Mul(b0.fc1, 1.702); s = Sigmoid(t); b0.gelu = Mul(b0.fc1, s)"},
       {"QuickGelu of another factor", "b0.gelu = com.microsoft:QuickGelu(b0.fc1) alpha=0.5", "",
        "t = Mul(b0.fc1, 0.5); s = Sigmoid(t); b0.gelu = Mul(b0.fc1, s)"},
       {"SkipLayerNormalization",
        "b0.norm2, _, _, b0.half = com.microsoft:SkipLayerNormalization(tokens, "
        "b0.out.product, some(8)#b0.norm2/1, some(8)#b0.norm2/2, some(8)#b0.out/1) epsilon=0.00001",
        "", "b0.out.x = Relu(tokens)"},
       {"SkipSimplifiedLayerNormalization",
        "b0.norm2, _, _, b0.half = "
        "com.microsoft:SkipSimplifiedLayerNormalization(tokens, b0.out.product, some(8)#g, "
        "some(8)#b0.out/1) "
        "epsilon=0.00001",
        "", R"(s = Mul(b0.half, b0.half); m = ReduceMean(s) axes=[-1]; e = Add(m, 1e-5)
r = Sqrt(e); u = Div(b0.half, r); b0.norm2 = Mul(u, some(8)#g))"},
       {"FusedMatMul that turns and scales",
        R"(b0.qk = com.microsoft:FusedMatMul(b0.q, b0.k) transB=1 alpha=0.7
b0.scores = Identity(b0.qk))",
        "", "b0.kx = Relu(b0.k)"},
       {"FusedMatMul that turns the weights of attention", R"(vt = Transpose(b0.v) perm=[0, 1, 3, 2]
m = com.microsoft:FusedMatMul(vt, b0.weights) transB=1; b0.mixed = Transpose(m) perm=[0, 1, 3, 2])",
        "", "b0.kx = Relu(b0.k)"},
       {"FusedGemm with an activation", R"(rows = Reshape(b0.norm2, [-1, 8])
g = com.microsoft:FusedGemm(rows, some(12, 8)#g, some(12)#h) transB=1 activation='LeakyRelu' activation_alpha=0.25
b0.gelu = Reshape(g, [-1, 7, 12]))",
        "", R"(w = Transpose(some(12, 8)#g) perm=[1, 0]
b0.fc1.product = MatMul(b0.norm2, w); b0.fc1 = Add(b0.fc1.product, some(12)#h)
b0.gelu = LeakyRelu(b0.fc1) alpha=0.25)"},
       {"FusedConv with a sum and an activation",
        R"(stem = Conv(image, some(4, 1, 2, 2)) strides=[2, 2]
more = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]
planes = com.microsoft:FusedConv(stem, some(8, 4, 1, 1)#k, some(8)#c, more) activation='Relu')",
        "",
        R"(stem = Conv(image, some(4, 1, 2, 2)) strides=[2, 2]; more = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]
made = Conv(stem, some(8, 4, 1, 1)#k, some(8)#c); sum = Add(made, more); planes = Relu(sum))"}});
}

// Rotary positions in one node: ONNX's, and ONNX Runtime's with places.
TEST(FusedNodes, RotaryEmbedding) {
  const std::string tables =
      "cos = some(7, 2)#cos; sin = some(7, 2)#sin; c3 = Reshape(cos, [1, 7, 2])\n"
      "s3 = Reshape(sin, [1, 7, 2]); opset 23\n";
  const std::string places = "cos = some(9, 2)#cos; sin = some(9, 2)#sin; opset 23\n";
  const auto node = [](const std::string& call, const std::string& end) {
    return "qr = " + call + "(b0.q" + end + "; kr = " + call + "(b0.k" + end +
           "; b0.kt = Transpose(kr) perm=[0, 1, 3, 2]; b0.qk = MatMul(qr, b0.kt)";
  };
  const auto inRows = [](const std::string& call, const std::string& end) {
    return "qr = " + call + "(b0.q.rows" + end + "; kr = " + call + "(b0.k.rows" + end +
           "; b0.q.heads = Reshape(qr, [0, 0, 2, 4]); b0.k.heads = Reshape(kr, [0, 0, 2, 4])";
  };
  const auto written = [](const std::string& before, const std::string& a, const std::string& b,
                          const std::string& join) {
    const std::string turn = "$.a = Slice(b0.$" + a + "; $.b = Slice(b0.$" + b + R"(
$.ac = Mul($.a, cos); $.bs = Mul($.b, sin); $.x = Sub($.ac, $.bs); $.as = Mul($.a, sin)
$.bc = Mul($.b, cos); $.y = Add($.as, $.bc)
)" + join;
    return before + "b0.kt = Transpose(k.t) perm=[0, 1, 3, 2]; b0.qk = MatMul(q.t, b0.kt)\n" +
           replaced(turn, "$", "q") + replaced(turn, "$", "k");
  };
  const std::string halves = "$.t = Concat($.x, $.y) axis=-1\n";
  const std::string pairs =
      "$.x1 = Unsqueeze($.x, [-1]); $.y1 = Unsqueeze($.y, [-1])\n"
      "$.p = Concat($.x1, $.y1) axis=-1; $.t = Reshape($.p, [0, 2, 7, 4])\n";
  const std::string first = ", [0], [2], [3])", second = ", [2], [4], [3])";
  const std::string even = ", [0], [4], [3], [2])", odd = ", [1], [4], [3], [2])";
  const std::string atPlaces =
      "ids = int64(7){2, 0, 4, 6, 8, 1, 3}; cos = Gather(some(9, 2)#cos, ids)\n"
      "sin = Gather(some(9, 2)#sin, ids); opset 23\n";
  const std::string byHalves = written(tables, first, second, halves);
  expectAll(vit(),
            {{"by head", tables + node("RotaryEmbedding", ", c3, s3)"), "", byHalves},
             {"by head, of places",
              places + node("RotaryEmbedding", ", cos, sin, ids)") +
                  "; ids = Expand(int64(1, 7){2, 0, 4, 6, 8, 1, 3}, sizes2); sizes2 = "
                  "Concat(batch, [7]) axis=0",
              "", written(atPlaces, first, second, halves)},
             {"neighbours",
              places + node("RotaryEmbedding", ", cos, sin, ids) interleaved=1") +
                  "; ids = Expand(int64(1, 7){2, 0, 4, 6, 8, 1, 3}, sizes2); sizes2 = "
                  "Concat(batch, [7]) axis=0",
              "", written(atPlaces, even, odd, pairs)},
             {"in rows, of places",
              places + inRows("RotaryEmbedding", ", cos, sin, ids) num_heads=2") +
                  "; ids = Expand(int64(1, 7){2, 0, 4, 6, 8, 1, 3}, sizes2); sizes2 = "
                  "Concat(batch, [7]) axis=0",
              "", written(atPlaces, first, second, halves)},
             {"of ONNX Runtime, of places",
              places + node("com.microsoft:RotaryEmbedding", ", ids, cos, sin)") +
                  "; ids = Expand(int64(1, 7){2, 0, 4, 6, 8, 1, 3}, sizes2); sizes2 = "
                  "Concat(batch, [7]) axis=0",
              "", written(atPlaces, first, second, halves)},
             {"of ONNX Runtime, from one place on",
              places + node("com.microsoft:RotaryEmbedding", ", [2], cos, sin)"), "",
              written("ids = int64(7){2, 3, 4, 5, 6, 7, 8}; cos = Gather(some(9, 2)#cos, ids)\n"
                      "sin = Gather(some(9, 2)#sin, ids); opset 23\n",
                      first, second, halves)}});
}

TEST(Spellings, ProductsByEinsum) {
  expectAll(
      vit(),
      {{"of queries and keys", "b0.qk = Einsum(b0.q, b0.k) equation='bhid,bhjd->bhij'"},
       {"of weights and values", "b0.mixed = Einsum(b0.weights, b0.v) equation='bhij,bhjd->bhid'"},
       {"of rows by head",
        R"(b0.qk = Einsum(b0.q.heads, b0.k.heads) equation='b i h d, b j h d -> b h i j'
b0.back = Einsum(b0.weights, b0.v.heads) equation='bhij,bjhd->bihd')"},
       {"with dots", "b0.qk = Einsum(b0.q, b0.k) equation='...id,...jd->...ij'"},
       {"projections to heads",
        R"(b0.q.heads = Einsum(b0.norm1, some(8, 2, 4)) equation='btd,dhk->bthk'
b0.k = Einsum(b0.norm1, some(8, 2, 4)) equation='btd,dhk->bhtk')"},
       {"projections from heads",
        "b0.out.product = Einsum(b0.back, some(2, 4, 8)) equation='bthk,hkd->btd'"},
       {"projections from heads in front",
        "b0.out.product = Einsum(b0.mixed, some(4, 2, 8)) equation='bhtk,khd->btd'"},
       {"biases of heads",
        R"(h = Reshape(b0.q.product, [0, 0, 2, 4]); b0.q.heads = Add(h, some(2, 4))
k1 = Reshape(b0.k.product, [0, 0, 2, 4]); k2 = Transpose(k1) perm=[0, 2, 1, 3]; b0.k = Add(k2, some(2, 1, 4)))"},
       {"a bias of rows",
        "h = Reshape(b0.q.product, [0, 0, 2, 4]); b0.q.heads = Add(h, some(7, 1, 1))", kNotKnown},
       {"one value, turned", "patches = Einsum(columns) equation='bcn->bnc'"},
       {"a sum over one factor's axis",
        "sums = Einsum(b0.norm2, some(12, 8)) equation='btd,ed->bt'\n"
        "wide = Unsqueeze(sums, [2]); b0.fc1 = Expand(wide, [1, 1, 12])",
        "block 1: not supported: "},
       {"no sum at all", "b0.gelu = Einsum(b0.fc1, b0.fc1.product) equation='btd,btd->btd'",
        "block 1: not supported: "}});
}

TEST(Spellings, Softmax) {
  const std::string byHand = R"(powers = Exp(b0.scores); sum = ReduceSum(powers, [-1])
b0.weights = Div(powers, sum)
)";
  const std::string shifted = byHand +
                              "largest = ReduceMax(b0.scores) axes=[-1]; powers = Exp(less)\n"
                              "less = Sub(b0.scores, largest)\n";
  // Keys in front of queries, and the weights behind their values.
  const std::string keysFirst =
      R"(b0.kt = Transpose(b0.q) perm=[0, 1, 3, 2]; b0.qk = MatMul(b0.k, b0.kt)
w = Softmax(b0.scores) axis=-2; b0.weights = Transpose(w) perm=[0, 1, 3, 2]
)";
  expectAll(vit(),
            {{"by its exponentials", byHand},
             {"less the largest", shifted},
             {"less the largest of all", shifted + "largest = ReduceMax(b0.scores) axes=[2, 3]"},
             {"over the queries", byHand + "sum = ReduceSum(powers, [2])", kNotKnown},
             {"over all of a head", byHand + "sum = ReduceSum(powers, [2, 3])", kNotKnown},
             {"the largest less the number", shifted + "less = Sub(largest, b0.scores)", kNotKnown},
             {"less another number for each", shifted + "largest = ReduceMax(b0.scores) axes=[2]",
              kNotKnown},
             {"the power of its logarithm",
              "logs = LogSoftmax(b0.scores) axis=-1; b0.weights = Exp(logs)"},
             {"less the logarithm of the sum", R"(sum = ReduceLogSumExp(b0.scores) axes=[-1]
less = Sub(b0.scores, sum); b0.weights = Exp(less))"},
             {"less that over the queries", R"(sum = ReduceLogSumExp(b0.scores) axes=[2]
less = Sub(b0.scores, sum); b0.weights = Exp(less))",
              kNotKnown},
             {"keys in front of queries", keysFirst},
             {"keys in front of queries, turned first",
              keysFirst + R"(t = Transpose(b0.scores) perm=[0, 1, 3, 2]
b0.weights = Softmax(t) axis=-1)"},
             {"keys in front of queries, over the queries",
              keysFirst + "w = Softmax(b0.scores) axis=-1", kNotKnown},
             {"values in front of weights", R"(vt = Transpose(b0.v) perm=[0, 1, 3, 2]
wt = Transpose(b0.weights) perm=[0, 1, 3, 2]; m = MatMul(vt, wt); b0.mixed = Transpose(m) perm=[0, 1, 3, 2])"}});
}

// Convolutions of one column, of planes of one column, and functions between them.
TEST(Spellings, RowsAsColumns) {
  const std::string mlp = R"(tall = Transpose(b0.norm2) perm=[0, 2, 1]
up = Conv(tall, some(12, 8, 1), some(12)) kernel_shape=[1]; bent = Gelu(up)
down = Conv(bent, some(8, 12, 1), some(8)) kernel_shape=[1]; b0.fc2 = Transpose(down) perm=[0, 2, 1]
)";
  const std::string same =
      R"(w1 = Reshape(some(12, 8, 1)#up/1, [12, 8]); w1t = Transpose(w1) perm=[1, 0]
b0.fc1.product = MatMul(b0.norm2, w1t); b0.fc1 = Add(b0.fc1.product, some(12)#up/2)
w2 = Reshape(some(8, 12, 1)#down/1, [8, 12]); w2t = Transpose(w2) perm=[1, 0]
b0.fc2.product = MatMul(b0.gelu, w2t); b0.fc2 = Add(b0.fc2.product, some(8)#down/2)
)";
  const std::string planes =
      R"(tall = Transpose(b0.norm2) perm=[0, 2, 1]; four = Unsqueeze(tall, [3])
up = Conv(four, some(12, 8, 1, 1), some(12)); bent = Gelu(up)
down = Conv(bent, some(8, 12, 1, 1), some(8)); three = Squeeze(down, [3]); b0.fc2 = Transpose(three) perm=[0, 2, 1]
)";
  // The whole stream is planes of one column, with norms along their columns.
  expectAll(
      vit(),
      {{"columns", mlp, "", same},
       {"columns without a bias", mlp + "up = Conv(tall, some(12, 8, 1)) kernel_shape=[1]", "",
        same + "b0.fc1 = MatMul(b0.norm2, w1t)"},
       {"with a gate and vectors", mlp + R"(gate = Sigmoid(up); gated = Mul(up, gate)
slopes = Mul(gated, some(12, 1)#s); bent = Add(slopes, 2.0))",
        "",
        same +
            R"(gate = Sigmoid(b0.fc1); gated = Mul(b0.fc1, gate); flat = Reshape(some(12, 1)#s, [12])
slopes = Mul(gated, flat); b0.gelu = Add(slopes, 2.0))"},
       {"planes of one column", planes, "block 1: not supported: "},
       {"a vector along the rows", planes + "bent = Mul(up, some(7, 1))",
        "block 1: not supported: "},
       {"what looks at neighbours",
        planes + "up = Conv(four, some(12, 8, 3, 1), some(12)) pads=[1, 0, 1, 0]",
        "block 1: not supported: "},
       {"of groups", planes + "up = Conv(four, some(12, 4, 1, 1), some(12)) group=2",
        "block 1: not supported: "}});
}

// What stands for float32 in another type, or around a value without changing it.
TEST(Spellings, OtherTypesAndWhatChangesNothing) {
  const std::string weight = "b0.fc1.product = MatMul(b0.norm2, w); w = Cast(w2) to=1; w2 = ";
  std::string halves;
  for (int i = 0; i < 96; ++i)
    halves += std::to_string(i % 2 == 0 ? 0x3800 + 7 * i : 0xb400 + 5 * i) + " ";
  expectAll(
      vit(),
      {{"half precision inside",
        "n = Cast(b0.norm2) to=10; p = MatMul(n, w); b0.fc1.product = Cast(p) to=1\n"
        "w = half(8, 12){" +
            halves + "}",
        "",
        "w2 = half(8, 12){" + halves +
            "}; w = Cast(w2) to=1; b0.fc1.product = MatMul(b0.norm2, w)"},
       {"rows that become planes and rows again", R"(t = Transpose(patches2) perm=[0, 2, 1]
g = Reshape(t, [-1, 8, 2, 3]); u = Transpose(g) perm=[0, 2, 3, 1]; patches = Reshape(u, [-1, 6, 8])
patches2 = Transpose(columns) perm=[0, 2, 1])"},
       {"rows that are cut apart and joined again",
        R"(a = Slice(b0, [0], [1], [1]); b = Slice(b0, [1], [7], [1])
c = Concat(a, b) axis=1; b1.half = Add(c, b1.out); b1.norm1 = LayerNormalization(c, some(8), some(8)))"},
       {"rows that are joined in another order",
        R"(a = Slice(b0, [0], [1], [1]); b = Slice(b0, [1], [7], [1])
c = Concat(b, a) axis=1; b1.half = Add(c, b1.out); b1.norm1 = LayerNormalization(c, some(8), some(8)))"},
       {"a sum of a stack",
        R"(a = Unsqueeze(tokens, [0]); b = Unsqueeze(b0.out, [0]); c = Concat(a, b) axis=0
b0.half = ReduceSum(c, [0]) keepdims=0)"},
       {"factors and sums of nothing",
        "a = Mul(b0.fc2, 1.0); c = Add(a, 0.0); d = Identity(c); b0 = Add(b0.half, d)"},
       {"a choice that is the same everywhere",
        "b0.fc2 = Where(bool(){1}, c, b0.half); c = Add(b0.fc2.product, some(8))"},
       {"a mean of features by a sum",
        "s = ReduceSum(b0.fc1, [2]); m = Div(s, 12.0); b0.gelu = Sub(b0.fc1, m)"},
       {"a sum by another number",
        "s = ReduceSum(b0.fc1, [2]); m = Div(s, 11.0); b0.gelu = Sub(b0.fc1, m)"},
       {"a mean by a sum", "s = ReduceSum(b1, [1]) keepdims=0; y = Div(s, 7.0)"},
       {"a mean by a pool",
        "t = Transpose(b1) perm=[0, 2, 1]; p = GlobalAveragePool(t); y = Squeeze(p, [2])"},
       {"Dropout", "d, _ = Dropout(b0.fc2); b0 = Add(b0.half, d)", "", "b0 = Add(b0.half, b0.fc2)"},
       {"a product that is split",
        R"(qkv = MatMul(b0.norm1, some(8, 24)); q, k, v = Split(qkv, [8, 8, 8]) axis=-1
b0.q.rows = Add(q, some(8)); b0.k.rows = Add(k, some(8)); b0.v.rows = Add(v, some(8)))"}});
}

// A norm of channels, and what is added to them, goes into a convolution or stays beside it.
TEST(Spellings, NormsAndBiasesOfChannels) {
  const std::string norm =
      "planes = BatchNormalization(c, some(8), some(8), some(8), fill(2, 8)) epsilon=1.0\n";
  expectAll(
      vit(),
      {{"behind a convolution", norm + "c = Conv(image, some(8, 1, 2, 2), some(8)) strides=[2, 2]"},
       {"behind one of groups", norm + "c = Conv(i, some(8, 2, 1, 1), some(8)) group=2\n"
                                       "i = Conv(image, some(4, 1, 2, 2)) strides=[2, 2]"},
       {"of what is read twice", norm +
                                     "c = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]\n"
                                     "both = Add(planes, c); columns = Reshape(both, [0, 8, 6])"},
       {"of the picture",
        "lit = BatchNormalization(image, {2}, {1}, {0.5}, {4})\n"
        "planes = Conv(lit, some(8, 1, 2, 2)) strides=[2, 2]"},
       {"a bias of channels",
        "c = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]; planes = Add(some(8, 1, 1), c)"},
       {"a bias beside one",
        "c = Conv(image, some(8, 1, 2, 2), some(8)) strides=[2, 2]\n"
        "planes = Add(c, some(1, 8, 1, 1))"},
       {"a bias of lines",
        "c = Conv(image, some(8, 1, 2, 2)) strides=[2, 2]; planes = Add(c, some(1, 1, 2, 1))"}});
}

}  // namespace
}  // namespace mpm::test
