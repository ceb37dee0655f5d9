// SPDX-License-Identifier: Apache-2.0
// The end of Segmenter's mask transformer, and near misses that are something else.
#include "onnx/recognise/parts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "onnx/facts_case.h"

namespace mpm::test {
namespace {

constexpr std::int64_t kDim = 4, kPatches = 6, kClasses = 3;

// How a row's length is written.
enum class Length { reduceL2, squares, powers, oneNode };

// A mask head whose parts can be spoiled one at a time.
struct MaskHeadCase {
  Length length = Length::reduceL2;
  bool hasGuards = false;
  float least = 1e-12F;  // of a guarded length
  std::int64_t axis = -1;
  std::int64_t lpNorm = 2;
  float power = 2;
  bool hasNorm = true;
  bool hasBias = false;        // of a projection
  bool ofOtherRows = false;    // a length of rows that are not divided by it
  bool patchesAreUnit = true;  // or not divided at all
};

void addLength(ModelProto& proto, const MaskHeadCase& part, const std::string& rows,
               const std::string& to) {
  if (part.length == Length::reduceL2) {
    auto& node = addNode(proto, "ReduceL2", {rows}, {to});
    onnx::setAttribute(node, "axes", Integers{part.axis});
    return;
  }
  if (part.length == Length::squares) {
    addNode(proto, "Mul", {rows, rows}, {to + "_squares"});
  } else {
    addNumber(proto, to + "_power", part.power);
    addNode(proto, "Pow", {rows, to + "_power"}, {to + "_squares"});
  }
  addIntegers(proto, to + "_axes", {part.axis});
  addNode(proto, "ReduceSum", {to + "_squares", to + "_axes"}, {to + "_sum"});
  addNode(proto, "Sqrt", {to + "_sum"}, {to});
}

std::string addUnit(ModelProto& proto, const MaskHeadCase& part, const std::string& rows) {
  const std::string unit = rows + "_unit", of = part.ofOtherRows ? "other" : rows;
  if (part.length == Length::oneNode) {
    auto& node = addNode(proto, "LpNormalization", {rows}, {unit});
    onnx::setAttribute(node, "axis", part.axis);
    onnx::setAttribute(node, "p", part.lpNorm);
    return unit;
  }
  std::string length = rows + "_length";
  addLength(proto, part, of, length);
  if (part.hasGuards) {
    addNumber(proto, rows + "_least", part.least);
    addNode(proto, "Clip", {length, rows + "_least"}, {rows + "_safe"});
    addIntegers(proto, rows + "_shape", {1, 1, kDim});
    addNode(proto, "Expand", {rows + "_safe", rows + "_shape"}, {rows + "_spread"});
    length = rows + "_spread";
  }
  addNode(proto, "Div", {rows, length}, {unit});
  return unit;
}

ModelProto maskHead(const MaskHeadCase& part) {
  auto proto = emptyModel();
  addInput(proto, "tokens", {-1, kPatches + kClasses, kDim});
  addInput(proto, "other", {-1, kPatches, kDim});
  addSlice(proto, "tokens", 1, 0, kPatches, "patches");
  addSlice(proto, "tokens", 1, kPatches, kMax, "classes");
  addLinear(proto, "patches", kDim, kDim, "a", part.hasBias);
  addLinear(proto, "classes", kDim, kDim, "b", false);
  const std::string a = part.patchesAreUnit ? addUnit(proto, part, "a") : "a";
  MaskHeadCase plain = part;
  plain.ofOtherRows = false;
  addTranspose(proto, addUnit(proto, plain, "b"), {0, 2, 1}, "turned");
  addNode(proto, "MatMul", {a, "turned"}, {"masks"});
  if (part.hasNorm) {
    addNorm(proto, "masks", kClasses, "y");
  } else {
    addNode(proto, "Identity", {"masks"}, {"y"});
  }
  addOutput(proto, "y");
  return proto;
}

bool isFound(const MaskHeadCase& part) {
  const Looked looked(maskHead(part));
  return onnx::findMaskHead(looked.facts(), "y").has_value();
}

TEST(FindMaskHead, AnyWayToWriteALength) {
  for (const Length length : {Length::reduceL2, Length::squares, Length::powers, Length::oneNode}) {
    for (const bool hasGuards : {false, true}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(length) << hasGuards);
      const Looked looked(maskHead({.length = length, .hasGuards = hasGuards}));
      const auto found = onnx::findMaskHead(looked.facts(), "y");
      ASSERT_TRUE(found);
      EXPECT_EQ(found->patches, "patches");
      EXPECT_EQ(found->classes, "classes");
      EXPECT_EQ(found->projPatch.weight, "a_weight");
      EXPECT_EQ(found->projClasses.weight, "b_weight");
      EXPECT_EQ(found->norm.scale, "y_scale");
    }
  }
}

TEST(FindMaskHead, NearMisses) {
  EXPECT_FALSE(isFound({.hasGuards = true, .least = 0.5F})) << "shorter rows are not unit then";
  EXPECT_FALSE(isFound({.hasNorm = false}));
  EXPECT_FALSE(isFound({.hasBias = true}));
  EXPECT_FALSE(isFound({.ofOtherRows = true}));
  EXPECT_FALSE(isFound({.patchesAreUnit = false}));
  EXPECT_FALSE(isFound({.length = Length::powers, .power = 3}));
  EXPECT_FALSE(isFound({.length = Length::oneNode, .lpNorm = 1}));
  for (const Length length : {Length::reduceL2, Length::squares, Length::oneNode}) {
    EXPECT_FALSE(isFound({.length = length, .axis = 1})) << "down the columns";
    EXPECT_TRUE(isFound({.length = length, .axis = 2}));
  }
}

// A square of as many classes as features could be turned in other ways.
TEST(FindMaskHead, LengthsKeepTheirAxis) {
  auto proto = maskHead({});
  for (auto& node : *proto.mutable_graph()->mutable_node()) {
    if (node.op_type() == "ReduceL2") onnx::setAttribute(node, "keepdims", std::int64_t{0});
  }
  const Looked looked(std::move(proto));
  EXPECT_FALSE(onnx::findMaskHead(looked.facts(), "y"));
}

TEST(FindMaskHead, ClassesAreTurnedByThemselves) {
  auto proto = maskHead({});
  for (auto& node : *proto.mutable_graph()->mutable_node()) {
    if (node.op_type() == "Transpose") onnx::setAttribute(node, "perm", Integers{2, 1, 0});
  }
  const Looked looked(std::move(proto));
  EXPECT_FALSE(onnx::findMaskHead(looked.facts(), "y"));
}

}  // namespace
}  // namespace mpm::test
