// SPDX-License-Identifier: Apache-2.0
// Rows and heads that attention shares out: keys of several heads of queries, and windows.
#include "onnx/recognise/parts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "onnx/attention_case.h"

namespace mpm::test::attention {
namespace {

// Heads of keys and values, each of which serves several of queries; `way`: how they are repeated.
struct SharedKeys {
  const char* way = "Expand";
  std::int64_t groups = 2;
  std::int64_t axis = 1;  // of [B, groups, N, d] that is repeated
};

constexpr std::int64_t kShared = 4;  // heads of queries

std::string repeated(ModelProto& proto, const std::string& value, const SharedKeys& part) {
  const std::string way = part.way, made = value + "_all";
  const std::int64_t times = kShared / part.groups;
  if (way == "Expand") {
    addReshape(proto, value, {-1, part.groups, 1, kRows, kWidth}, value + "_apart");
    addIntegers(proto, made + "_sizes", {1, 1, times, 1, 1});
    addNode(proto, "Expand", {value + "_apart", made + "_sizes"}, {value + "_spread"});
    addReshape(proto, value + "_spread", {-1, kShared, kRows, kWidth}, made);
  } else if (way == "Tile") {
    addIntegers(proto, made + "_sizes", {1, times, 1, 1});
    addNode(proto, "Tile", {value, made + "_sizes"}, {made});
  } else if (way == "Gather") {
    Integers order;
    for (std::int64_t i = 0; i < kShared; ++i) order.push_back(part.axis == 2 ? i / 2 : i / times);
    addIntegers(proto, made + "_order", order);
    onnx::setAttribute(addNode(proto, "Gather", {value, made + "_order"}, {made}), "axis",
                       part.axis);
  } else {
    return value;  // a product spreads it
  }
  return made;
}

ModelProto sharedKeys(const SharedKeys& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, kRows, kDim});
  addLinear(proto, "x", kDim, kShared * kWidth, "q_rows");
  addReshape(proto, "q_rows", {0, 0, kShared, kWidth}, "q_heads");
  addTranspose(proto, "q_heads", {0, 2, 1, 3}, "q");
  for (const std::string name : {"k", "v"}) {
    addLinear(proto, "x", kDim, part.groups * kWidth, name + "_rows");
    addReshape(proto, name + "_rows", {0, 0, part.groups, kWidth}, name + "_heads");
    addTranspose(proto, name + "_heads", {0, 2, 1, 3}, name);
  }
  addTranspose(proto, repeated(proto, "k", part), {0, 1, 3, 2}, "kt");
  addNode(proto, "MatMul", {"q", "kt"}, {"qk"});
  addNode(proto, "Softmax", {"qk"}, {"softmax"});
  addNode(proto, "MatMul", {"softmax", repeated(proto, "v", part)}, {"mixed"});
  addTranspose(proto, "mixed", {0, 2, 1, 3}, "back");
  addReshape(proto, "back", {0, 0, kShared * kWidth}, "y");
  addOutput(proto, "y");
  return proto;
}

// The first feature of each head's keys, or what was in the way.
Integers firstKeys(const SharedKeys& part, std::string* obstacle = nullptr) {
  const Looked looked(sharedKeys(part));
  const auto finding = onnx::findAttention(looked.facts(), "y", 2);
  if (obstacle != nullptr) *obstacle = finding.obstacle;
  Integers first;
  for (std::size_t h = 0; finding.found && h < kShared; ++h)
    first.push_back(finding.found->k.features[h * kWidth]);
  return first;
}

TEST(FindAttention, HeadsOfKeysThatServeSeveralOfQueries) {
  EXPECT_EQ(firstKeys({"Expand"}), (Integers{0, 0, 3, 3}));
  EXPECT_EQ(firstKeys({"Gather"}), (Integers{0, 0, 3, 3}));
  EXPECT_EQ(firstKeys({"Tile"}), (Integers{0, 3, 0, 3}));
  for (const char* way : {"Expand", "Gather", "Tile", "none"})
    EXPECT_EQ(firstKeys({way, 1}), (Integers{0, 0, 0, 0})) << way;
}

TEST(FindAttention, RepeatedRowsAreNoHeads) {
  std::string obstacle;
  EXPECT_EQ(firstKeys({"Gather", kShared, 2}, &obstacle), Integers{});
  EXPECT_EQ(obstacle, "its layout is not understood")
      << "each row of keys twice, others not at all";
}

// Two images side by side are windows of one, to attention.
ModelProto windowed() {
  auto proto = emptyModel();
  addInput(proto, "x", {1, 8, kDim});
  addReshape(proto, "x", {2, 4, kDim}, "windows");
  addLinear(proto, "windows", kDim, 3 * kDim, "qkv");
  addReshape(proto, "qkv", {2, 4, 3, kHeads, kWidth}, "parts");
  addTranspose(proto, "parts", {2, 0, 3, 1, 4}, "turned");
  for (const std::int64_t i : {0, 1, 2}) {
    const std::string name(1, "qkv"[i]);
    *proto.mutable_graph()->add_initializer() = onnx::integerTensor(name + "_at", {}, {i});
    addNode(proto, "Gather", {"turned", name + "_at"}, {name});
  }
  addTranspose(proto, "k", {0, 1, 3, 2}, "kt");
  addNode(proto, "MatMul", {"q", "kt"}, {"qk"});
  addNode(proto, "Softmax", {"qk"}, {"softmax"});
  addNode(proto, "MatMul", {"softmax", "v"}, {"mixed"});
  addTranspose(proto, "mixed", {0, 2, 1, 3}, "back");
  addReshape(proto, "back", {1, 8, kDim}, "y");
  addOutput(proto, "y");
  return proto;
}

TEST(FindAttention, Windows) {
  const Looked looked(windowed());
  const auto finding = onnx::findAttention(looked.facts(), "y", 1);
  EXPECT_FALSE(finding.found);
  EXPECT_EQ(finding.obstacle, "attention within windows");
}

}  // namespace
}  // namespace mpm::test::attention
