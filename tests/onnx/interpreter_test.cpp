// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

using onnx::Interpreter;
using onnx::Known;

Known floats(const Integers& dims, const std::vector<float>& values) {
  Known known;
  known.type = ::onnx::TensorProto::FLOAT;
  known.dims = dims;
  known.floats = values;
  return known;
}

// x [batch n]: its rows' sums as [batch 1], by a shape that is computed: [Shape(x)[0], -1].
ModelProto sums() {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {-1, -1});
  addIntegerConstant(proto, "first", {0});
  addIntegerConstant(proto, "rest", {-1});
  addIntegerConstant(proto, "axis", {1});
  addNode(proto, "Shape", {"x"}, {"sizes"});
  addNode(proto, "Gather", {"sizes", "first"}, {"batch"});
  setAttribute(addNode(proto, "Concat", {"batch", "rest"}, {"target"}), "axis", std::int64_t{0});
  setAttribute(addNode(proto, "ReduceSum", {"x", "axis"}, {"sum"}), "keepdims", std::int64_t{0});
  addNode(proto, "Reshape", {"sum", "target"}, {"y"});
  addOutput(proto, "y");
  return proto;
}

TEST(OnnxInterpreter, FollowsTheSizesOfItsInputs) {
  Interpreter interpreter{Model(sums())};
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(interpreter.fit({{2, 3}}), (std::vector<Integers>{{2, 1}}));
    EXPECT_EQ(interpreter.run({floats({2, 3}, {1, 2, 3, 4, 5, 6})})[0].floats,
              (std::vector<float>{6, 15}));
    EXPECT_EQ(interpreter.fit({{3, 1}}), (std::vector<Integers>{{3, 1}}));
    EXPECT_EQ(interpreter.run({floats({3, 1}, {1, 2, 3})})[0].floats,
              (std::vector<float>{1, 2, 3}));
  }
}

TEST(OnnxInterpreter, CountsItsNodesByOperator) {
  const Interpreter interpreter{Model(sums())};
  EXPECT_EQ(interpreter.operators(),
            (std::map<std::string, int>{
                {"Concat", 1}, {"Gather", 1}, {"ReduceSum", 1}, {"Reshape", 1}, {"Shape", 1}}));
}

// Element-wise nodes over values that are broadcast in every way, views between them, and one that
// others read in the middle; more elements than are computed at a time.
ModelProto elementwise() {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  for (const char* name : {"x", "y"}) addInput(proto, name, {2, 3, 40, 50});
  addInput(proto, "row", {50});
  addInput(proto, "gate", {2, 3, 1, 1});
  addConstant(proto, "planes", {3, 1, 1}, {2, -1, 0.5F});
  addScalar(proto, "two", 2);
  addScalar(proto, "low", -0.5F);
  addIntegerConstant(proto, "flat", {2, -1});
  addNode(proto, "Mul", {"x", "planes"}, {"a"});
  addNode(proto, "Add", {"a", "row"}, {"b"});
  addNode(proto, "Sigmoid", {"gate"}, {"open"});
  addNode(proto, "Mul", {"b", "open"}, {"c"});
  addNode(proto, "Pow", {"c", "two"}, {"d"});
  addNode(proto, "Max", {"d", "y", "x"}, {"e"});
  addNode(proto, "Clip", {"e", "low"}, {"f"});
  addNode(proto, "Reshape", {"f", "flat"}, {"g"});
  addNode(proto, "Neg", {"g"}, {"h"});
  addNode(proto, "Sub", {"b", "f"}, {"difference"});
  for (const char* name : {"h", "b", "difference"}) addOutput(proto, name);
  return proto;
}

TEST(OnnxInterpreter, ComputesElementwiseNodesTogetherInPlace) {
  const std::vector<Integers> dims = {{2, 3, 40, 50}, {2, 3, 40, 50}, {50}, {2, 3, 1, 1}};
  std::vector<std::vector<float>> given;
  for (const Integers& each : dims) {
    std::vector<float> values(onnx::product(each, 0, each.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(1.3F * static_cast<float>(i + given.size()));
    given.push_back(std::move(values));
  }
  const auto known = [&](std::size_t i) {
    Known value;
    value.type = ::onnx::TensorProto::FLOAT;
    value.dims = dims[i];
    value.floats = onnx::SharedFloats::of(given[i].data(), given[i].size());
    return value;
  };
  Interpreter interpreter{Model(elementwise())};
  ASSERT_EQ(interpreter.fit(dims), (std::vector<Integers>{{2, 6000}, dims[0], dims[0]}));
  std::vector<std::vector<float>> made(3, std::vector<float>(12000, 7));
  const auto before = given;
  interpreter.run({known(0), known(1), known(2), known(3)},
                  {made[0].data(), made[1].data(), made[2].data()});
  EXPECT_EQ(given, before) << "what is only read stays";
  for (std::size_t i = 0; i < 12000; ++i) {
    const std::size_t plane = i / 2000;
    const float factors[] = {2, -1, 0.5F};
    const float b = given[0][i] * factors[plane % 3] + given[2][i % 50];
    const float c = b / (1 + std::exp(-given[3][plane]));
    const float f = std::max({c * c, given[1][i], given[0][i], -0.5F});
    ASSERT_NEAR(made[0][i], -f, 1e-6F) << i;
    ASSERT_FLOAT_EQ(made[1][i], b) << i;
    ASSERT_NEAR(made[2][i], b - f, 1e-6F) << i;
  }
}

// As ONNX Runtime has them.
TEST(OnnxInterpreter, WindowsAndPadsThatGoOverTheEdge) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {1, 1, 2, 3});
  addIntegerConstant(proto, "pads", {0, 0, -1, 1, 0, 0, 0, -2});
  addScalar(proto, "number", 9);
  addNode(proto, "Pad", {"x", "pads", "number"}, {"moved"});
  auto& pool = addNode(proto, "AveragePool", {"x"}, {"mean"});
  setAttribute(pool, "kernel_shape", Integers{4, 4});
  setAttribute(pool, "strides", Integers{4, 4});
  setAttribute(pool, "ceil_mode", std::int64_t{1});
  for (const char* name : {"moved", "mean"}) addOutput(proto, name);
  Interpreter interpreter{Model(std::move(proto))};
  EXPECT_EQ(interpreter.fit({{1, 1, 2, 3}}), (std::vector<Integers>{{1, 1, 1, 2}, {1, 1, 1, 1}}));
  const auto made = interpreter.run({floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(made[0].floats, (std::vector<float>{9, 4}));
  EXPECT_EQ(made[1].floats, std::vector<float>{3.5F});
}

TEST(OnnxInterpreter, KeepsWhatIsMadeOfAMatrixThatStays) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, 128});
  addInput(proto, "other", {128, 128});
  addConstant(proto, "weights", {128, 128}, std::vector<float>(128 * 128, 1));
  addNode(proto, "MatMul", {"x", "weights"}, {"a"});
  addNode(proto, "MatMul", {"x", "other"}, {"b"});
  for (const char* name : {"a", "b"}) addOutput(proto, name);
  std::vector<std::pair<const float*, bool>> seconds;
  Interpreter interpreter(Model(std::move(proto)),
                          [&](const float*, const float* b, float*, std::size_t, std::size_t,
                              std::size_t, bool isKept) { seconds.emplace_back(b, isKept); });
  interpreter.fit({{128, 128}, {128, 128}});
  const Known some = floats({128, 128}, std::vector<float>(128 * 128, 1));
  for (int i = 0; i < 2; ++i) interpreter.run({some, some});
  ASSERT_EQ(seconds.size(), 4U);
  EXPECT_TRUE(seconds[0].second);
  EXPECT_FALSE(seconds[1].second);
  EXPECT_EQ(seconds[0], seconds[2]);
}

int productsOfOthers = 0;

TEST(OnnxInterpreter, HandsLargeProductsOver) {
  auto proto = emptyModel();
  addInput(proto, "a", {-1, -1});
  addInput(proto, "b", {-1, -1});
  addNode(proto, "MatMul", {"a", "b"}, {"y"});
  addOutput(proto, "y");
  const auto others = [](const float*, const float*, float* out, std::size_t m, std::size_t,
                         std::size_t n, bool) {
    ++productsOfOthers;
    std::fill_n(out, m * n, 7.0F);
  };
  Interpreter interpreter(Model(std::move(proto)), others);
  const auto product = [&](std::int64_t m, std::int64_t k, std::int64_t n) {
    const auto all = [](std::int64_t rows, std::int64_t columns) {
      const auto count = static_cast<std::size_t>(rows * columns);
      return floats({rows, columns}, std::vector<float>(count, 1.0F));
    };
    interpreter.fit({{m, k}, {k, n}});
    return interpreter.run({all(m, k), all(k, n)})[0].floats.copy();
  };
  EXPECT_EQ(product(2, 3, 1), (std::vector<float>{3, 3}));
  EXPECT_EQ(productsOfOthers, 0);
  EXPECT_EQ(product(128, 128, 128).back(), 7.0F);
  EXPECT_EQ(productsOfOthers, 1);
}

TEST(OnnxInterpreter, ReadsOnlyWhatHasReaders) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {-1, 4});
  addInput(proto, "row", {1, 4});
  addNode(proto, "Shape", {"x"}, {"sizes"});
  addNode(proto, "Expand", {"row", "sizes"}, {"y"});
  addOutput(proto, "y");
  Interpreter interpreter{Model(std::move(proto))};
  EXPECT_FALSE(interpreter.isRead(0)) << "its sizes alone";
  EXPECT_TRUE(interpreter.isRead(1));
  EXPECT_EQ(interpreter.fit({{2, 4}, {1, 4}}), (std::vector<Integers>{{2, 4}}));
  Known sizesAlone;
  sizesAlone.type = ::onnx::TensorProto::FLOAT;
  sizesAlone.dims = {2, 4};
  EXPECT_EQ(interpreter.run({sizesAlone, floats({1, 4}, {1, 2, 3, 4})})[0].floats,
            (std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST(OnnxInterpreter, RefusesSizesThatAFrameDecides) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "x", {3});
  setAttribute(addNode(proto, "Cast", {"x"}, {"sizes"}), "to",
               std::int64_t{::onnx::TensorProto::INT64});
  addNode(proto, "ConstantOfShape", {"sizes"}, {"y"});
  addOutput(proto, "y");
  Interpreter interpreter{Model(std::move(proto))};
  try {
    interpreter.fit({{3}});
    FAIL() << "no refusal";
  } catch (const onnx::ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'y'"), std::string::npos) << error.what();
  }
}

TEST(OnnxInterpreter, RefusesSizesThatDoNotFit) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(18);
  addInput(proto, "a", {-1, 4});
  addInput(proto, "b", {-1, 4});
  addNode(proto, "Add", {"a", "b"}, {"y"});
  addOutput(proto, "y");
  Interpreter interpreter{Model(std::move(proto))};
  EXPECT_THROW(interpreter.fit({{2, 4}, {3, 4}}), onnx::ModelError);
  EXPECT_EQ(interpreter.fit({{2, 4}, {1, 4}}), (std::vector<Integers>{{2, 4}}));
}

}  // namespace
}  // namespace mpm::test
