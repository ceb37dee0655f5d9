// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
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
