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
