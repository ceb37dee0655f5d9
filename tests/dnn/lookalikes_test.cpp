// SPDX-License-Identifier: Apache-2.0
// Nodes that OpenCV takes for an activation that they are not, in nets that mpm::readNet makes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/net.h"

namespace mpm {
namespace {

struct Lookalike {
  const char* name;
  std::vector<test::OnnxNode> nodes;  // from x, c = -x, two and three to y
  double (*expected)(double x);
};

using test::onnxNode;

std::vector<Lookalike> lookalikes() {
  return {
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
       [](double x) {
         const double quotient = x / std::exp(x);
         return -x * (quotient < 0 ? std::expm1(quotient) : quotient);
       }},
      {"Gelu",
       {onnxNode("Mul", {"x", "x"}, "a"), onnxNode("Mul", {"x", "a"}, "b"),
        onnxNode("Mul", {"b", "c"}, "d"), onnxNode("Add", {"x", "d"}, "e"),
        onnxNode("Mul", {"e", "c"}, "f"), onnxNode("Tanh", {"f"}, "g"),
        onnxNode("Add", {"g", "c"}, "h"), onnxNode("Mul", {"x", "h"}, "i"),
        onnxNode("Mul", {"i", "c"}, "y")},
       [](double x) {
         const double inner = -x * (x - x * x * x * x);
         return -x * x * (std::tanh(inner) - x);
       }},
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
       [](double x) { return 2 / std::exp(x) / 3; }},
  };
}

TEST(Lookalikes, AreComputedAsTheyStand) {
  const std::vector<int> dims = {2, 3, 4, 5};
  const cv::Mat x = test::normalBlob(dims, 7);
  for (const Lookalike& each : lookalikes()) {
    SCOPED_TRACE(each.name);
    test::OnnxGraph graph;
    graph.inputs = {{"x", dims}};
    graph.outputs = {{"y", dims}};
    graph.constants = {{"two", test::filledBlob({1}, {2})}, {"three", test::filledBlob({1}, {3})}};
    graph.nodes = each.nodes;
    graph.nodes.insert(graph.nodes.begin(), onnxNode("Neg", {"x"}, "c"));
    const std::vector<unsigned char> bytes = test::onnxBytes(graph);
    cv::dnn::Net net = readNet(bytes.data(), bytes.size());
    net.setInput(x, "x");
    const cv::Mat y = net.forward("y");
    for (std::size_t i = 0; i < x.total(); ++i) {
      const double expected = each.expected(x.ptr<float>()[i]);
      ASSERT_NEAR(y.ptr<float>()[i], expected, 1e-5 * (1 + std::abs(expected))) << i;
    }
  }
}

}  // namespace
}  // namespace mpm
