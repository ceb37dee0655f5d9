// SPDX-License-Identifier: Apache-2.0
// Self-attention in the layouts and with the additions that exporters and people write, and near
// misses that are something else.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

std::string blocked(const std::string& why) { return "block 0: not supported: " + why; }

// q, k and v of the first block from one value that has them in front, along this axis.
std::string unpacked(const std::string& from, int axis) {
  std::string text;
  const char* const parts[] = {"q", "k", "v"};
  for (int i = 0; i < 3; ++i) {
    text += "b0." + std::string(parts[i]) + " = Gather(" + from + ", int64(){" + std::to_string(i) +
            "}) axis=" + std::to_string(axis) + "\n";
  }
  return text;
}

const std::string kPacked = "qkv = MatMul(b0.norm1, some(8, 24)); parts = Reshape(qkv, ";

TEST(Attention, LayoutsOfQueriesKeysAndValues) {
  // Heads and images as one axis.
  const std::string folded = R"(q3 = Reshape(b0.q, [-1, 7, 4]); k3 = Reshape(b0.k, [-1, 7, 4])
v3 = Reshape(b0.v, [-1, 7, 4]); kt3 = Transpose(k3) perm=[0, 2, 1]
b0.qk = MatMul(q3, kt3); mixed3 = MatMul(b0.weights, v3); b0.mixed = Reshape(mixed3, [-1, 2, 7, 4])
)";
  // Rows in front of images, as PyTorch's attention without batch_first.
  const std::string rowsFirst = "in = Transpose(b0.norm1) perm=[1, 0, 2]\n";
  std::string turned = rowsFirst;
  for (const std::string part : {"b0.q", "b0.k", "b0.v"}) {
    turned += part + ".product = MatMul(in, some(8, 8))\n" + part + ".heads = Reshape(" + part +
              ".rows, [7, -1, 2, 4])\n" + part + " = Transpose(" + part +
              ".heads) perm=[1, 2, 0, 3]\n";
  }
  turned +=
      "b0.back = Transpose(b0.mixed) perm=[2, 0, 1, 3]\n"
      "b0.joined = Reshape(b0.back, [7, -1, 8])\nb0.out.product = MatMul(b0.joined, some(8, 8))\n"
      "behind = Transpose(b0.out) perm=[1, 0, 2]\nb0.half = Add(tokens, behind)\n";
  // Heads in front of images, of which there may be as many.
  const std::string headsFirst = R"(qh = Transpose(b0.q) perm=[1, 0, 2, 3]
kh = Transpose(b0.k) perm=[1, 0, 2, 3]; vh = Transpose(b0.v) perm=[1, 0, 2, 3]
b0.kt = Transpose(kh) perm=[0, 1, 3, 2]; b0.qk = MatMul(qh, b0.kt); b0.mixed = MatMul(b0.weights, vh)
b0.back = Transpose(b0.mixed) perm=[1, 2, 0, 3]
)";
  expectAll(vit(), {{"separate", ""},
                    {"one layer, parts in front of heads",
                     kPacked +
                         "[0, 0, 3, 2, 4])\n"
                         "turned = Transpose(parts) perm=[2, 0, 3, 1, 4]\n" +
                         unpacked("turned", 0)},
                    {"one layer, heads in front of parts",
                     kPacked +
                         "[0, 0, 2, 3, 4])\n"
                         "turned = Transpose(parts) perm=[3, 0, 2, 1, 4]\n" +
                         unpacked("turned", 0)},
                    {"one layer, cut into slices", R"(qkv = MatMul(b0.norm1, some(8, 24))
b0.q.rows = Slice(qkv, [0], [8], [2]); b0.k.rows = Slice(qkv, [8], [16], [2])
b0.v.rows = Slice(qkv, [16], [24], [2]))"},
                    {"one layer, split", R"(qkv = MatMul(b0.norm1, some(8, 24))
b0.q.rows, b0.k.rows, b0.v.rows = Split(qkv, [8, 8, 8]) axis=2)"},
                    {"heads and images as one axis", folded},
                    {"rows in front of images", turned},
                    {"rows in front of images, scaled behind",
                     turned + "scaled = Mul(behind, some(8)); b0.half = Add(tokens, scaled)"},
                    {"heads in front of images", headsFirst},
                    {"the keys by the queries",
                     "b0.kt = Transpose(b0.q) perm=[0, 1, 3, 2]; b0.qk = MatMul(b0.k, b0.kt)"},
                    {"a result with rows and images swapped",
                     R"(b0.back = Transpose(b0.mixed) perm=[2, 0, 1, 3]
b0.joined = Reshape(b0.back, [7, -1, 8]); swapped = Transpose(b0.joined) perm=[1, 0, 2]
b0.out.product = MatMul(swapped, some(8, 8)))"}});
}

TEST(Attention, ScalesAndMasks) {
  const std::string masked = blocked(
      "an attention mask, or a bias of its similarities that is not known, at node 'added_node'");
  const std::string added = "b0.weights = Softmax(added) axis=-1; added = Add(b0.scores, ";
  expectAll(
      vit(),
      {{"divided", "b0.scores = Div(b0.qk, 1.5)"},
       {"of queries, keys and both", R"(q2 = Mul(b0.q, 0.5); b0.k.heads = Reshape(k2, [0, 0, 2, 4])
k2 = Mul(b0.k.rows, 0.25); b0.qk = MatMul(q2, b0.kt); b0.scores = Mul(b0.qk, 3.0))"},
       {"of nothing", "b0.scores = Mul(b0.qk, 0.0)",
        blocked("a scale of q k that is 0 or not finite")},
       {"along the last axis by its number", "b0.weights = Softmax(b0.scores) axis=3"},
       {"over the queries", "b0.weights = Softmax(b0.scores) axis=2", blocked("")},
       {"a mask of zeros", added + "fill(0, 7, 7))"},
       {"a bias of all heads", added + "some(7, 7))"},
       {"a bias of each head", added + "some(1, 2, 7, 7))"},
       {"a bias in front of the scale",
        "added = Add(b0.qk, some(7, 7)); b0.scores = Mul(added, 0.7)"},
       {"a bias and one number more",
        "more = Add(some(7, 7), fill(1, 1, 1, 7, 1))\n" + added + "more)"},
       {"a mask", added + "float(1, 7){0, 0, 0, 0, 0, 0, -inf})", masked},
       {"a mask of large numbers", added + "float(1, 7){0, 0, 0, 0, 0, 0, -3.4028235e38})", masked},
       {"less the largest of each row", R"(small = Mul(b0.scores, 0.25)
largest = ReduceMax(small) axes=[-1] keepdims=0; row = Unsqueeze(largest, [-1])
less = Sub(small, row); again = Mul(less, 4.0); b0.weights = Softmax(again) axis=-1)"}});
}

// A norm of each head, and of all heads together; rows of length one, and numbers of each head.
TEST(Attention, NormsAndNumbersOfHeads) {
  const std::string norms = R"(qn = LayerNormalization(b0.q, some(4), some(4))
kn = LayerNormalization(b0.k, some(4), some(4)); b0.kt = Transpose(kn) perm=[0, 1, 3, 2]
b0.qk = MatMul(qn, b0.kt)
)";
  const std::string units = R"(ql = ReduceL2(b0.q) axes=[-1]; qn = Div(b0.q, ql)
kl = ReduceL2(b0.k) axes=[-1]; kn = Div(b0.k, kl); b0.kt = Transpose(kn) perm=[0, 1, 3, 2]
b0.qk = MatMul(qn, b0.kt)
)";
  const std::string together = R"(qj = LayerNormalization(b0.q.rows, some(8), some(8))
kj = LayerNormalization(b0.k.rows, some(8), some(8)); b0.q.heads = Reshape(qj, [0, 0, 2, 4])
b0.k.heads = Reshape(kj, [0, 0, 2, 4])
)";
  const std::string turnedLength = R"(ql = ReduceL2(b0.q.heads) axes=[-1]
qt = Transpose(ql) perm=[0, 2, 1, 3]; qn = Div(b0.q, qt))";
  const std::string grouped = R"(qg = Reshape(b0.q, [-1, 2, 7, 1, 4]); qgl = ReduceL2(qg) axes=[-1]
qgn = Div(qg, qgl); qn = Reshape(qgn, [-1, 2, 7, 4]); kg = Reshape(b0.k, [-1, 2, 7, 1, 4])
kgl = ReduceL2(kg) axes=[-1]; kgn = Div(kg, kgl); kn = Reshape(kgn, [-1, 2, 7, 4])
)";
  const std::string byHead =
      "b0.weights = Softmax(hot) axis=-1; hot = Mul(b0.scores, some(2, 1, 1))\n";
  const std::string normalised = blocked("normalised q, k or v");
  expectAll(
      vit(),
      {{"a norm of each head", norms},
       {"a norm behind a scale",
        norms + "qn = LayerNormalization(q2, some(4), some(4)); q2 = Mul(b0.q, 2.0)", normalised},
       {"a norm of queries alone",
        "qn = LayerNormalization(b0.q, some(4), some(4)); b0.qk = MatMul(qn, b0.kt)",
        blocked("q and k that are normalised or turned by their position differently")},
       {"a norm of all heads", together},
       {"a norm of all heads, of a part of a layer",
        together + R"(qkv = MatMul(b0.norm1, some(8, 24))
b0.q.rows = Slice(qkv, [0], [8], [2]); b0.k.rows = Slice(qkv, [8], [16], [2])
b0.v.rows = Slice(qkv, [16], [24], [2]))"},
       {"one norm behind another", together + norms, normalised},
       {"rows of length one", units},
       {"rows of length one, times a vector",
        units + "q2 = Mul(qn, some(2, 1, 4)); b0.qk = MatMul(q2, b0.kt)"},
       {"rows of length one, scores by head", units + byHead},
       {"rows of length one, whose lengths are turned", units + turnedLength},
       {"rows of length one, in groups", units + grouped},
       {"rows of length one, and a sum",
        units + "q2 = Add(qn, some(2, 1, 1)); b0.qk = MatMul(q2, b0.kt)", normalised},
       {"scores by head", byHead},
       {"queries by head, with a bias", byHead + R"(q2 = Mul(b0.q, 8.0); q3 = Mul(q2, some(2, 1, 4))
q4 = Add(some(2, 1, 1), q3); q5 = Mul(q4, 0.5); b0.qk = MatMul(q5, b0.kt))"},
       {"values by feature",
        "v2 = Mul(b0.v, 2.0); v3 = Mul(v2, some(4)); b0.mixed = MatMul(b0.weights, v3)"}});
}

TEST(Attention, OthersAreRefusedInASentence) {
  const std::string made = "q, k and v are made from different values";
  const std::string gate = R"(both = Add(shared, some(1, 2, 7, 7)); shared = Mul(b0.weights, 0.75)
sums = ReduceSum(both, [-1]); gated = Div(both, sums); b0.mixed = MatMul(gated, b0.v))";
  const std::string layout = blocked("the layout of its result is not understood");
  expectAll(
      vit(),
      {{"keys of another value", "b0.k.product = MatMul(tokens, some(8, 8))", blocked(made)},
       {"values of another value", "b0.v.product = MatMul(tokens, some(8, 8))", blocked(made)},
       {"more than a softmax", gate, blocked("attention weights that are more than one softmax")},
       {"talking heads", R"(last = Transpose(b0.weights) perm=[0, 2, 3, 1]
talked = MatMul(last, some(2, 2)); first = Transpose(talked) perm=[0, 3, 1, 2]
b0.mixed = MatMul(first, b0.v))",
        blocked("attention weights that heads mix with each other's (talking heads)")},
       {"a gate", "ungated = MatMul(b0.weights, b0.v); b0.mixed = Mul(ungated, b0.v)",
        blocked("its result is multiplied with a gate before heads are joined")},
       {"values that are no linear layer",
        "squares = Mul(b0.v, b0.v); twice = Add(squares, squares)\n"
        "b0.mixed = MatMul(b0.weights, twice)",
        blocked("not made by a linear layer")},
       {"queries that are convolved", R"(one = Slice(b0.q.rows, [0], [1], [1])
others = Slice(b0.q.rows, [1], [7], [1]); tall = Transpose(others) perm=[0, 2, 1]
line = Reshape(tall, [0, 0, 1, 6]); seen = Conv(line, some(8, 1, 1, 1)) group=8
flat = Reshape(seen, [0, 0, 6]); low = Transpose(flat) perm=[0, 2, 1]
q2 = Concat(one, low) axis=1; b0.q.heads = Reshape(q2, [0, 0, 2, 4]))",
        blocked("made by a convolution of its tokens")},
       {"heads that never come back", "b0.joined = Reshape(b0.mixed, [0, 7, 8])",
        blocked("its attention, or how it joins what it read")},
       {"features in front of heads", "b0.back = Transpose(b0.mixed) perm=[0, 2, 3, 1]", layout},
       {"images that are mixed",
        "b0.back = Transpose(b0.mixed) perm=[2, 0, 1, 3]; "
        "b0.joined = Reshape(b0.back, [-1, 7, 8])",
        blocked("its attention, or how it joins what it read")}});
}

// Heads of keys and values that serve several of queries: four of queries here.
TEST(Attention, HeadsOfKeysThatServeSeveralOfQueries) {
  const auto shared = [](int groups, const std::string& how) {
    std::string text =
        "b0.q.heads = Reshape(b0.q.rows, [0, 0, 4, 2]); b0.kt = Transpose(k4) perm=[0, 1, 3, 2]\n"
        "b0.mixed = MatMul(b0.weights, v4)\n";
    for (const std::string part : {"k", "v"}) {
      const std::string name = "b0." + part, width = std::to_string(2 * groups);
      text += name + ".product = MatMul(b0.norm1, some(8, " + width + "))\n" + name +
              ".rows = Add(" + name + ".product, some(" + width + "))\n" + name +
              ".heads = Reshape(" + name + ".rows, [0, 0, " + std::to_string(groups) + ", 2])\n" +
              replaced(how, "$", part);
    }
    return text;
  };
  const std::string expand =
      "$a = Reshape(b0.$, [-1, 2, 1, 7, 2]); $b = Expand($a, [1, 1, 2, 1, 1])\n"
      "$4 = Reshape($b, [-1, 4, 7, 2])\n";
  expectAll(vit(), {{"by Expand", shared(2, expand)},
                    {"by Tile", shared(2, "$4 = Tile(b0.$, [1, 2, 1, 1])\n")},
                    {"by Gather", shared(2, "$4 = Gather(b0.$, [0, 0, 1, 1]) axis=1\n")},
                    {"one for all", shared(1, "$4 = Tile(b0.$, [1, 4, 1, 1])\n")},
                    {"one for all, by the product", shared(1, "$4 = Identity(b0.$)\n")},
                    {"rows that are repeated",
                     shared(4, "$4 = Gather(b0.$, [0, 0, 1, 1, 2, 2, 3]) axis=2\n"),
                     blocked("its layout is not understood")}});
}

// Heads that are computed one by one and joined.
std::string headByHead(bool haveLayers, const std::string& change = "") {
  std::string text = "b0.joined = Concat(h0, h1) axis=-1\n";
  for (const std::string head : {"0", "1"}) {
    for (const std::string part : {"q", "k", "v"}) {
      const std::string name = part + head;
      text += haveLayers ? name + ".p = MatMul(b0.norm1, some(8, 4)); " + name + " = Add(" + name +
                               ".p, some(4))\n"
                         : name + " = Slice(b0." + part + ".rows, [" +
                               (head == "0" ? "0], [4" : "4], [8") + "], [2])\n";
    }
    text +=
        replaced(R"(kt$ = Transpose(k$) perm=[0, 2, 1]; qk$ = MatMul(q$, kt$); s$ = Mul(qk$, 0.5)
w$ = Softmax(s$) axis=-1; h$ = MatMul(w$, v$)
)",
                 "$", head);
  }
  return changed(text, change);
}

TEST(Attention, HeadsThatAreComputedOneByOne) {
  const std::string otherwise = blocked("q, k or v that are multiplied with other numbers");
  expectAll(vit(),
            {{"of one layer", headByHead(false)},
             {"of one layer, the second in front",
              headByHead(false, "b0.joined = Concat(h1, h0) axis=-1")},
             {"of layers of their own", headByHead(true)},
             {"keys without a bias", headByHead(true,
                                                "k0 = MatMul(b0.norm1, some(8, 4)#a)\n"
                                                "k1 = MatMul(b0.norm1, some(8, 4)#b)")},
             {"of two values", headByHead(true, "q1.p = MatMul(tokens, some(8, 4))"), blocked("")},
             {"with scales of their own", headByHead(false, "s1 = Mul(qk1, 0.25)")},
             {"with gains of their own", headByHead(true,
                                                    "q2 = Mul(some(4), q0); qk0 = MatMul(q2, kt0)\n"
                                                    "s1 = Mul(qk1, 1.5)")},
             {"a number for each row",
              headByHead(false, "q2 = Mul(some(7, 1), q0); qk0 = MatMul(q2, kt0)"), otherwise}});
}

// Rotary positions, by what they compute.
std::string rotary(const std::string& turn, const std::string& change = "") {
  return changed(
      replaced(turn, "$", "q") + replaced(turn, "$", "k") +
          "b0.kt = Transpose(k.turned) perm=[0, 1, 3, 2]; b0.qk = MatMul(q.turned, b0.kt)\n",
      change);
}

// cos and sin of 7 rows, of features that pair by halves or with their neighbours.
const std::string kTables =
    "cos = some(7, 2)#cos; sin = some(7, 2)#sin\n"
    "coss = Concat(cos, cos) axis=-1; sins = Concat(sin, sin) axis=-1\n";
const std::string kHalves = R"($.a = Slice(b0.$, [0], [2], [3]); $.b = Slice(b0.$, [2], [4], [3])
$.minus = Neg($.b); $.other = Concat($.minus, $.a) axis=-1; $.x = Mul(b0.$, coss)
$.y = Mul($.other, sins); $.turned = Add($.x, $.y)
)";

TEST(Attention, RotaryPositions) {
  const std::string neighbours = R"($.a = Slice(b0.$, [0], [4], [3], [2])
$.b = Slice(b0.$, [1], [4], [3], [2]); $.x = Mul($.a, cos); $.y = Mul($.b, sin); $.first = Sub($.x, $.y)
$.z = Mul($.a, sin); $.w = Mul($.b, cos); $.second = Add($.z, $.w); $.one = Unsqueeze($.first, [-1])
$.two = Unsqueeze($.second, [-1]); $.pairs = Concat($.one, $.two) axis=-1
$.turned = Reshape($.pairs, [0, 2, 7, 4])
)";
  const std::string special =
      R"($.class = Slice(b0.$, [0], [1], [2]); $.image = Slice(b0.$, [1], [7], [2])
$.a = Slice($.image, [0], [2], [3]); $.b = Slice($.image, [2], [4], [3]); $.minus = Neg($.b)
$.other = Concat($.minus, $.a) axis=-1; $.x = Mul($.image, some(6, 4)#c); $.y = Mul($.other, some(6, 4)#s)
$.sum = Add($.x, $.y); $.turned = Concat($.class, $.sum) axis=2
)";
  // ONNX Runtime moves a transpose behind the slice of special rows.
  const std::string apart =
      "$.class = Transpose($.row) perm=[0, 2, 1, 3]\n"
      "$.row = Slice(b0.$.heads, [0], [1], [1])\n";
  const std::string differs =
      blocked("q and k that are normalised or turned by their position differently");
  expectAll(
      vit(),
      {{"halves", kTables + rotary(kHalves)},
       {"neighbours", kTables + rotary(neighbours)},
       {"all but special rows", rotary(special)},
       {"special rows that are turned apart", rotary(special + apart)},
       {"of each head", kTables + rotary(kHalves, "coss = some(2, 7, 4); sins = some(2, 7, 4)#s")},
       {"of queries alone", kTables + rotary(kHalves, "b0.kt = Transpose(b0.k) perm=[0, 1, 3, 2]"),
        differs},
       {"with other numbers for keys",
        kTables + rotary(kHalves, "k.x = Mul(b0.k, some(7, 4)#other)"), differs},
       {"and a position that is added",
        kTables + rotary(kHalves,
                         "q.sum = Add(q.x, q.y)\n"
                         "q.turned = Add(q.sum, some(7, 4))"),
        blocked("")},
       {"times the rows themselves",
        kTables + rotary(kHalves,
                         "q.sum = Add(q.x, q.y)\n"
                         "q.turned = Mul(q.sum, b0.q)"),
        blocked("")},
       {"without pairs", "q2 = Mul(b0.q, some(7, 4)); b0.qk = MatMul(q2, b0.kt)", blocked("")},
       {"of values",
        "t = Neg(b0.v); a = Mul(b0.v, b0.v); b = Mul(t, b0.v); c = Add(a, b)\n"
        "b0.mixed = MatMul(b0.weights, c)",
        blocked("rotary positions")}});
}

}  // namespace
}  // namespace mpm::test
