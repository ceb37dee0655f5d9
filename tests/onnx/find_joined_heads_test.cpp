// SPDX-License-Identifier: Apache-2.0
// Heads that are computed one by one and joined, from one linear layer or from layers of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/lower_case.h"
#include "onnx/normal_form/fold.h"
#include "onnx/recognise/parts.h"

namespace mpm::test {
namespace {

constexpr std::int64_t kRows = 5, kDim = 6, kWidth = 3;

struct JoinedHeads {
  bool haveLayers = false;   // each its own
  float secondScale = 0.5F;  // of the second one's q k
  float scale = 0.5F;        // of the first one's
  const char* secondFrom = "x";
  bool isSecondLast = true;  // else it stands in front
  std::int64_t axis = -1;    // along which they are joined
  Integers gain = {};        // dims of what each head's q is multiplied with; empty: nothing
};

// A head's q, times 2, 3, 4, .. or, that of the second one, 4, 5, 6, ..
std::string withGain(ModelProto& proto, const JoinedHeads& heads, int head, const std::string& q) {
  if (heads.gain.empty()) return q;
  std::vector<float> numbers = someValues(heads.gain);
  std::iota(numbers.begin(), numbers.end(), 2 * static_cast<float>(head) + 2);
  addConstant(proto, q + "_gain", heads.gain, numbers);
  addNode(proto, "Mul", {q + "_gain", q}, {q + "_times"});
  return q + "_times";
}

// The q, k or v of a head.
std::string partOf(ModelProto& proto, const JoinedHeads& heads, int head, int which) {
  const std::string name = std::string(1, "qkv"[which]) + std::to_string(head);
  const std::string from = head == 1 ? heads.secondFrom : "x";
  if (heads.haveLayers) {
    addSome(proto, name + "_weight", {kDim, kWidth}, 0.1F * static_cast<float>(3 * head + which));
    addNode(proto, "MatMul", {from, name + "_weight"}, {which == 1 ? name : name + "_product"});
    if (which == 1) return name;  // keys have no bias
    addSome(proto, name + "_bias", {kWidth}, 0.3F);
    addNode(proto, "Add", {name + "_product", name + "_bias"}, {name});
  } else {
    const std::int64_t begin = which * 2 * kWidth + head * kWidth;
    addSlice(proto, "rows", 2, begin, begin + kWidth, name);
  }
  return name;
}

ModelProto joinedHeads(const JoinedHeads& heads) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, kRows, kDim});
  addInput(proto, "z", {-1, kRows, kDim});
  if (!heads.haveLayers) addLinear(proto, "x", kDim, 6 * kWidth, "rows");
  Strings results;
  for (const int head : {0, 1}) {
    const std::string name = "head" + std::to_string(head);
    const std::string q = withGain(proto, heads, head, partOf(proto, heads, head, 0));
    const std::string k = partOf(proto, heads, head, 1), v = partOf(proto, heads, head, 2);
    addTranspose(proto, k, {0, 2, 1}, name + "_kt");
    addNode(proto, "MatMul", {q, name + "_kt"}, {name + "_qk"});
    addNumber(proto, name + "_scale", head == 1 ? heads.secondScale : heads.scale);
    addNode(proto, "Mul", {name + "_qk", name + "_scale"}, {name + "_scaled"});
    addNode(proto, "Softmax", {name + "_scaled"}, {name + "_softmax"});
    addNode(proto, "MatMul", {name + "_softmax", v}, {name});
    results.push_back(name);
  }
  if (!heads.isSecondLast) std::reverse(results.begin(), results.end());
  addConcat(proto, results, heads.axis, "y");
  addOutput(proto, "y");
  return proto;
}

TEST(FindJoinedHeads, OfOneLayer) {
  for (const bool isSecondLast : {true, false}) {
    const Looked looked(joinedHeads({.isSecondLast = isSecondLast}));
    const auto finding = onnx::findAttention(looked.facts(), "y", 2);
    ASSERT_TRUE(finding.found) << finding.obstacle;
    EXPECT_EQ(finding.found->heads, 2);
    EXPECT_EQ(finding.found->headDim, kWidth);
    EXPECT_FLOAT_EQ(finding.found->scale, 0.5F);
    const Integers first{6, 7, 8, 9, 10, 11}, second{9, 10, 11, 6, 7, 8};
    EXPECT_EQ(finding.found->k.features, isSecondLast ? first : second);
  }
}

std::string obstacle(const JoinedHeads& heads) {
  const Looked looked(joinedHeads(heads));
  const auto finding = onnx::findAttention(looked.facts(), "y", 2);
  return finding.found ? "found" : finding.obstacle;
}

TEST(FindJoinedHeads, NearMisses) {
  const std::string apart = "heads that are computed separately, and not alike";
  EXPECT_EQ(obstacle({.secondScale = 3e38F, .scale = 1e-3F}), apart)
      << "a factor that is not finite";
  EXPECT_EQ(obstacle({.haveLayers = true}), apart) << "layers of their own that nobody joined";
  const std::string otherwise = "q, k or v that are multiplied with other numbers";
  EXPECT_EQ(obstacle({.gain = {kRows, 1}}), otherwise) << "a number for each row";
  EXPECT_EQ(obstacle({.gain = {2, 1, 1}}), otherwise) << "a number for each image";
  EXPECT_EQ(obstacle({.axis = 1}), "") << "one below the other: nothing of the kind";
}

// As tutorials make a module for each head, with gains and a temperature of its own.
TEST(FindJoinedHeads, WithNumbersOfTheirOwn) {
  for (const Integers& gain : {Integers{kWidth}, Integers{1, 1, kWidth}}) {
    const Looked looked(joinedHeads({.secondScale = 1.5F, .gain = gain}));
    const auto finding = onnx::findAttention(looked.facts(), "y", 2);
    ASSERT_TRUE(finding.found) << finding.obstacle;
    EXPECT_FLOAT_EQ(finding.found->scale, 0.5F);
    EXPECT_EQ(finding.found->q.scale, (std::vector<float>{2, 3, 4, 12, 15, 18}));
    EXPECT_TRUE(finding.found->k.scale.empty() && finding.found->v.scale.empty());
  }
  const Looked looked(joinedHeads({.secondScale = 0.25F}));
  const auto finding = onnx::findAttention(looked.facts(), "y", 2);
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_EQ(finding.found->q.scale, (std::vector<float>{1, 1, 1, 0.5F, 0.5F, 0.5F}));
}

// The attention that is found once layers are joined, after the model gave the same.
onnx::Finding<onnx::FoundAttention> findOnceJoined(const JoinedHeads& heads, int layers) {
  const ModelProto proto = joinedHeads(heads);
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  onnx::joinLinears(after, onnx::Values(after, {{"x", {2, kRows, kDim}}, {"z", {2, kRows, kDim}}}));
  const std::vector<Integers> sizes(2, Integers{2, kRows, kDim});
  expectSameResult(before, after, sizes);
  const Strings types = typesOf(after);
  EXPECT_EQ(std::count(types.begin(), types.end(), "MatMul"), 4 + layers);
  const Looked looked(after.proto());
  return onnx::findAttention(looked.facts(), "y", 2);
}

TEST(JoinLinears, OfHeads) {
  const auto finding = findOnceJoined({.haveLayers = true}, 1);
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_EQ(finding.found->heads, 2);
  EXPECT_EQ(finding.found->q.features, (Integers{0, 1, 2, 9, 10, 11}));
  EXPECT_EQ(finding.found->v.features, (Integers{6, 7, 8, 15, 16, 17}));
}

TEST(JoinLinears, OfHeadsOfOneInputAlone) {
  EXPECT_FALSE(findOnceJoined({.haveLayers = true, .secondFrom = "z"}, 6).found);
}

// Two linear layers of rows, side by side along an axis.
Strings typesOfJoined(const std::string& second, std::int64_t axis, bool isRead = false) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {-1, kRows, kDim});
  addInput(proto, "z", {-1, kRows, kDim});
  addLinear(proto, "x", kDim, 4, "a", false);
  addLinear(proto, second, kDim, 4, "b");
  addConcat(proto, {"a", "b"}, axis, "y");
  addOutput(proto, "y");
  if (isRead) addOutput(proto, "a");
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  onnx::joinLinears(after, onnx::Values(after, {{"x", {2, kRows, kDim}}, {"z", {2, kRows, kDim}}}));
  const std::vector<Integers> sizes(2, Integers{2, kRows, kDim});
  expectSameResult(before, after, sizes);
  return typesOf(after);
}

TEST(JoinLinears, WhoseResultsAreJoined) {
  EXPECT_EQ(typesOfJoined("x", -1), (Strings{"MatMul", "Add"}));
  const Strings apart{"MatMul", "MatMul", "Add", "Concat"};
  EXPECT_EQ(typesOfJoined("z", -1), apart) << "of two inputs";
  EXPECT_EQ(typesOfJoined("x", 1), apart) << "rows below rows";
  EXPECT_EQ(typesOfJoined("x", 2, true), apart) << "one is an output";
}

// As onnxsim writes linear layers of one image: of rows alone, with a Gemm.
TEST(JoinLinears, OfRowsInOtherDims) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(17);
  addInput(proto, "x", {1, kRows, kDim});
  addReshape(proto, "x", {kRows, kDim}, "rows");
  for (const std::string name : {"a", "b"}) {
    addSome(proto, name + "_weight", {kDim, 4}, name == "a" ? 0.1F : 0.7F);
    addSome(proto, name + "_bias", {4});
    addNode(proto, "Gemm", {"rows", name + "_weight", name + "_bias"}, {name + "_rows"});
    addReshape(proto, name + "_rows", {1, kRows, 4}, name);
  }
  addConcat(proto, {"a", "b"}, 2, "y");
  addOutput(proto, "y");
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  onnx::joinLinears(after, onnx::Values(after));
  EXPECT_EQ(typesOf(after), (Strings{"MatMul", "Add"}));
  const std::vector<Integers> sizes{{1, kRows, kDim}};
  const std::vector<float> expected = resultOf(before, sizes), found = resultOf(after, sizes);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-5) << i;
}

}  // namespace
}  // namespace mpm::test
