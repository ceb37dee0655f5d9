// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX in nets that mpm::readNet makes: functions of one value far from zero, where a
// formula may be no number; nodes that OpenCV takes for an activation that they are not; and groups
// that mpm.Subgraph computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using test::onnxNode;
using test::OnnxNode;
using Values = std::vector<float>;

/// A net from x to y, of these nodes.
Net netOf(const std::vector<OnnxNode>& nodes, const std::vector<int>& from,
          const std::vector<int>& to, const std::map<std::string, Mat>& constants = {}) {
  test::OnnxGraph graph;
  graph.inputs = {{"x", from}};
  graph.outputs = {{"y", to}};
  graph.nodes = nodes;
  graph.constants = constants;
  const std::vector<unsigned char> bytes = test::onnxBytes(graph);
  return readNet(bytes.data(), bytes.size());
}

Mat forward(Net& net, const Mat& x) {
  net.setInput(x, "x");
  return net.forward("y").clone();
}

struct Function {
  std::string name;
  std::vector<OnnxNode> nodes;  // from x, c = -x and the constants half, one, two, three and root
  double (*expected)(double x);
  double least = 1;  // from which size of a value on errors are relative to it
};

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double elu(double x) { return x < 0 ? std::expm1(x) : x; }

void expectFunction(const Function& each, const std::vector<int>& dims, const Values& values,
                    double tolerance) {
  SCOPED_TRACE(each.name);
  std::vector<OnnxNode> nodes = {onnxNode("Neg", {"x"}, "c")};
  nodes.insert(nodes.end(), each.nodes.begin(), each.nodes.end());
  const auto number = [](double value) { return Mat(1, 1, CV_32F, cv::Scalar(value)); };
  Net net = netOf(nodes, dims, dims,
                  {{"half", number(0.5)},
                   {"one", number(1)},
                   {"two", number(2)},
                   {"three", number(3)},
                   {"root", number(std::sqrt(2.0))}});
  const Mat y = forward(net, test::filledBlob(dims, values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = each.expected(values[i]);
    ASSERT_NEAR(y.ptr<float>()[i], expected, tolerance * (each.least + std::abs(expected)))
        << values[i];
  }
}

TEST(Functions, AreRightFarFromZero) {
  Values values = {0, 1e-6F};
  for (float size = 0.1F; size < 1e15F; size *= 1.3F) values.insert(values.end(), {size, -size});
  while (values.size() % 8 != 0) values.push_back(0);
  const Function functions[] = {
      {"Tanh", {onnxNode("Tanh", {"x"}, "y")}, [](double x) { return std::tanh(x); }},
      {"Softplus", {onnxNode("Softplus", {"x"}, "y")}, softplus, 1e-30},
      {"Mish",
       {onnxNode("Softplus", {"x"}, "soft"), onnxNode("Tanh", {"soft"}, "tanh"),
        onnxNode("Mul", {"x", "tanh"}, "y")},
       [](double x) { return x * std::tanh(softplus(x)); }},
      {"a gate by tanh",
       {onnxNode("Mul", {"x", "x"}, "square"), onnxNode("Mul", {"x", "square"}, "cube"),
        onnxNode("Tanh", {"cube"}, "tanh"), onnxNode("Mul", {"x", "tanh"}, "y")},
       [](double x) { return x * std::tanh(x * x * x); }},
      {"Sigmoid",
       {onnxNode("Sigmoid", {"x"}, "y")},
       [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Erf", {onnxNode("Erf", {"x"}, "y")}, [](double x) { return std::erf(x); }},
      {"Elu", {onnxNode("Elu", {"x"}, "y")}, elu}};
  for (const Function& each : functions)
    expectFunction(each, {2, static_cast<int>(values.size() / 4), 2}, values, 2e-6);
}

TEST(Functions, LookalikesAreComputedAsTheyStand) {
  const Function lookalikes[] = {
      {"Mish",
       {onnxNode("Softplus", {"c"}, "a"), onnxNode("Tanh", {"a"}, "b"),
        onnxNode("Mul", {"x", "b"}, "y")},
       [](double x) { return x * std::tanh(std::log1p(std::exp(-x))); }},
      {"Softplus",
       {onnxNode("Exp", {"x"}, "a"), onnxNode("Exp", {"c"}, "b"), onnxNode("Add", {"a", "b"}, "d"),
        onnxNode("Log", {"d"}, "y")},
       [](double x) { return std::log(std::exp(x) + std::exp(-x)); }},
      {"Celu",
       {onnxNode("Exp", {"x"}, "a"), onnxNode("Div", {"x", "a"}, "b"), onnxNode("Elu", {"b"}, "d"),
        onnxNode("Mul", {"c", "d"}, "y")},
       [](double x) { return -x * elu(x / std::exp(x)); }},
      {"Gelu",
       {onnxNode("Mul", {"x", "x"}, "a"), onnxNode("Mul", {"x", "a"}, "b"),
        onnxNode("Mul", {"b", "c"}, "d"), onnxNode("Add", {"x", "d"}, "e"),
        onnxNode("Mul", {"e", "c"}, "f"), onnxNode("Tanh", {"f"}, "g"),
        onnxNode("Add", {"g", "c"}, "h"), onnxNode("Mul", {"x", "h"}, "i"),
        onnxNode("Mul", {"i", "c"}, "y")},
       [](double x) { return -x * x * (std::tanh(-x * (x - x * x * x * x)) - x); }},
      {"Gelu of a third power",
       {onnxNode("Div", {"x", "two"}, "a"), onnxNode("Erf", {"a"}, "b"),
        onnxNode("Add", {"b", "two"}, "d"), onnxNode("Pow", {"d", "three"}, "y")},
       [](double x) { return std::pow(std::erf(x / 2) + 2, 3); }},
      {"Power of -1, less a number",
       {onnxNode("Exp", {"x"}, "a"), onnxNode("Div", {"two", "a"}, "b"),
        onnxNode("Sub", {"b", "three"}, "y")},
       [](double x) { return 2 / std::exp(x) - 3; }},
      {"Power of -1, times a number",
       {onnxNode("Exp", {"x"}, "a"), onnxNode("Div", {"two", "a"}, "b"),
        onnxNode("Div", {"b", "three"}, "y")},
       [](double x) { return 2 / std::exp(x) / 3; }}};
  const Mat x = test::normalBlob({2, 3, 4, 5}, 7);
  const Values values(x.ptr<float>(), x.ptr<float>() + x.total());
  for (const Function& each : lookalikes) expectFunction(each, {2, 3, 4, 5}, values, 1e-5);
}

// OpenCV 4.10 to 5.0 fuse a GELU that is written in one order, and end the process or compute
// something else with others; readNet spells them apart.
TEST(Functions, AGeluMayBeWrittenInAnyOrder) {
  struct Order {
    std::vector<std::string> sum, inner, outer;
  };
  const std::vector<Order> once = {{{"erf", "one"}, {"x", "sum"}, {"inner", "half"}},
                                   {{"one", "erf"}, {"x", "sum"}, {"inner", "half"}},
                                   {{"erf", "one"}, {"sum", "x"}, {"half", "inner"}},
                                   {{"erf", "one"}, {"half", "sum"}, {"x", "inner"}},
                                   {{"one", "erf"}, {"sum", "half"}, {"inner", "x"}}},
                           thrice = {{{"erf", "one"}, {"thrice", "sum"}, {"inner", "half"}},
                                     {{"erf", "one"}, {"half", "sum"}, {"thrice", "inner"}}};
  const Mat x = test::normalBlob({1, 4, 16}, 3);
  const Values values(x.ptr<float>(), x.ptr<float>() + x.total());
  const auto expectOrders = [&](const std::vector<Order>& orders, double (*expected)(double)) {
    for (const Order& order : orders) {
      expectFunction(
          {order.sum[0] + " " + order.inner[0] + " " + order.outer[0],
           {onnxNode("Mul", {"x", "three"}, "thrice"), onnxNode("Div", {"x", "root"}, "quotient"),
            onnxNode("Erf", {"quotient"}, "erf"), onnxNode("Add", order.sum, "sum"),
            onnxNode("Mul", order.inner, "inner"), onnxNode("Mul", order.outer, "y")},
           expected},
          {1, 4, 16}, values, 1e-5);
    }
  };
  expectOrders(once, [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); });
  expectOrders(thrice, [](double v) { return 3 * v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); });
}

// Where the probability itself is 0 in float32.
TEST(Functions, LogSoftmaxIsRightOfWhatIsFarBelowTheLargest) {
  const Values values = {0, -1, -80, -90, -300, 7e4F, 200, 199, 0, -200, 1, -1e6F};
  Net net = netOf({onnxNode("LogSoftmax", {"x"}, "y")}, {2, 6}, {2, 6});
  const Mat y = forward(net, test::filledBlob({2, 6}, values));
  for (std::size_t row = 0; row < values.size(); row += 6) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row);
    const double largest = *std::max_element(first, first + 6);
    double total = 0;
    for (std::size_t i = 0; i < 6; ++i) total += std::exp(first[i] - largest);
    for (std::size_t i = 0; i < 6; ++i) {
      const double expected = first[i] - largest - std::log(total);
      EXPECT_NEAR(y.ptr<float>()[row + i], expected, 2e-6 * (1 + std::abs(expected)));
    }
  }
}

// OpenCV puts what follows a ConvTranspose into its weights, once more for each new shape.
TEST(Functions, WhatFollowsAConvTransposeIsAppliedOnceWhateverCameBefore) {
  const Mat two = test::normalBlob({2, 2, 4, 4}, 3), one = two.rowRange(0, 1).clone();
  for (const char* type : {"Add", "Mul", "Sub", "Div"}) {
    for (const int channels : {3, 1}) {
      SCOPED_TRACE(std::string(type) + " of " + std::to_string(channels));
      Net net = netOf({onnxNode("ConvTranspose", {"x", "weight", "bias"}, "planes"),
                       onnxNode(type, {"planes", "constant"}, "y")},
                      {0, 2, 4, 4}, {0, 3, 5, 5},
                      {{"weight", test::normalBlob({2, 3, 2, 2}, 4)},
                       {"bias", Mat(std::vector<int>{3}, CV_32F, cv::Scalar(0.7))},
                       {"constant", test::normalBlob({1, channels, 1, 1}, 5)}});
      const Mat before = forward(net, one), together = forward(net, two);
      for (std::size_t i = 0; i < before.total(); ++i)
        ASSERT_NEAR(together.ptr<float>()[i], before.ptr<float>()[i], 1e-5) << i;
    }
  }
}

/// x [batch 3 4] -> the place of the largest along axis 1 [batch 4].
Net places() {
  OnnxNode place = onnxNode("ArgMax", {"x"}, "y");
  place.numbers = {{"axis", 1}, {"keepdims", 0}};
  return netOf({place}, {0, 3, 4}, {0, 4});
}

TEST(SubgraphLayer, TakesAnyNumberOfImages) {
  Net net = places();
  for (const int batch : {1, 2, 5, 1}) {
    SCOPED_TRACE(batch);
    const Mat x = test::normalBlob({batch, 3, 4}, 7);
    Mat found;  // whole numbers, where OpenCV has them
    forward(net, x).convertTo(found, CV_32F);
    ASSERT_EQ(dnn::shapeOf(found), (dnn::Shape{batch, 4}));
    for (int b = 0; b < batch; ++b) {
      for (int i = 0; i < 4; ++i) {
        const float column[] = {x.ptr<float>(b, 0)[i], x.ptr<float>(b, 1)[i],
                                x.ptr<float>(b, 2)[i]};
        EXPECT_EQ(found.ptr<float>()[b * 4 + i],
                  static_cast<float>(std::max_element(column, column + 3) - column));
      }
    }
  }
}

#if CV_VERSION_MAJOR < 5  // OpenCV 5 asks no layer for other shapes
TEST(SubgraphLayer, RunsAsBeforeWhenOtherShapesWereAskedFor) {
  Net net = places();
  const Mat x = test::normalBlob({2, 3, 4}, 7), before = forward(net, x);
  net.getFLOPS(dnn::Shape{1, 3, 4});
  const Mat after = forward(net, x + 1);
  ASSERT_EQ(dnn::shapeOf(after), dnn::shapeOf(before));
  EXPECT_EQ(cv::norm(after, before, cv::NORM_INF), 0);
}
#endif

// The sum of both values as whole numbers; float32 counts up to 2^24.
TEST(SubgraphLayer, WholeNumbersAreKeptOrRefused) {
  OnnxNode whole = onnxNode("Cast", {"x"}, "w");
  whole.numbers = {{"to", 7}};
  Net net = netOf({whole, onnxNode("ReduceSum", {"w"}, "y")}, {1, 2}, {1, 1});
  const auto sumWith = [&](float other) {
    Mat found;
    forward(net, test::filledBlob({1, 2}, {1 << 24, other})).convertTo(found, CV_64F);
    return found.ptr<double>()[0];
  };
  EXPECT_EQ(sumWith(0), 1 << 24);
  if (CV_VERSION_MAJOR >= 5) {
    EXPECT_EQ(sumWith(1), (1 << 24) + 1);
    return;
  }
  try {
    sumWith(1);
    FAIL() << "no refusal";
  } catch (const cv::Exception& error) {
    EXPECT_NE(error.err.find("gives the whole number 16777217"), std::string::npos) << error.err;
  }
}

}  // namespace
}  // namespace mpm
