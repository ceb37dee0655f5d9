// SPDX-License-Identifier: Apache-2.0
// What is spelled plainly once the ranks of all values are known. The same comes out of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "onnx/by_rank_case.h"
#include "onnx/facts_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

struct Dropped {
  std::int64_t axis = 2;
  Integers target{0, 5, 1};
  bool keeps = false;
  bool hasVector = false;  // beside it, on the way
};

ModelProto droppedAxis(const Dropped& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  auto& mean = addNode(proto, "ReduceMean", {"x"}, {"mean"});
  setAttribute(mean, "axes", Integers{part.axis});
  setAttribute(mean, "keepdims", std::int64_t{part.keeps});
  if (part.hasVector) {
    addSome(proto, "factor", {5});
  } else {
    addScalar(proto, "factor", 1.25F);
  }
  addNode(proto, "Mul", {"mean", "factor"}, {"corrected"});
  addNode(proto, "Abs", {"corrected"}, {"positive"});
  addReshape(proto, "positive", part.target, "y");
  return proto;
}

TEST(LowerByRank, AnAxisThatGoesAndComesBack) {
  EXPECT_EQ(typesByRank(droppedAxis({})), (Strings{"ReduceMean", "Mul", "Abs"}));
  EXPECT_EQ(typesByRank(droppedAxis({.axis = -1})), (Strings{"ReduceMean", "Mul", "Abs"}));
}

TEST(LowerByRank, OtherAxesStay) {
  const Strings same{"ReduceMean", "Mul", "Abs", "Reshape"};
  EXPECT_EQ(typesByRank(droppedAxis({.axis = 1, .target = {0, 4, 1}})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.target = {0, 1, 5}})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.target = {5, -1, 1}})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.target = {0, 5, 1, 1}, .keeps = true})), same);
  EXPECT_EQ(typesByRank(droppedAxis({.hasVector = true})), same);
}

// x - mean(x), but `otherwise` where the least and the largest of each row are equal.
struct EqualRows {
  std::int64_t axis = 2;       // of the least
  const char* type = "Equal";  // how both compare
  float otherwise = 0;
  bool isFinite = true;  // and, what is asked next to it
};

Strings equalRows(const EqualRows& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addScalar(proto, "otherwise", part.otherwise);
  const std::pair<const char*, std::int64_t> reductions[] = {
      {"ReduceMean", 2}, {"ReduceMin", part.axis}, {"ReduceMax", 2}};
  for (const auto& [type, axis] : reductions)
    setAttribute(addNode(proto, type, {"x"}, {type}), "axes", Integers{axis});
  addNode(proto, "Sub", {"x", "ReduceMean"}, {"difference"});
  addNode(proto, part.type, {"ReduceMax", "ReduceMin"}, {"are_equal"});
  addNode(proto, "Sub", {"ReduceMean", "ReduceMean"}, {"nothing"});
  addNode(proto, "Equal", {"nothing", "otherwise"}, {"is_finite"});
  if (part.isFinite) addNode(proto, "And", {"is_finite", "are_equal"}, {"both"});
  addNode(proto, "Where", {part.isFinite ? "both" : "are_equal", "otherwise", "difference"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, ADifferenceFromTheMeanThatIsNothingWhereAllAreEqual) {
  const Strings plain{"ReduceMean", "Sub"};
  EXPECT_EQ(equalRows({}), plain);
  EXPECT_EQ(equalRows({.isFinite = false}), plain);
  EXPECT_EQ(equalRows({.axis = 1}).back(), "Where") << "of columns";
  EXPECT_EQ(equalRows({.type = "Greater"}).back(), "Where");
  EXPECT_EQ(equalRows({.otherwise = 1}).back(), "Where");
}

Strings dividedSum(const char* type, float by) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addScalar(proto, "by", by);
  setAttribute(addNode(proto, type, {"x"}, {"sum"}), "axes", Integers{2});
  addNode(proto, "Div", {"sum", "by"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, ASumThatIsDividedIsAMean) {
  EXPECT_EQ(dividedSum("ReduceSum", 4), Strings{"ReduceMean"});
  EXPECT_EQ(dividedSum("ReduceSumSquare", 4), (Strings{"Mul", "ReduceMean"}));
  EXPECT_EQ(dividedSum("ReduceSum", 5), (Strings{"ReduceSum", "Div"})) << "by another number";
  EXPECT_EQ(dividedSum("ReduceMax", 4), (Strings{"ReduceMax", "Div"}));
}

Strings chosen(bool which, const Integers& dims) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 5, 4});
  addSome(proto, "other", dims);
  auto& condition = *proto.mutable_graph()->add_initializer();
  condition = onnx::integerTensor("condition", {}, {which});
  condition.clear_raw_data();
  condition.set_data_type(::onnx::TensorProto::BOOL);
  condition.add_int32_data(which);
  addNode(proto, "Abs", {"x"}, {"positive"});
  addNode(proto, "Where", {"condition", "positive", "other"}, {"y"});
  return typesByRank(proto);
}

TEST(LowerByRank, AChoiceThatIsTheSameEverywhere) {
  EXPECT_EQ(chosen(true, {5, 4}), Strings{"Abs"});
  EXPECT_EQ(chosen(true, {1, 1, 5, 4}), (Strings{"Abs", "Where"})) << "which adds an axis";
  EXPECT_EQ(chosen(false, {5, 4}), (Strings{"Abs", "Where"})) << "which is spread to images";
}

}  // namespace
}  // namespace mpm::test
