// SPDX-License-Identifier: Apache-2.0
// Weights are packed once where they are constants of the model, which are let go then, and at
// every forward where they are blobs of the net.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "dnn/ragged_batch.h"
#include "vit/linear.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using cv::dnn::Net;
using Mats = std::vector<Mat>;
using test::kDim;

// A layer of each kind that packs, with all of its weights.
struct Kind {
  std::string type;
  LayerParams params;
  Mat input;
  std::vector<std::vector<int>> shapes;  // of the weights

  Mats weights(std::uint32_t seed) const {
    Mats mats;
    for (const std::vector<int>& shape : shapes) mats.push_back(test::normalBlob(shape, seed++));
    return mats;
  }
};

std::vector<Kind> kinds() {
  const Mat tokens = test::normalBlob({2, 12, kDim}, 1);
  const auto named = [](std::string inputs) { return test::named(inputs); };
  std::vector<Kind> all = {
      {"mpm.Linear", named("tokens,weight,bias"), tokens, {{10, kDim}, {1, 10}}},
      {"mpm.Normalize", named("tokens,scale,shift"), tokens, {{1, kDim}, {1, kDim}}},
      {"mpm.TransformerBlock",
       named("tokens,norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,proj_bias,"
             "layer_scale1,norm2_scale,norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,"
             "layer_scale2"),
       tokens,
       {{1, kDim},
        {1, kDim},
        {72, kDim},
        {1, 72},
        {kDim, kDim},
        {1, kDim},
        {1, kDim},
        {1, kDim},
        {1, kDim},
        {50, kDim},
        {1, 50},
        {kDim, 50},
        {1, kDim},
        {1, kDim}}},
      {"mpm.MaskDecoderHead",
       named("tokens,proj_patch,proj_classes,norm_scale,norm_shift"),
       tokens,
       {{kDim, kDim}, {kDim, kDim}, {1, 3}, {1, 3}}},
      {"mpm.PatchEmbed",
       named("image,weight,bias,position,special"),
       test::normalBlob({2, 3, 16, 24}, 2),
       {{20, 3, 8, 8}, {1, 20}, {6, 20}, {2, 20}}}};
  all[2].params.set("heads", 3);
  all[3].params.set("special", 3);
  all[4].params.set("patch", 8);
  return all;
}

Mat call(cv::dnn::Layer& layer, const Mat& input, const Mats& weights = {}) {
  Mats inputs = {input};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  return test::callLayer(layer, inputs)[0];
}

double difference(const Mat& a, const Mat& b) {
  return cv::norm(a.reshape(1, 1), b.reshape(1, 1), cv::NORM_INF);
}

TEST(Packing, ForwardsAfterTheFirstGiveTheSameBits) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.type);
    const auto layer = test::makeLayer(kind.type, kind.params, kind.weights(10));
    const Mat first = call(*layer, kind.input);
    const Mat other = call(*layer, test::normalBlob(dnn::shapeOf(kind.input), 9));
    EXPECT_GT(difference(first, other), 1e-3) << "the input matters";
    EXPECT_EQ(difference(first, call(*layer, kind.input)), 0);
  }
}

// Nobody else holds them, so what they took is free.
TEST(Packing, LetsConstantsGoAndKeepsTheirShapes) {
  for (const Kind& kind : kinds()) {
    if (kind.type == "mpm.Normalize") continue;  // has nothing to pack
    SCOPED_TRACE(kind.type);
    const Mats weights = kind.weights(10);
    const auto layer = test::makeLayer(kind.type, kind.params, weights);
    for (const Mat& weight : weights) EXPECT_GT(weight.u->refcount, 1);
    call(*layer, kind.input);
    for (const Mat& weight : weights) EXPECT_EQ(weight.u->refcount, 1);
    ASSERT_EQ(layer->blobs.size(), weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(dnn::shapeOf(layer->blobs[i]), dnn::shapeOf(weights[i]));
    }
  }
}

TEST(Packing, WeightsThatAreBlobsOfTheNetMayChange) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.type);
    const auto layer = test::makeLayer(kind.type, kind.params);
    for (const std::uint32_t seed : {10U, 30U, 50U, 10U}) {
      const Mats weights = kind.weights(seed);
      const auto constant = test::makeLayer(kind.type, kind.params, weights);
      const Mat expected = call(*constant, kind.input);
      EXPECT_EQ(difference(call(*layer, kind.input, weights), expected), 0) << "seed " << seed;
    }
  }
}

// Each of them, one after the other, while the others stay.
TEST(Packing, EachWeightThatChangesIsFollowed) {
  for (const Kind& kind : kinds()) {
    const auto layer = test::makeLayer(kind.type, kind.params);
    Mats weights = kind.weights(10);
    Mat before = call(*layer, kind.input, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      SCOPED_TRACE(testing::Message() << kind.type << ", weight " << i);
      weights[i] = test::normalBlob(kind.shapes[i], 90 + static_cast<std::uint32_t>(i));
      const Mat after = call(*layer, kind.input, weights);
      EXPECT_GT(difference(after, before), 1e-4);
      const auto constant = test::makeLayer(kind.type, kind.params, weights);
      EXPECT_EQ(difference(after, call(*constant, kind.input)), 0);
      before = after;
    }
  }
}

TEST(Packing, AConstantBesideAWeightThatChangesIsKept) {
  const Kind kind = kinds()[0];
  const Mat bias = test::normalBlob({1, 10}, 3);
  const auto layer = test::makeLayer(kind.type, kind.params, {bias});
  for (const std::uint32_t seed : {10U, 30U, 10U}) {
    const Mat weight = test::normalBlob({10, kDim}, seed);
    const auto constant = test::makeLayer(kind.type, kind.params, {weight, bias});
    EXPECT_EQ(difference(call(*layer, kind.input, {weight}), call(*constant, kind.input)), 0);
  }
}

// A map that never changes is a constant of the model, and no weight.
TEST(Packing, AConstantMapIsKept) {
  const Kind kind = kinds()[2];
  LayerParams settings = kind.params;
  settings.set("inputs",
               cv::String("tokens,map," + kind.params.get<cv::String>("inputs").substr(7)));
  Mat map(std::vector<int>{2, 12}, CV_32F);
  for (int at = 0; at < 24; ++at) map.ptr<float>()[at] = static_cast<float>(at * 5 % 12);
  const Mats weights = kind.weights(10);
  Mats inputs = {map};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  const auto constant = test::makeLayer(kind.type, settings, inputs);
  const auto layer = test::makeLayer(kind.type, settings, weights);
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(difference(call(*constant, kind.input), call(*layer, kind.input, {map})), 0);
}

void expectProduct(const Mat& scores, const Mat& tokens, const Mat& weight) {
  for (int b = 0; b < tokens.size[0]; ++b) {
    std::vector<float> expected(5 * 10);
    vit::linearReference({tokens.ptr<float>(b), 5, kDim}, {test::rowsOf(weight), nullptr},
                         {expected.data(), 5, 10});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(scores.ptr<float>(b)[i], expected[i],
                  test::kTolerance * (1 + std::abs(expected[i])));
    }
  }
}

// In a net: a weight that is an input of the graph, and batches of another size.
TEST(Packing, InANetAWeightMayBeAnInput) {
  registerLayers();
  test::OnnxNode linear{"Linear", "linear", {"tokens", "weight"}, {"scores"}};
  linear.texts["inputs"] = "tokens,weight";
  test::OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 5, kDim}}, {"weight", {10, kDim}}};
  graph.outputs = {{"scores", {0, 5, 10}}};
  graph.nodes = {linear};
  Net net = cv::dnn::readNetFromONNX(test::onnxBytes(graph));
  for (const std::uint32_t seed : {10U, 30U}) {
    const Mat tokens = test::normalBlob({2, 5, kDim}, 4),
              weight = test::normalBlob({10, kDim}, seed);
    net.setInput(tokens, "tokens");
    net.setInput(weight, "weight");
    expectProduct(net.forward(), tokens, weight);
  }
}

TEST(Packing, InANetConstantsServeBatchesOfEverySize) {
  registerLayers();
  const Mat weight = test::normalBlob({10, kDim}, 10);
  test::OnnxNode linear{"Linear", "linear", {"tokens", "weight"}, {"scores"}};
  linear.texts["inputs"] = "tokens,weight";
  test::OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 5, kDim}}};
  graph.outputs = {{"scores", {0, 5, 10}}};
  graph.nodes = {linear};
  graph.constants = {{"weight", weight}};
  Net net = cv::dnn::readNetFromONNX(test::onnxBytes(graph));
  for (const int batch : {1, 3, 2, 1}) {
    const Mat tokens = test::normalBlob({batch, 5, kDim}, 5);
    net.setInput(tokens, "tokens");
    expectProduct(net.forward(), tokens, weight);
  }
}

}  // namespace
}  // namespace mpm
