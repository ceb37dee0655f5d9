// SPDX-License-Identifier: Apache-2.0
// ReadOptions::check: a net that was read runs, and gives what ONNX says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dnn/host.h"
#include "dnn/onnx_graph.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using cv::dnn::LayerParams;
using MatShape = dnn::HostShape;
using test::OnnxGraph;
using test::OnnxNode;

/// A layer of OpenCV's that is wrong in one way.
class WrongLayer final : public cv::dnn::Layer {
 public:
  explicit WrongLayer(const LayerParams& params)
      : Layer(params), how_(params.get<cv::String>("how")) {}

  bool getMemoryShapes(const std::vector<MatShape>& inputs, const int,
                       std::vector<MatShape>& outputs, std::vector<MatShape>&) const override {
    outputs = inputs;
    if (how_ == "keeps an axis") outputs[0].insert(outputs[0].begin() + 1, 1);
    return false;
  }
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays) override {
    std::vector<cv::Mat> in, out;
    inputs.getMatVector(in);
    outputs.getMatVector(out);
    const int pictures = in[0].size[0];
    if (how_ == "throws") CV_Error(cv::Error::StsBadArg, "it takes two pictures");
    if (how_ == "checks") CV_Check(pictures, pictures != 1, "");
    std::copy_n(in[0].ptr<float>(), in[0].total(), out[0].ptr<float>());
  }

  static cv::Ptr<Layer> create(LayerParams& params) { return cv::makePtr<WrongLayer>(params); }

 private:
  std::string how_;
};

OnnxGraph graphOf(const OnnxNode& last, const std::vector<int>& dims) {
  OnnxGraph graph;
  graph.inputs = {{"x", dims}};
  graph.outputs = {{"y", dims}};
  OnnxNode first{"Neg", "first", {"x"}, {"a"}};
  first.domain = "";
  graph.nodes = {first, last};
  return graph;
}

OnnxNode wrong(const std::string& how) {
  OnnxNode node{"WrongLayer", "odd", {"a"}, {"y"}};
  node.domain = "";
  node.texts["how"] = how;
  return node;
}

/// With check and without.
std::string sentenceOf(const OnnxGraph& graph, bool check) {
  const auto bytes = test::onnxBytes(graph);
  ReadOptions options;
  options.check = check;
  try {
    readNet(bytes.data(), bytes.size(), options);
    return "it was read";
  } catch (const std::exception& error) {
    return error.what();
  }
}

class ProvedNet : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cv::dnn::LayerFactory::registerLayer("WrongLayer", WrongLayer::create);
  }
  static void TearDownTestSuite() { cv::dnn::LayerFactory::unregisterLayer("WrongLayer"); }
};

TEST_F(ProvedNet, IsReadOrSaysWhatIsWrong) {
  const std::vector<int> open = {0, 3, 4, 4};
  const std::string fault =
      "model: OpenCV " CV_VERSION " cannot run it on a batch of one picture: ";
  const auto expectSaid = [](const OnnxGraph& graph, const std::string& sentence) {
    EXPECT_EQ(sentenceOf(graph, true), sentence);
  };
  expectSaid(graphOf(wrong("not at all"), open), "it was read");
  EXPECT_EQ(sentenceOf(graphOf(wrong("keeps an axis"), open), false), "it was read");
  expectSaid(graphOf(wrong("keeps an axis"), open),
             "model: on a batch of one picture its output 'y' is [1 x 1 x 3 x 4 x 4] in "
             "OpenCV " CV_VERSION " and [1 x 3 x 4 x 4] in ONNX");
  expectSaid(graphOf(wrong("throws"), open), fault + "it takes two pictures");
  // Its own sentence is empty: what it says is on the lines behind.
  expectSaid(graphOf(wrong("checks"), open), fault + "'pictures != 1' where 'pictures' is 1");
  expectSaid(graphOf(wrong("checks"), {2, 3, 4, 4}), "it was read");  // tried as it is
  OnnxNode log{"Log", "log", {"a"}, {"y"}};  // of numbers on both sides of zero
  log.domain = "";
  expectSaid(graphOf(log, open),
             "model: on a batch of one picture its output 'y' has values that are not finite");
  OnnxGraph four = graphOf(wrong("not at all"), {4, 3, 4, 4});
  four.nodes[0].type = "Log";
  expectSaid(four, "model: on a batch of 4 pictures its output 'y' has values that are not finite");
  if (CV_VERSION_MAJOR >= 5) return;  // OpenCV 5 may give constants
  OnnxGraph constant = graphOf(wrong("not at all"), open);
  constant.outputs.push_back({"anchors", {1, 2}});
  constant.constants["anchors"] = cv::Mat(1, 2, CV_32F, cv::Scalar(1));
  expectSaid(constant, "model: its output 'anchors' is a constant, which OpenCV " CV_VERSION
                       " does not give; please export the model without it");
}

// Exporters keep a mask that a model takes and does not look at.
TEST_F(ProvedNet, AnInputThatNothingReads) {
  OnnxGraph graph = graphOf(wrong("not at all"), {0, 3, 4, 4});
  graph.inputs.push_back({"unread", {1, 7}});
  EXPECT_EQ(sentenceOf(graph, true), "it was read");
  const auto bytes = test::onnxBytes(graph);
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  net.setInput(cv::Mat(std::vector<int>{2, 3, 4, 4}, CV_32F, cv::Scalar(5)), "x");
  net.setInput(cv::Mat(1, 7, CV_32F, cv::Scalar(1)), "unread");
  const cv::Mat made = net.forward();
  EXPECT_EQ(made.total(), 2U * 3 * 4 * 4);
  EXPECT_EQ(made.ptr<float>()[0], -5);
}

TEST_F(ProvedNet, InputsOfWholeNumbersTakeFloats) {
  OnnxGraph graph;
  graph.inputs = {{"x", {0, 4}}, {"ids", {0, 4}, true}};
  graph.outputs = {{"y", {0, 4}}};
  OnnxNode cast{"Cast", "", {"ids"}, {"numbers"}};
  cast.numbers["to"] = 1;
  graph.nodes = {cast, {"Add", "", {"x", "numbers"}, {"y"}}};
  for (OnnxNode& node : graph.nodes) node.domain = "";
  const auto bytes = test::onnxBytes(graph);
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  net.setInput(cv::Mat::ones(2, 4, CV_32F), "x");
  net.setInput(cv::Mat(2, 4, CV_32F, cv::Scalar(49407)), "ids");
  const cv::Mat made = net.forward();
  EXPECT_EQ(cv::countNonZero(made.reshape(1, 2) == 49408), 8);
}

TEST_F(ProvedNet, DescriptionsSayWhatDoesNotRun) {
  const auto bytes = test::onnxBytes(graphOf(wrong("throws"), {0, 3, 4, 4}));
  ReadOptions options;
  options.check = true;
  const Description description = describe(bytes.data(), bytes.size(), options);
  EXPECT_FALSE(description.mergeable);
  EXPECT_EQ(description.reason.find("it does not run: model: OpenCV"), 0U) << description.reason;
}

// As an exporter leaves it that ran the model on two pictures.
TEST_F(ProvedNet, AnOutputsSizeIsOpenWhereTheInputsIs) {
  OnnxNode last{"Neg", "last", {"a"}, {"y"}};
  last.domain = "";
  OnnxGraph graph = graphOf(last, {0, 3, 4, 4});
  graph.outputs[0].shape[0] = 2;
  EXPECT_EQ(sentenceOf(graph, true), "it was read");
  const auto bytes = test::onnxBytes(graph);
  EXPECT_EQ(describe(bytes.data(), bytes.size()).outputs[0].shape, (std::vector<int>{-1, 3, 4, 4}));
}

}  // namespace
}  // namespace mpm
