// SPDX-License-Identifier: Apache-2.0
// Folded operators that make elements.
#include "onnx/fold_case.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

TEST(OnnxFold, Cast) {
  auto proto = start();
  addConstant(proto, "w", {3}, {-1.9f, 0, 2.5f});
  onnx::setAttribute(addNode(proto, "Cast", {"w"}, {"a"}), "to",
                     std::int64_t{::onnx::TensorProto::INT32});
  onnx::setAttribute(addNode(proto, "Cast", {"a"}, {"y"}), "to",
                     std::int64_t{::onnx::TensorProto::INT64});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{-1, 0, 2}));
}

// Labels as bytes; what does not fit is cut off, as ONNX Runtime does.
TEST(OnnxFold, CastToNarrowNumbers) {
  using ::onnx::TensorProto;
  for (const auto& [type, expected] : {std::pair{TensorProto::UINT8, Integers{3, 44, 255}},
                                       std::pair{TensorProto::INT8, Integers{3, 44, -1}},
                                       std::pair{TensorProto::UINT16, Integers{3, 300, 65535}},
                                       std::pair{TensorProto::INT16, Integers{3, 300, -1}}}) {
    auto proto = start();
    addConstant(proto, "w", {3}, {3.7F, 300, -1});
    onnx::setAttribute(addNode(proto, "Cast", {"w"}, {"y"}), "to", std::int64_t{type});
    const Model model = folded(std::move(proto));
    EXPECT_EQ(valuesOfY(model), expected) << type;
    EXPECT_EQ(model.constant("y")->type(), type);
  }
}

// Distances that fall into buckets by their logarithm have one of nothing.
TEST(OnnxFold, CastWhatHasNoValue) {
  using ::onnx::TensorProto;
  constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min(),
                         kSmallest32 = std::numeric_limits<std::int32_t>::min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto& [type, expected] :
       {std::pair{TensorProto::INT64, Integers{kSmallest, kSmallest, kSmallest, 1LL << 32}},
        std::pair{TensorProto::INT32, Integers(4, kSmallest32)},
        std::pair{TensorProto::UINT8, Integers(4, 0)}}) {
    auto proto = start();
    addConstant(proto, "w", {4},
                {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, 0x1p32F});
    onnx::setAttribute(addNode(proto, "Cast", {"w"}, {"y"}), "to", std::int64_t{type});
    EXPECT_EQ(valuesOfY(folded(std::move(proto))), expected) << type;
  }
}

TEST(OnnxFold, KeepsACastThatHasNoValue) {
  auto proto = start();
  addConstant(proto, "w", {1}, {-1});
  onnx::setAttribute(addNode(proto, "Cast", {"w"}, {"y"}), "to",
                     std::int64_t{::onnx::TensorProto::UINT64});
  EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr);
}

TEST(OnnxFold, ArithmeticOfIntegers) {
  const std::pair<const char*, Integers> cases[] = {
      {"Add", {5, -9}}, {"Sub", {9, -5}}, {"Mul", {-14, 14}}, {"Div", {-3, 3}}};
  for (const auto& [type, expected] : cases) {
    auto proto = start();
    addIntegers(proto, "a", {7, -7});
    addIntegers(proto, "b", {-2});
    addNode(proto, type, {"a", "b"}, {"y"});
    EXPECT_EQ(valuesOfY(folded(std::move(proto))), expected) << type;
  }
}

TEST(OnnxFold, KeepsArithmeticThatOverflows) {
  const std::pair<const char*, Integers> cases[] = {{"Add", {kMax, 1}},
                                                    {"Sub", {kMin, 1}},
                                                    {"Mul", {kMax, 2}},
                                                    {"Div", {kMin, -1}},
                                                    {"Div", {1, 0}}};
  for (const auto& [type, operands] : cases) {
    auto proto = start();
    addIntegers(proto, "a", {operands[0]});
    addIntegers(proto, "b", {operands[1]});
    addNode(proto, type, {"a", "b"}, {"y"});
    EXPECT_NE(folded(std::move(proto)).producer("y"), nullptr) << type;
  }
}

TEST(OnnxFold, ArithmeticOfFloatsWithBroadcasting) {
  auto proto = start();
  addConstant(proto, "a", {2, 1}, {1, 2});
  addConstant(proto, "b", {3}, {10, 20, 0});
  addNode(proto, "Div", {"a", "b"}, {"y"});
  const Model model = folded(std::move(proto));
  ASSERT_EQ(dimsOfY(model), (Integers{2, 3}));
  EXPECT_EQ(model.constant("y")->floats()[4], 2.0f / 20);
  EXPECT_EQ(model.constant("y")->floats()[2], std::numeric_limits<float>::infinity());
}

TEST(OnnxFold, TheScaleOfAnAttention) {  // Shape, Slice, Cast, Sqrt, Div, as PyTorch writes it
  auto proto = start();
  addConstant(proto, "one", {}, {1});
  addIntegers(proto, "last", {-1});
  addIntegers(proto, "end", {kMax});
  proto.mutable_graph()->mutable_initializer(2)->set_name("to_end");
  addNode(proto, "Shape", {"image"}, {"shape"});
  addNode(proto, "Slice", {"shape", "last", "to_end"}, {"dim"});
  onnx::setAttribute(addNode(proto, "Cast", {"dim"}, {"float"}), "to", std::int64_t{1});
  addNode(proto, "Sqrt", {"float"}, {"root"});
  addNode(proto, "Div", {"one", "root"}, {"y"});
  EXPECT_EQ(folded(std::move(proto)).constant("y")->floats()[0], 0.125f);
}

TEST(OnnxFold, ConstantOfShape) {
  auto proto = start();
  addIntegers(proto, "dims", {2, 3});
  auto* value = addNode(proto, "ConstantOfShape", {"dims"}, {"y"}).add_attribute();
  value->set_name("value");
  value->set_type(::onnx::AttributeProto::TENSOR);
  *value->mutable_t() = onnx::integerTensor("", {1}, {7});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), Integers(6, 7));
  proto = start();
  addIntegers(proto, "dims", {1});
  addNode(proto, "ConstantOfShape", {"dims"}, {"y"});
  EXPECT_EQ(folded(std::move(proto)).constant("y")->floats()[0], 0);
}

Integers rangeOf(std::int64_t from, std::int64_t to, std::int64_t by) {
  auto proto = start();
  addIntegers(proto, "from", {from});
  addIntegers(proto, "to", {to});
  addIntegers(proto, "by", {by});
  addNode(proto, "Range", {"from", "to", "by"}, {"y"});
  return valuesOfY(folded(std::move(proto)));
}

TEST(OnnxFold, Range) {
  EXPECT_EQ(rangeOf(1, 6, 2), (Integers{1, 3, 5}));
  EXPECT_EQ(rangeOf(3, 0, -2), (Integers{3, 1}));
  EXPECT_EQ(rangeOf(3, 0, 1), Integers{});
  EXPECT_EQ(rangeOf(0, 3, 0), Integers{-999});
  EXPECT_EQ(rangeOf(0, kMax, 1), Integers{-999});
  EXPECT_EQ(rangeOf(kMin, kMax, kMax), Integers{-999});
}

TEST(OnnxFold, Expand) {
  auto proto = start();
  addIntegers(proto, "c", {4, 5});
  addIntegers(proto, "dims", {2, 1});
  addNode(proto, "Expand", {"c", "dims"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{4, 5, 4, 5}));
}

TEST(OnnxFold, EqualAndWhere) {  // how exporters expand to a shape with -1 for "as it is"
  auto proto = start();
  addIntegers(proto, "wanted", {-1, 5});
  addIntegers(proto, "minus", {-1});
  addIntegers(proto, "ones", {1, 1});
  addNode(proto, "Equal", {"wanted", "minus"}, {"open"});
  addNode(proto, "Where", {"open", "ones", "wanted"}, {"y"});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{1, 5}));
}

}  // namespace
}  // namespace mpm::test
