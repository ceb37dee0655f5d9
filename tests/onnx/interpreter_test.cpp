// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/graph_text.h"

namespace mpm::test {
namespace {

using onnx::Interpreter;
using onnx::KnownTensor;
using onnx::Model;
using Integers = std::vector<std::int64_t>;

KnownTensor floats(const Integers& dims, const std::vector<float>& values) {
  KnownTensor known;
  known.type = ::onnx::TensorProto::FLOAT;
  known.dims = dims;
  known.floats = values;
  return known;
}

// x [batch n]: its rows' sums as [batch 1], by a shape that is computed: [Shape(x)[0], -1].
const std::string kSums = R"(x[-1, n]; sizes = Shape(x); batch = Gather(sizes, [0])
target = Concat(batch, [-1]) axis=0; sum = ReduceSum(x, [1]) keepdims=0; y = Reshape(sum, target))";

TEST(Interpreter, FollowsTheSizesOfItsInputs) {
  Interpreter interpreter{Model(graph(kSums))};
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(interpreter.fit({{2, 3}}), (std::vector<Integers>{{2, 1}}));
    EXPECT_EQ(interpreter.run({floats({2, 3}, {1, 2, 3, 4, 5, 6})})[0].floats,
              (std::vector<float>{6, 15}));
    EXPECT_EQ(interpreter.fit({{3, 1}}), (std::vector<Integers>{{3, 1}}));
    EXPECT_EQ(interpreter.run({floats({3, 1}, {1, 2, 3})})[0].floats,
              (std::vector<float>{1, 2, 3}));
  }
}

TEST(Interpreter, CountsItsNodesByOperator) {
  const Interpreter interpreter{Model(graph(kSums))};
  EXPECT_EQ(interpreter.operators(),
            (std::map<std::string, int>{
                {"Concat", 1}, {"Gather", 1}, {"ReduceSum", 1}, {"Reshape", 1}, {"Shape", 1}}));
}

// Element-wise nodes over values that are broadcast in every way, views between them, and one that
// others read in the middle; more elements than are computed at a time.
const std::string kElementwise = R"(x[2, 3, 40, 50]; y[2, 3, 40, 50]; row[50]; gate[2, 3, 1, 1]
a = Mul(x, float(3, 1, 1){2, -1, 0.5}); b = Add(a, row); open = Sigmoid(gate); c = Mul(b, open); d = Pow(c, 2.0)
e = Max(d, y, x); f = Clip(e, -0.5); g = Reshape(f, [2, -1]); h = Neg(g); difference = Sub(b, f)
out h, b, difference)";

TEST(Interpreter, ComputesElementwiseNodesTogetherInPlace) {
  const std::vector<Integers> dims = {{2, 3, 40, 50}, {2, 3, 40, 50}, {50}, {2, 3, 1, 1}};
  std::vector<std::vector<float>> given;
  for (const Integers& each : dims) {
    std::vector<float> values(onnx::product(each, 0, each.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(1.3F * static_cast<float>(i + given.size()));
    given.push_back(std::move(values));
  }
  const auto known = [&](std::size_t i) {
    KnownTensor value;
    value.type = ::onnx::TensorProto::FLOAT;
    value.dims = dims[i];
    value.floats = onnx::SharedFloats::of(given[i].data(), given[i].size());
    return value;
  };
  Interpreter interpreter{Model(graph(kElementwise))};
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
TEST(Interpreter, WindowsAndPadsThatGoOverTheEdge) {
  Interpreter interpreter{
      Model(graph(R"(x[1, 1, 2, 3]; moved = Pad(x, [0, 0, -1, 1, 0, 0, 0, -2], 9.0)
mean = AveragePool(x) kernel_shape=[4, 4] strides=[4, 4] ceil_mode=1; out moved, mean)"))};
  EXPECT_EQ(interpreter.fit({{1, 1, 2, 3}}), (std::vector<Integers>{{1, 1, 1, 2}, {1, 1, 1, 1}}));
  const auto made = interpreter.run({floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(made[0].floats, (std::vector<float>{9, 4}));
  EXPECT_EQ(made[1].floats, std::vector<float>{3.5F});
}

TEST(Interpreter, KeepsWhatIsMadeOfAMatrixThatStays) {
  std::vector<std::pair<const float*, bool>> seconds;
  Interpreter interpreter(Model(graph("x[-1, 128]\nother[128, 128]\na = MatMul(x, some(128, 128))\n"
                                      "b = MatMul(x, other)\nout a, b")),
                          [&](const float*, const float* b, float*, std::size_t, std::size_t,
                              std::size_t, bool isKept) { seconds.emplace_back(b, isKept); });
  interpreter.fit({{128, 128}, {128, 128}});
  const KnownTensor some = floats({128, 128}, std::vector<float>(128 * 128, 1));
  for (int i = 0; i < 2; ++i) interpreter.run({some, some});
  ASSERT_EQ(seconds.size(), 4U);
  EXPECT_TRUE(seconds[0].second);
  EXPECT_FALSE(seconds[1].second);
  EXPECT_EQ(seconds[0], seconds[2]);
}

int productsOfOthers = 0;

TEST(Interpreter, HandsLargeProductsOver) {
  const auto others = [](const float*, const float*, float* out, std::size_t m, std::size_t,
                         std::size_t n, bool) {
    ++productsOfOthers;
    std::fill_n(out, m * n, 7.0F);
  };
  Interpreter interpreter(Model(graph("a[m, k]\nb[k, n]\ny = MatMul(a, b)")), others);
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

TEST(Interpreter, ReadsOnlyWhatHasReaders) {
  Interpreter interpreter{
      Model(graph("x[-1, 4]\nrow[1, 4]\nsizes = Shape(x)\ny = Expand(row, sizes)"))};
  EXPECT_FALSE(interpreter.isRead(0)) << "its sizes alone";
  EXPECT_TRUE(interpreter.isRead(1));
  EXPECT_EQ(interpreter.fit({{2, 4}, {1, 4}}), (std::vector<Integers>{{2, 4}}));
  KnownTensor sizesAlone;
  sizesAlone.type = ::onnx::TensorProto::FLOAT;
  sizesAlone.dims = {2, 4};
  EXPECT_EQ(interpreter.run({sizesAlone, floats({1, 4}, {1, 2, 3, 4})})[0].floats,
            (std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST(Interpreter, RefusesSizesThatAFrameDecides) {
  Interpreter interpreter{Model(graph("x[3]\nsizes = Cast(x) to=7\ny = ConstantOfShape(sizes)"))};
  try {
    interpreter.fit({{3}});
    FAIL() << "no refusal";
  } catch (const onnx::ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'y'"), std::string::npos) << error.what();
  }
}

TEST(Interpreter, RefusesSizesThatDoNotFit) {
  Interpreter interpreter{Model(graph("a[-1, 4]\nb[-1, 4]\ny = Add(a, b)"))};
  EXPECT_THROW(interpreter.fit({{2, 4}, {3, 4}}), onnx::ModelError);
  EXPECT_EQ(interpreter.fit({{2, 4}, {1, 4}}), (std::vector<Integers>{{2, 4}}));
}

}  // namespace
}  // namespace mpm::test
