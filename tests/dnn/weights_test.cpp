// SPDX-License-Identifier: Apache-2.0
// Constants that reach layers beside the model's file; and weights, which are packed once where
// they are constants of the model, which are let go then, and at every forward where they are blobs
// of the net.
#include "dnn/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "vit/references.h"

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

using test::kDim;
using test::Mats;
using test::normalBlob;

/// A layer of each kind that packs, with all of its weights.
struct Kind {
  std::string type, settings;
  Mat input;
  std::vector<std::vector<int>> shapes;  // of the weights

  Mats weights(std::uint32_t seed) const {
    Mats mats;
    for (const std::vector<int>& shape : shapes) mats.push_back(normalBlob(shape, seed++));
    return mats;
  }
};

std::vector<Kind> kinds() {
  const Mat tokens = normalBlob({2, 12, kDim}, 1), image = normalBlob({2, 3, 16, 24}, 2);
  const std::vector<int> row = {1, kDim}, square = {kDim, kDim};
  return {{"mpm.Linear", "inputs=tokens,weight,bias", tokens, {{10, kDim}, {1, 10}}},
          {"mpm.Normalize", "inputs=tokens,scale,shift", tokens, {row, row}},
          {"mpm.TransformerBlock",
           "heads=3 inputs=tokens,norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,"
           "proj_bias,layer_scale1,norm2_scale,norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,"
           "layer_scale2",
           tokens,
           {row,
            row,
            {72, kDim},
            {1, 72},
            square,
            row,
            row,
            row,
            row,
            {50, kDim},
            {1, 50},
            {kDim, 50},
            row,
            row}},
          {"mpm.MaskDecoderHead",
           "special=3 inputs=tokens,proj_patch,proj_classes,norm_scale,norm_shift",
           tokens,
           {square, square, {1, 3}, {1, 3}}},
          {"mpm.PatchEmbed",
           "patch=8 inputs=image,weight,bias,position,special",
           image,
           {{20, 3, 8, 8}, {1, 20}, {6, 20}, {2, 20}}}};
}

Mat call(cv::dnn::Layer& layer, const Mat& input, const Mats& weights = {}) {
  Mats inputs = {input};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  return test::callLayer(layer, inputs)[0];
}

double difference(const Mat& a, const Mat& b) {
  return cv::norm(a.reshape(1, 1), b.reshape(1, 1), cv::NORM_INF);
}

// Nobody else holds them then, so what they took is free, and later forwards give the same bits.
TEST(Packing, LetsConstantsGoAndKeepsTheirShapes) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.type);
    const Mats weights = kind.weights(10);
    const auto layer = test::makeLayer(kind.type, kind.settings, weights);
    for (const Mat& weight : weights) EXPECT_GT(weight.u->refcount, 1);
    const Mat first = call(*layer, kind.input);
    const Mat other = call(*layer, normalBlob(dnn::shapeOf(kind.input), 9));
    EXPECT_GT(difference(first, other), 1e-3) << "the input matters";
    EXPECT_EQ(difference(first, call(*layer, kind.input)), 0);
    if (kind.type == "mpm.Normalize") continue;  // has nothing to pack
    ASSERT_EQ(layer->blobs.size(), weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(weights[i].u->refcount, 1);
      EXPECT_EQ(dnn::shapeOf(layer->blobs[i]), dnn::shapeOf(weights[i]));
    }
  }
}

// Each of them, one after the other, while the others stay; then back to the first ones.
TEST(Packing, WeightsThatAreBlobsOfTheNetMayChange) {
  for (const Kind& kind : kinds()) {
    const auto layer = test::makeLayer(kind.type, kind.settings);
    Mats weights = kind.weights(10);
    const Mat first = call(*layer, kind.input, weights);
    Mat before = first;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      SCOPED_TRACE(testing::Message() << kind.type << ", weight " << i);
      weights[i] = normalBlob(kind.shapes[i], 90 + static_cast<std::uint32_t>(i));
      const Mat after = call(*layer, kind.input, weights);
      EXPECT_GT(difference(after, before), 1e-4);
      const auto constant = test::makeLayer(kind.type, kind.settings, weights);
      EXPECT_EQ(difference(after, call(*constant, kind.input)), 0);
      before = after;
    }
    EXPECT_EQ(difference(call(*layer, kind.input, kind.weights(10)), first), 0) << kind.type;
  }
}

TEST(Packing, AConstantBesideAWeightThatChangesIsKept) {
  const Kind kind = kinds()[0];
  const Mat bias = normalBlob({1, 10}, 3);
  const auto layer = test::makeLayer(kind.type, kind.settings, {bias});
  for (const std::uint32_t seed : {10U, 30U, 10U}) {
    const Mat weight = normalBlob({10, kDim}, seed);
    const auto constant = test::makeLayer(kind.type, kind.settings, {weight, bias});
    EXPECT_EQ(difference(call(*layer, kind.input, {weight}), call(*constant, kind.input)), 0);
  }
}

// A map that never changes is a constant of the model, and no weight.
TEST(Packing, AConstantMapIsKept) {
  Kind kind = kinds()[2];
  kind.settings.replace(kind.settings.find("tokens,"), 7, "tokens,map,");
  Mat map(std::vector<int>{2, 12}, CV_32F);
  for (int at = 0; at < 24; ++at) map.ptr<float>()[at] = static_cast<float>(at * 5 % 12);
  const Mats weights = kind.weights(10);
  Mats inputs = {map};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  const auto constant = test::makeLayer(kind.type, kind.settings, inputs);
  const auto layer = test::makeLayer(kind.type, kind.settings, weights);
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(difference(call(*constant, kind.input), call(*layer, kind.input, {map})), 0);
}

TEST(Packing, InANetAWeightMayBeAnInput) {
  registerLayers();
  test::OnnxNode linear{"Linear", "linear", {"tokens", "weight"}, {"scores"}};
  linear.texts["inputs"] = "tokens,weight";
  test::OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 5, kDim}}, {"weight", {10, kDim}}};
  graph.outputs = {{"scores", {0, 5, 10}}};
  graph.nodes = {linear};
  cv::dnn::Net net = cv::dnn::readNetFromONNX(test::onnxBytes(graph));
  for (const std::uint32_t seed : {10U, 30U}) {
    const Mat tokens = normalBlob({2, 5, kDim}, 4), weight = normalBlob({10, kDim}, seed);
    net.setInput(tokens, "tokens");
    net.setInput(weight, "weight");
    const Mat scores = net.forward();
    for (const int image : {0, 1}) {
      std::vector<float> expected(5 * 10);
      vit::linearReference({tokens.ptr<float>(image), 5, kDim}, {test::rowsOf(weight), nullptr},
                           {expected.data(), 5, 10});
      test::expectValues(scores, image, expected);
    }
  }
}

}  // namespace
}  // namespace mpm
