// SPDX-License-Identifier: Apache-2.0
// Functions of one value far from zero, where a formula may be no number, in nets that mpm::readNet
// makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/net.h"

namespace mpm {
namespace {

struct Function {
  std::string name;
  std::vector<test::OnnxNode> nodes;  // from x to y
  double (*expected)(double x);
  double least = 1;  // from which size of a value on errors are relative to it
};

using test::onnxNode;

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

std::vector<Function> functions() {
  return {
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
      {"Elu", {onnxNode("Elu", {"x"}, "y")}, [](double x) { return x < 0 ? std::expm1(x) : x; }},
  };
}

TEST(Functions, AreRightFarFromZero) {
  std::vector<float> values = {0, 1e-6F};
  for (float size = 0.1F; size < 1e15F; size *= 1.3F) values.insert(values.end(), {size, -size});
  while (values.size() % 8 != 0) values.push_back(0);
  const std::vector<int> dims = {2, static_cast<int>(values.size() / 4), 2};
  const cv::Mat x = test::filledBlob(dims, values);
  for (const Function& each : functions()) {
    SCOPED_TRACE(each.name);
    test::OnnxGraph graph;
    graph.inputs = {{"x", dims}};
    graph.outputs = {{"y", dims}};
    graph.nodes = each.nodes;
    const std::vector<unsigned char> bytes = test::onnxBytes(graph);
    cv::dnn::Net net = readNet(bytes.data(), bytes.size());
    net.setInput(x, "x");
    const cv::Mat y = net.forward("y");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = each.expected(values[i]);
      ASSERT_NEAR(y.ptr<float>()[i], expected, 2e-6 * (each.least + std::abs(expected)))
          << values[i];
    }
  }
}

// Where the probability itself is 0 in float32.
TEST(Functions, LogSoftmaxIsRightOfWhatIsFarBelowTheLargest) {
  const std::vector<float> values = {0, -1, -80, -90, -300, 7e4F, 200, 199, 0, -200, 1, -1e6F};
  const std::vector<int> dims = {2, 6};
  test::OnnxGraph graph;
  graph.inputs = {{"x", dims}};
  graph.outputs = {{"y", dims}};
  graph.nodes = {onnxNode("LogSoftmax", {"x"}, "y")};
  const std::vector<unsigned char> bytes = test::onnxBytes(graph);
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  net.setInput(test::filledBlob(dims, values), "x");
  const cv::Mat y = net.forward("y");
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

}  // namespace
}  // namespace mpm
