// SPDX-License-Identifier: Apache-2.0
// mpm.Subgraph, in nets that mpm::readNet makes.
#include <gtest/gtest.h>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::Mat_;

// x [batch 3 4] -> the place of the largest along axis 1 [batch 4].
std::vector<unsigned char> places() {
  test::OnnxGraph graph;
  graph.inputs = {{"x", {0, 3, 4}}};
  test::OnnxNode place{"ArgMax", "place", {"x"}, {"y"}};
  place.numbers = {{"axis", 1}, {"keepdims", 0}};
  place.domain = "";
  graph.nodes = {place};
  graph.outputs = {{"y", {0, 4}}};
  return test::onnxBytes(graph);
}

TEST(SubgraphLayer, TakesAnyNumberOfImages) {
  const std::vector<unsigned char> bytes = places();
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  for (const int batch : {1, 2, 5, 1}) {
    SCOPED_TRACE(batch);
    const Mat x = test::normalBlob({batch, 3, 4}, 7);
    net.setInput(x, "x");
    Mat found;  // whole numbers, where OpenCV has them
    net.forward("y").convertTo(found, CV_32F);
    ASSERT_EQ(dnn::shapeOf(found), (dnn::Shape{batch, 4}));
    for (int b = 0; b < batch; ++b) {
      for (int i = 0; i < 4; ++i) {
        const float* image = x.ptr<float>(b);
        const auto value = [&](int k) { return image[k * 4 + i]; };
        const int best = value(0) >= value(1) && value(0) >= value(2) ? 0
                         : value(1) >= value(2)                       ? 1
                                                                      : 2;
        EXPECT_EQ(found.ptr<float>()[b * 4 + i], static_cast<float>(best));
      }
    }
  }
}

#if CV_VERSION_MAJOR < 5  // OpenCV 5 asks no layer for other shapes
TEST(SubgraphLayer, RunsAsBeforeWhenOtherShapesWereAskedFor) {
  const std::vector<unsigned char> bytes = places();
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  const Mat x = test::normalBlob({2, 3, 4}, 7);
  net.setInput(x, "x");
  const Mat before = net.forward("y").clone();
  net.getFLOPS(dnn::Shape{1, 3, 4});
  net.setInput(x + 1, "x");
  const Mat after = net.forward("y");
  ASSERT_EQ(dnn::shapeOf(after), dnn::shapeOf(before));
  EXPECT_EQ(cv::norm(after, before, cv::NORM_INF), 0);
}
#endif

// x [1 2] -> the sum of both as whole numbers [1 1].
std::vector<unsigned char> sumOfWholeNumbers() {
  test::OnnxGraph graph;
  graph.inputs = {{"x", {1, 2}}};
  test::OnnxNode whole{"Cast", "whole", {"x"}, {"w"}};
  whole.numbers = {{"to", 7}};
  test::OnnxNode sum{"ReduceSum", "sum", {"w"}, {"y"}};
  whole.domain = sum.domain = "";
  graph.nodes = {whole, sum};
  graph.outputs = {{"y", {1, 1}}};
  return test::onnxBytes(graph);
}

TEST(SubgraphLayer, WholeNumbersAreKeptOrRefused) {
  const std::vector<unsigned char> bytes = sumOfWholeNumbers();
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  constexpr float kMost = 1 << 24;  // that float32 counts up to
  const auto sumWith = [&](float other) {
    net.setInput(Mat_<float>({1, 2}, {kMost, other}), "x");
    Mat found;
    net.forward("y").convertTo(found, CV_64F);
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

TEST(SubgraphLayer, RefusesAGraphThatIsNone) {
  cv::dnn::LayerParams params;
  params.set("graph", cv::String("nonsense"));
  try {
    test::makeLayer("mpm.Subgraph", params);
    FAIL() << "no refusal";
  } catch (const cv::Exception& error) {
    EXPECT_NE(error.err.find("mpm.Subgraph 'sut': its attribute graph"), std::string::npos)
        << error.err;
  }
}

}  // namespace
}  // namespace mpm
