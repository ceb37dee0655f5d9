// SPDX-License-Identifier: Apache-2.0
// Constants that reach layers beside the model's file.
#include "dnn/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using dnn::LayerWeights;
using dnn::ScopedWeights;

const Mat kScale = test::normalBlob({1, 16}, 1), kShift = test::normalBlob({1, 16}, 2);
const Mat kWeight = test::normalBlob({10, 16}, 3), kBias = test::normalBlob({1, 10}, 4);

// tokens -> Normalize without a name, where OpenCV tells it by its output -> Linear named "head" ->
// scores.
std::vector<unsigned char> model(bool constantsInFile, bool domainInType = false) {
  test::OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 5, 16}}};
  graph.outputs = {{"scores", {0, 5, 10}}};
  const char* const name = CV_VERSION_MAJOR >= 5 ? "normal" : "";
  test::OnnxNode norm{"Normalize", name, {"tokens"}, {"normal"}};
  test::OnnxNode linear{"Linear", "head", {"normal"}, {"scores"}};
  norm.texts["inputs"] = "tokens,scale,shift";
  linear.texts["inputs"] = "tokens,weight,bias";
  if (constantsInFile) {
    norm.inputs.insert(norm.inputs.end(), {"scale", "shift"});
    linear.inputs.insert(linear.inputs.end(), {"weight", "bias"});
    graph.constants = {{"scale", kScale}, {"shift", kShift}, {"weight", kWeight}, {"bias", kBias}};
  }
  graph.nodes = {norm, linear};
  for (test::OnnxNode& node : graph.nodes) {
    if (domainInType) node.type = "mpm." + node.type, node.domain = "";
  }
  return test::onnxBytes(graph);
}

Net read(const std::vector<unsigned char>& bytes) {
  registerLayers();
  return cv::dnn::readNetFromONNX(bytes);
}

LayerWeights weights() { return {{"normal", {kScale, kShift}}, {"head", {kWeight, kBias}}}; }

Mat forward(Net& net) {
  net.setInput(test::normalBlob({2, 5, 16}, 5), "tokens");
  return net.forward("scores").clone();
}

std::string refusalToRead() {
  try {
    Net net = read(model(false));
    if (CV_VERSION_MAJOR >= 5) forward(net);  // which asks for shapes then
  } catch (const cv::Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ScopedWeights, GiveWhatConstantsInTheFileGive) {
  Net withConstants = read(model(true));
  const Mat expected = forward(withConstants);
  for (const bool domainInType : {false, true}) {
    Net net;
    {
      const ScopedWeights scope(weights());
      net = read(model(false, domainInType));
    }
    EXPECT_EQ(cv::norm(forward(net), expected, cv::NORM_INF), 0) << "after the scope ended";
    EXPECT_EQ(cv::norm(forward(net), expected, cv::NORM_INF), 0) << "and again";
  }
}

TEST(ScopedWeights, ShareTheirMemoryWithTheLayers) {
  const ScopedWeights scope(weights());
  Net net = read(model(false));
  int found = 0;
  for (const cv::String& name : net.getLayerNames()) {
    const auto layer = net.getLayer(name);
    if (layer->type != "mpm.Linear") continue;
    ++found;
    ASSERT_EQ(layer->blobs.size(), 2U);
    EXPECT_EQ(layer->blobs[0].data, kWeight.data);
    EXPECT_EQ(layer->blobs[1].data, kBias.data);
  }
  EXPECT_EQ(found, 1);
}

// What was packed is gone, and another of several constants alone would change nothing.
TEST(Weights, AreRefusedBehindTheFirstForward) {
  if (CV_VERSION_MAJOR >= 5) GTEST_SKIP() << "OpenCV 5 hands constants over as inputs";
  Net net = read(model(true));
  int head = -1;
  for (const cv::String& name : net.getLayerNames()) {
    if (net.getLayer(name)->type == "mpm.Linear") head = net.getLayerId(name);
  }
  ASSERT_GE(head, 0);
  net.setParam(head, 1, Mat(kBias * 2));
  Net doubled = read(model(true));
  const Mat before = forward(net);
  EXPECT_GT(cv::norm(before, forward(doubled), cv::NORM_INF), 0.1) << "set before, it counts";
  net.setParam(head, 0, Mat(kWeight * 2));
  try {
    forward(net);
    FAIL() << "nothing was thrown";
  } catch (const cv::Exception& error) {
    EXPECT_NE(error.err.find("input weight: was set after the first forward"), std::string::npos)
        << error.err;
  }
}

// What ScopedWeights stand on: the importer makes each layer while it reads.
TEST(ScopedWeights, AreNeededWhileTheNetIsRead) {
  EXPECT_NE(refusalToRead().find("has no input weight, which it needs"), std::string::npos)
      << refusalToRead();
  { const ScopedWeights scope(weights()); }
  EXPECT_NE(refusalToRead().find("has no input weight, which it needs"), std::string::npos);
}

TEST(ScopedWeights, HoldInTheirThreadAlone) {
  const ScopedWeights scope(weights());
  std::string elsewhere;
  std::thread([&] { elsewhere = refusalToRead(); }).join();
  EXPECT_NE(elsewhere.find("has no input weight, which it needs"), std::string::npos) << elsewhere;
  EXPECT_EQ(refusalToRead(), "nothing was thrown");
}

cv::Ptr<cv::dnn::Layer> create(const std::string& name, const std::vector<Mat>& blobs = {}) {
  registerLayers();
  cv::dnn::LayerParams params;
  params.name = name, params.type = "mpm.Linear", params.blobs = blobs;
  const auto layer = cv::dnn::LayerFactory::createLayerInstance(params.type, params);
  EXPECT_EQ(params.blobs.size(), blobs.size()) << "the caller's params are its own";
  return layer;
}

TEST(ScopedWeights, TheInnermostHolds) {
  const ScopedWeights outer({{"a", {kWeight}}, {"b", {kWeight}}});
  {
    const ScopedWeights inner({{"a", {kBias}}});
    EXPECT_EQ(create("a")->blobs[0].data, kBias.data);
    EXPECT_TRUE(create("b")->blobs.empty());
  }
  EXPECT_EQ(create("a")->blobs[0].data, kWeight.data);
}

TEST(ScopedWeights, AreFoundBehindThePrefixesOfTheImporter) {
  const ScopedWeights scope({{"a", {kWeight}}, {"x!a", {kBias}}});
  EXPECT_EQ(create("onnx_node!a")->blobs[0].data, kWeight.data);
  EXPECT_EQ(create("onnx_node_output_0!a")->blobs[0].data, kWeight.data);
  EXPECT_EQ(create("onnx_node_output_12!a")->blobs[0].data, kWeight.data);
  EXPECT_EQ(create("onnx_node!x!a")->blobs[0].data, kBias.data);
  EXPECT_EQ(create("x!a")->blobs[0].data, kBias.data);
  EXPECT_TRUE(create("y!a")->blobs.empty());
  EXPECT_TRUE(create("other")->blobs.empty());
}

TEST(ScopedWeights, ComeBehindTheConstantsOfTheModel) {
  const ScopedWeights scope({{"a", {kBias}}});
  const auto layer = create("a", {kWeight});
  ASSERT_EQ(layer->blobs.size(), 2U);
  EXPECT_EQ(layer->blobs[0].data, kWeight.data);
  EXPECT_EQ(layer->blobs[1].data, kBias.data);
}

}  // namespace
}  // namespace mpm
