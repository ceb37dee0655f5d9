// SPDX-License-Identifier: Apache-2.0
// Rotary positions, in the spellings of libraries: found by what they compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/probe.h"

namespace mpm::test {
namespace {

using onnx::FoundRotary;

constexpr std::int64_t kRows = 5, kHeads = 3, kWidth = 8;

float angleOf(std::int64_t row, std::int64_t feature) {
  return 0.3F * static_cast<float>(row + 1) / static_cast<float>(feature + 1);
}

// [rows x kWidth] of cos or sin, for features that pair by `pair`.
std::vector<float> table(bool isSine, std::int64_t rows, const std::vector<std::int64_t>& pair) {
  std::vector<float> values;
  for (std::int64_t n = 0; n < rows; ++n) {
    for (std::int64_t i = 0; i < kWidth; ++i) {
      const float angle = angleOf(n, std::min(i, pair[static_cast<std::size_t>(i)]));
      values.push_back(isSine ? std::sin(angle) : std::cos(angle));
    }
  }
  return values;
}

const std::vector<std::int64_t> kHalves{4, 5, 6, 7, 0, 1, 2, 3},
    kNeighbours{1, 0, 3, 2, 5, 4, 7, 6};

ModelProto rotaryModel() {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, kHeads, kRows, kWidth});
  return proto;
}

// x cos + turned sin
void finish(ModelProto& proto, const std::string& x, const std::string& turned, std::int64_t rows,
            const std::vector<std::int64_t>& pair, const std::string& to) {
  addConstant(proto, "cos", {rows, kWidth}, table(false, rows, pair));
  addConstant(proto, "sin", {rows, kWidth}, table(true, rows, pair));
  addNode(proto, "Mul", {x, "cos"}, {"part_cos"});
  addNode(proto, "Mul", {turned, "sin"}, {"part_sin"});
  addNode(proto, "Add", {"part_cos", "part_sin"}, {to});
}

// The second half, negated, in front of the first: GPT-NeoX, DINOv3.
void turnHalves(ModelProto& proto, const std::string& x) {
  addSlice(proto, x, 3, 0, 4, "first");
  addSlice(proto, x, 3, 4, 8, "second");
  addNode(proto, "Neg", {"second"}, {"minus"});
  addConcat(proto, {"minus", "first"}, -1, "turned");
}

// Every other feature: GPT-J, EVA.
void turnNeighbours(ModelProto& proto, const std::string& x) {
  addSlice(proto, x, 3, 0, 8, "even", 2);
  addSlice(proto, x, 3, 1, 8, "odd", 2);
  addNode(proto, "Neg", {"odd"}, {"minus"});
  const onnx::Integers dims{0, kHeads, kRows, 4, 1};
  addReshape(proto, "minus", dims, "minus_deep");
  addReshape(proto, "even", dims, "even_deep");
  addConcat(proto, {"minus_deep", "even_deep"}, -1, "deep");
  addReshape(proto, "deep", {0, kHeads, kRows, kWidth}, "turned");
}

void expectRotary(ModelProto proto, const std::vector<std::int64_t>& pair, std::int64_t special) {
  addOutput(proto, "y");
  const Looked looked(std::move(proto), 2);
  const auto found = onnx::findRotary(looked.facts(), "y", 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "x");
  EXPECT_EQ(found->pair, pair);
  ASSERT_EQ(found->own.size(), static_cast<std::size_t>(kRows * kWidth));
  for (std::int64_t n = 0; n < kRows; ++n) {
    for (std::int64_t i = 0; i < kWidth; ++i) {
      const auto at = static_cast<std::size_t>(n * kWidth + i);
      const std::int64_t other = pair[static_cast<std::size_t>(i)];
      const float angle = n < special ? 0 : angleOf(n - special, std::min(i, other));
      EXPECT_FLOAT_EQ(found->own[at], std::cos(angle));
      EXPECT_FLOAT_EQ(found->other[at], std::sin(angle) * (i < other ? -1.0F : 1.0F));
    }
  }
}

TEST(FindRotary, Halves) {
  auto proto = rotaryModel();
  turnHalves(proto, "x");
  finish(proto, "x", "turned", kRows, kHalves, "y");
  expectRotary(std::move(proto), kHalves, 0);
}

TEST(FindRotary, Neighbours) {
  auto proto = rotaryModel();
  turnNeighbours(proto, "x");
  finish(proto, "x", "turned", kRows, kNeighbours, "y");
  expectRotary(std::move(proto), kNeighbours, 0);
}

TEST(FindRotary, SpecialRowsStayAsTheyAre) {
  auto proto = rotaryModel();
  addSlice(proto, "x", 2, 0, 2, "special");
  addSlice(proto, "x", 2, 2, kRows, "image");
  turnHalves(proto, "image");
  finish(proto, "image", "turned", kRows - 2, kHalves, "image_turned");
  addConcat(proto, {"special", "image_turned"}, 2, "y");
  expectRotary(std::move(proto), kHalves, 2);
}

// ONNX Runtime moves a transpose behind the slice of special rows.
TEST(FindRotary, BranchesThatAreTransposedEachByItself) {
  auto proto = emptyModel();
  addInput(proto, "rows", {-1, kRows, kHeads, kWidth});
  addSlice(proto, "rows", 1, 0, 2, "special_rows");
  addTranspose(proto, "special_rows", {0, 2, 1, 3}, "special");
  addTranspose(proto, "rows", {0, 2, 1, 3}, "x");
  addSlice(proto, "x", 2, 2, kRows, "image");
  turnHalves(proto, "image");
  finish(proto, "image", "turned", kRows - 2, kHalves, "image_turned");
  addConcat(proto, {"special", "image_turned"}, 2, "y");
  addOutput(proto, "y");
  const Looked looked(std::move(proto), 2);
  const auto found = onnx::findRotary(looked.facts(), "y", 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "rows");
  EXPECT_TRUE(found->swapsAxes);
  EXPECT_EQ(found->own[0], 1);
  EXPECT_FLOAT_EQ(found->own[2 * kWidth], std::cos(angleOf(0, 0)));
}

// What each pair of neighbours becomes is computed by itself, and stacked: as language models have
// it. Where heads end only a Reshape says.
std::string stackedPairs(ModelProto& proto, const std::string& rows) {
  const std::string x = rows + "_heads", to = rows + "_turned";
  addReshape(proto, rows, {0, kRows, kHeads, kWidth}, rows + "_split");
  addTranspose(proto, rows + "_split", {0, 2, 1, 3}, x);
  addSlice(proto, x, 3, 0, kWidth, x + "_even", 2);
  addSlice(proto, x, 3, 1, kWidth, x + "_odd", 2);
  const char* const parts[][3] = {
      {"_even", "cos", "_a"}, {"_odd", "sin", "_b"}, {"_even", "sin", "_c"}, {"_odd", "cos", "_d"}};
  for (const auto& [side, factors, name] : parts)
    addNode(proto, "Mul", {x + side, factors}, {x + name});
  addNode(proto, "Sub", {x + "_a", x + "_b"}, {x + "_first"});
  addNode(proto, "Add", {x + "_c", x + "_d"}, {x + "_second"});
  for (const char* name : {"_first", "_second"})
    addNode(proto, "Unsqueeze", {x + name, "last"}, {x + name + "_raised"});
  addConcat(proto, {x + "_first_raised", x + "_second_raised"}, -1, x + "_pairs");
  addReshape(proto, x + "_pairs", {0, kHeads, kRows, kWidth}, to);
  return to;
}

TEST(FindRotary, StackedPairsOfQueriesAndKeys) {
  constexpr std::int64_t kDim = kHeads * kWidth;
  auto proto = emptyModel();
  addInput(proto, "x", {-1, kRows, kDim});
  addIntegers(proto, "last", {-1});
  addConstant(proto, "cos", {kRows, 4}, someValues({kRows, 4}));
  addConstant(proto, "sin", {kRows, 4}, someValues({kRows, 4}, 0.7F));
  for (const char* name : {"q", "k", "v"}) addLinear(proto, "x", kDim, kDim, name);
  const std::string q = stackedPairs(proto, "q"), k = stackedPairs(proto, "k");
  addReshape(proto, "v", {0, kRows, kHeads, kWidth}, "v_split");
  addTranspose(proto, "v_split", {0, 2, 1, 3}, "v_heads");
  addTranspose(proto, k, {0, 1, 3, 2}, "k_columns");
  addNode(proto, "MatMul", {q, "k_columns"}, {"scores"});
  addNode(proto, "Softmax", {"scores"}, {"weights"});
  addNode(proto, "MatMul", {"weights", "v_heads"}, {"mix"});
  addTranspose(proto, "mix", {0, 2, 1, 3}, "mix_rows");
  addReshape(proto, "mix_rows", {0, kRows, kDim}, "y");
  addOutput(proto, "y");
  const Looked looked(std::move(proto), 2);
  const auto found = onnx::findAttention(looked.facts(), "y", 2);
  ASSERT_TRUE(found.found) << found.obstacle;
  ASSERT_TRUE(found.found->q.rotary && found.found->k.rotary);
  const std::vector<std::int64_t> ofHead(found.found->q.features.begin(),
                                         found.found->q.features.begin() + kWidth);
  EXPECT_EQ(ofHead, (std::vector<std::int64_t>{0, 2, 4, 6, 1, 3, 5, 7})) << "first of each pair";
}

// As timm's mixed positions: each head has angles of its own.
TEST(FindRotary, FactorsOfEachHead) {
  auto proto = rotaryModel();
  turnHalves(proto, "x");
  std::vector<float> cosines, sines;
  for (std::int64_t head = 0; head < kHeads; ++head) {
    for (std::int64_t n = 0; n < kRows; ++n) {
      for (std::int64_t i = 0; i < kWidth; ++i) {
        const float angle = static_cast<float>(head + 1) * angleOf(n, i % (kWidth / 2));
        cosines.push_back(std::cos(angle));
        sines.push_back(std::sin(angle));
      }
    }
  }
  addConstant(proto, "cos", {kHeads, kRows, kWidth}, cosines);
  addConstant(proto, "sin", {kHeads, kRows, kWidth}, sines);
  addNode(proto, "Mul", {"x", "cos"}, {"part_cos"});
  addNode(proto, "Mul", {"turned", "sin"}, {"part_sin"});
  addNode(proto, "Add", {"part_cos", "part_sin"}, {"y"});
  addOutput(proto, "y");
  const Looked looked(std::move(proto), 2);
  EXPECT_FALSE(onnx::findRotary(looked.facts(), "y", 2));
  const auto found = onnx::findRotary(looked.facts(), "y", 2, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->heads, kHeads);
  EXPECT_EQ(found->pair, kHalves);
  ASSERT_EQ(found->own.size(), static_cast<std::size_t>(kRows * kHeads * kWidth));
  EXPECT_FLOAT_EQ(found->own[(2 * kHeads + 1) * kWidth + 3], std::cos(2 * angleOf(2, 3)));
  EXPECT_FLOAT_EQ(found->other[(2 * kHeads + 1) * kWidth + 3], -std::sin(2 * angleOf(2, 3)));
}

// What was found is remembered, and must not be taken for what has the same nodes with other
// constants, or the same constants in other places.
TEST(FindRotary, AlikeButForTheirConstants) {
  auto proto = rotaryModel();
  turnHalves(proto, "x");
  const auto addTable = [&](const std::string& name, bool isSine, float factor) {
    std::vector<float> values = table(isSine, kRows, kHalves);
    for (float& value : values) value *= factor;
    addConstant(proto, name, {kRows, kWidth}, values);
  };
  addTable("cos", false, 1);
  addTable("sin", true, 1);
  addTable("same_cos", false, 1);
  addTable("other_cos", false, 0.5F);
  const auto finishWith = [&](const std::string& own, const std::string& other,
                              const std::string& to) {
    addNode(proto, "Mul", {"x", own}, {to + "_own"});
    addNode(proto, "Mul", {"turned", other}, {to + "_other"});
    addNode(proto, "Add", {to + "_own", to + "_other"}, {to});
    addOutput(proto, to);
  };
  finishWith("cos", "sin", "a");
  finishWith("same_cos", "sin", "b");
  finishWith("other_cos", "sin", "c");
  finishWith("sin", "cos", "d");
  finishWith("cos", "cos", "e");
  const Looked looked(std::move(proto), 2);
  const onnx::Facts facts = looked.facts();
  const auto a = onnx::findRotary(facts, "a", 2), b = onnx::findRotary(facts, "b", 2),
             c = onnx::findRotary(facts, "c", 2), d = onnx::findRotary(facts, "d", 2),
             e = onnx::findRotary(facts, "e", 2);
  ASSERT_TRUE(a && b && c && d && e);
  EXPECT_EQ(facts.probed->turned.size(), 4U) << "a and b are the same";
  EXPECT_EQ(b->own, a->own);
  EXPECT_EQ(b->other, a->other);
  EXPECT_NE(b->nodes, a->nodes);
  EXPECT_FLOAT_EQ(c->own[3], 0.5F * a->own[3]);
  EXPECT_EQ(c->other, a->other);
  EXPECT_FLOAT_EQ(d->own[kWidth - 1], a->other[kWidth - 1]);
  EXPECT_EQ(e->own, a->own);
  EXPECT_FLOAT_EQ(e->other[kWidth - 1], a->own[kWidth - 1]);
}

TEST(FindRotary, NearMisses) {
  const auto isFound = [](ModelProto proto) {
    addOutput(proto, "y");
    const Looked looked(std::move(proto), 2);
    return onnx::findRotary(looked.facts(), "y", 2).has_value();
  };
  auto added = rotaryModel();  // a position that is added is none that turns
  addSome(added, "position", {kRows, kWidth});
  turnHalves(added, "x");
  finish(added, "x", "turned", kRows, kHalves, "sum");
  addNode(added, "Add", {"sum", "position"}, {"y"});
  EXPECT_FALSE(isFound(std::move(added)));

  auto scaled = rotaryModel();  // no pairs
  addSome(scaled, "factors", {kRows, kWidth});
  addNode(scaled, "Mul", {"x", "factors"}, {"y"});
  EXPECT_FALSE(isFound(std::move(scaled)));

  auto byHead = rotaryModel();  // each head has angles of its own
  addSome(byHead, "of_heads", {kHeads, 1, kWidth});
  turnHalves(byHead, "x");
  finish(byHead, "x", "turned", kRows, kHalves, "same");
  addNode(byHead, "Mul", {"same", "of_heads"}, {"y"});
  EXPECT_FALSE(isFound(std::move(byHead)));

  auto squared = rotaryModel();  // not linear
  turnHalves(squared, "x");
  finish(squared, "x", "turned", kRows, kHalves, "same");
  addNode(squared, "Mul", {"same", "x"}, {"y"});
  EXPECT_FALSE(isFound(std::move(squared)));
}

}  // namespace
}  // namespace mpm::test
