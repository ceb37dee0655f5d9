// SPDX-License-Identifier: Apache-2.0
// Ends of networks on merged tokens, in a cv::dnn::Net that was read from ONNX.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/merge.h"
#include "vit/linear.h"
#include "vit/mask_head.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using test::OnnxGraph;
using test::OnnxNode;

constexpr int kImage = 40, kDim = 16, kClasses = 5;

Net read(const OnnxGraph& graph) {
  registerLayers();
  return cv::dnn::readNetFromONNX(test::onnxBytes(graph));
}

Mat forward(Net& net, const Mat& tokens) {
  net.setInput(tokens, "tokens");
  return net.forward().clone();
}

// One image [1+N, D] merged once: its live image rows, and the map.
struct Merged {
  explicit Merged(const float* image) : map(kImage), rows(kImage * kDim) {
    identityMap(map.data(), map.size());
    live = PairMerger().merge({image + kDim, kImage, kDim}, {}, map.data(), map.size(),
                              {rows.data(), kImage, kDim});
  }
  ConstRows view() const { return {rows.data(), live, kDim}; }
  std::size_t live = 0;
  std::vector<std::int32_t> map;
  std::vector<float> rows;
};

void expectNear(const float* actual, const std::vector<float>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << "value " << i;
  }
}

OnnxNode merge() {
  OnnxNode node{"MutualPairMerge", "merge", {"tokens"}, {"merged", "rows", "map"}};
  node.numbers["special"] = 1;
  return node;
}

TEST(NetworkEnds, AMaskDecoder) {
  const Mat classes = test::normalBlob({kClasses, kDim}, 4);
  const Mat patch = test::normalBlob({kDim, kDim}, 5), other = test::normalBlob({kDim, kDim}, 6);
  OnnxNode replace{
      "ReplaceSpecial", "replace", {"merged", "rows", "classes"}, {"decoded", "decoder_rows"}};
  replace.numbers["special"] = 1;
  OnnxNode head{
      "MaskDecoderHead", "head", {"decoded", "decoder_rows", "patch", "other"}, {"live_scores"}};
  head.numbers["special"] = kClasses;
  OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 1 + kImage, kDim}}};
  graph.nodes = {merge(), replace, head, {"MergeRestore", "", {"live_scores", "map"}, {"scores"}}};
  graph.outputs = {{"scores", {0, kImage, kClasses}}};
  graph.constants = {{"classes", classes}, {"patch", patch}, {"other", other}};
  Net net = read(graph);
  for (const int batch : {2, 1}) {
    const Mat tokens = test::normalBlob({batch, 1 + kImage, kDim}, 7);
    const Mat scores = forward(net, tokens);
    for (int b = 0; b < batch; ++b) {
      const Merged merged(tokens.ptr<float>(b));
      std::vector<float> live(merged.live * kClasses), expected(kImage * kClasses);
      vit::maskHeadReference(
          merged.view(), {classes.ptr<float>(), kClasses, kDim},
          {{patch.ptr<float>(), kDim, kDim}, {other.ptr<float>(), kDim, kDim}, {}},
          {live.data(), merged.live, kClasses});
      restore(ConstRows(live.data(), merged.live, kClasses), merged.map.data(),
              {expected.data(), kImage, kClasses});
      expectNear(scores.ptr<float>(b), expected);
    }
  }
}

TEST(NetworkEnds, AClassifierOfTheMean) {
  const Mat weight = test::normalBlob({kClasses, kDim}, 8);
  OnnxNode linear{"Linear", "head", {"mean", "weight"}, {"logits"}};
  linear.texts["inputs"] = "tokens,weight";
  OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 1 + kImage, kDim}}};
  graph.nodes = {merge(), {"MeanRows", "mean", {"merged", "rows", "map"}, {"mean"}}, linear};
  graph.outputs = {{"logits", {0, kClasses}}};
  graph.constants = {{"weight", weight}};
  Net net = read(graph);
  for (const int batch : {2, 1}) {
    const Mat tokens = test::normalBlob({batch, 1 + kImage, kDim}, 9);
    const Mat logits = forward(net, tokens);
    ASSERT_EQ(dnn::shapeOf(logits), (dnn::Shape{batch, kClasses}));
    for (int b = 0; b < batch; ++b) {
      const Merged merged(tokens.ptr<float>(b));
      std::vector<float> full(kImage * kDim), mean(kDim), expected(kClasses);
      restore(merged.view(), merged.map.data(), {full.data(), kImage, kDim});
      for (std::size_t i = 0; i < full.size(); ++i) mean[i % kDim] += full[i] / kImage;
      vit::linearReference({mean.data(), 1, kDim}, {{weight.ptr<float>(), kClasses, kDim}, nullptr},
                           {expected.data(), 1, kClasses});
      expectNear(logits.ptr<float>(b), expected);
    }
  }
}

}  // namespace
}  // namespace mpm
