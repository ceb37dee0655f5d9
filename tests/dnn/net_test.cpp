// SPDX-License-Identifier: Apache-2.0
// The layers inside a cv::dnn::Net that was read from ONNX: merges, and ends of networks on merged
// tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/merge.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using test::Mats;
using test::normalBlob;
using test::OnnxGraph;
using test::OnnxNode;

Net read(const std::vector<unsigned char>& bytes) {
  registerLayers();
  return cv::dnn::readNetFromONNX(bytes);
}

Net readModel(const test::MergeModel& model) { return read(test::onnxModel(model)); }

Mats forward(Net& net, const Mat& tokens) {
  net.setInput(tokens, "tokens");
  Mats outputs;
  net.forward(outputs, std::vector<cv::String>{"full", "rows", "map"});
  for (Mat& output : outputs) output = output.clone();
  return outputs;
}

void expectEqual(const Mats& a, const Mats& b) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cv::norm(a[i].reshape(1, 1), b[i].reshape(1, 1), cv::NORM_INF), 0) << i;
}

/// Image rows [N, D] merged so often: those that are left, and the map.
struct Merged {
  Merged(const float* image, std::size_t count_, std::size_t dim_, int merges,
         MergeOptions options = {})
      : count(count_), live(count_), dim(dim_), map(count_), rows(image, image + count_ * dim_) {
    identityMap(map.data(), count);
    for (int m = 0; m < merges; ++m, options = {}) {
      std::vector<float> merged(rows.size());
      live = PairMerger().merge({rows.data(), live, dim}, options, map.data(), count,
                                {merged.data(), count, dim});
      rows = merged;
    }
  }
  ConstRows view() const { return {rows.data(), live, dim}; }
  std::vector<float> restored(ConstRows of) const {
    std::vector<float> full(count * of.dim);
    restore(of, map.data(), {full.data(), count, of.dim});
    return full;
  }
  std::size_t count, live, dim;
  std::vector<std::int32_t> map;
  std::vector<float> rows;
};

void expectMerged(const Mats& outputs, const Mat& tokens, const test::MergeModel& model,
                  const MergeOptions& first = {}) {
  const int special = model.special, front = special * model.dim;
  for (int b = 0; b < tokens.size[0]; ++b) {
    SCOPED_TRACE(testing::Message() << "image " << b);
    const Merged merged(tokens.ptr<float>(b) + front, static_cast<std::size_t>(model.image),
                        static_cast<std::size_t>(model.dim), model.merges, first);
    EXPECT_EQ(outputs[1].ptr<float>()[b],
              static_cast<float>(model.special + static_cast<int>(merged.live)));
    EXPECT_TRUE(std::equal(merged.map.begin(), merged.map.end(), outputs[2].ptr<float>(b)));
    const float* out = outputs[0].ptr<float>(b);
    EXPECT_TRUE(std::equal(out, out + front, tokens.ptr<float>(b)));
    const std::vector<float> full = merged.restored(merged.view());
    EXPECT_TRUE(std::equal(full.begin(), full.end(), out + front));
  }
}

TEST(Net, MergesSoOftenAndRestores) {
  for (const int merges : {1, 2, 4}) {
    test::MergeModel model;
    model.merges = merges, model.batch = 3, model.special = 2;
    Net net = readModel(model);
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE(testing::Message() << merges << " merges, seed " << seed);
      const Mat tokens = normalBlob({3, 66, 16}, seed);
      expectMerged(forward(net, tokens), tokens, model);
    }
  }
}

TEST(Net, ASymbolicBatch) {
  test::MergeModel model;
  model.batch = 0;
  Net net = readModel(model);
  for (const int batch : {1, 4, 2}) {
    const Mat tokens = normalBlob({batch, 65, 16}, 4);
    expectMerged(forward(net, tokens), tokens, model);
  }
}

TEST(Net, AConstantOfTheModelReachesTheLayer) {
  test::MergeModel model;
  model.constantRegions = true;
  Net net = readModel(model);
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 64; ++i) labels.push_back(i % 3);
  MergeOptions options;
  options.regions = labels.data();
  const Mat tokens = normalBlob({1, 65, 16}, 5);
  expectMerged(forward(net, tokens), tokens, model, options);
}

TEST(Net, MergingIsSwitchedWhileItLives) {
  Net net = readModel({});
  EXPECT_EQ(mergeLayers(net).size(), 2U);
  const Mat tokens = normalBlob({1, 65, 16}, 6);
  const Mats on = forward(net, tokens);
  EXPECT_EQ(setMerging(net, false), 2);
  test::MergeModel merges;
  for (const int count : {0, 1}) {
    merges.merges = count;
    expectMerged(forward(net, tokens), tokens, merges);
    setMerging(net, mergeLayers(net)[0], true);
  }
  EXPECT_EQ(setMerging(net, true), 2);
  expectEqual(on, forward(net, tokens));
  EXPECT_THROW(setMerging(net, "nobody", true), cv::Exception);
}

TEST(Net, RegisteringAgainAndFromThreadsDoesNoHarm) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(registerLayers);
  for (std::thread& thread : threads) thread.join();
  cv::dnn::LayerFactory::unregisterLayer("mpm.Linear");
  registerLayers();
  EXPECT_TRUE(cv::dnn::LayerFactory::isLayerRegistered("mpm.Linear"));
}

TEST(Net, TwoNetsInTwoThreadsGiveWhatOneGives) {
  const Mat tokens = normalBlob({1, 65, 16}, 7);
  Net single = readModel({});
  const Mats expected = forward(single, tokens);
  std::vector<std::thread> threads;
  std::vector<Mats> results(2);
  for (Mats& result : results) {
    threads.emplace_back([&] {
      Net net = readModel({});
      for (int frame = 0; frame < 20; ++frame) result = forward(net, tokens);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Mats& result : results) expectEqual(result, expected);
}

constexpr int kImage = 40, kDim = 16, kClasses = 5;

OnnxNode nodeWith(OnnxNode node, int special) {
  node.numbers["special"] = special;
  return node;
}

/// A merge of one image of 40 tokens, and what follows it. `expected`: of an image, once merged.
template <class Expected>
void expectEnd(OnnxGraph graph, const std::vector<int>& shape, const Expected& expected) {
  graph.inputs = {{"tokens", {0, 1 + kImage, kDim}}};
  graph.nodes.insert(
      graph.nodes.begin(),
      nodeWith({"MutualPairMerge", "merge", {"tokens"}, {"merged", "rows", "map"}}, 1));
  graph.outputs = {{"out", shape}};
  Net net = read(test::onnxBytes(graph));
  for (const int batch : {1, 3, 2, 1}) {
    const Mat tokens = normalBlob({batch, 1 + kImage, kDim}, 7);
    net.setInput(tokens, "tokens");
    const Mat out = net.forward();
    for (int b = 0; b < batch; ++b)
      test::expectValues(out, b, expected(Merged(tokens.ptr<float>(b, 1), kImage, kDim, 1)));
  }
}

TEST(NetworkEnds, AMaskDecoder) {
  const Mat classes = normalBlob({kClasses, kDim}, 4), patch = normalBlob({kDim, kDim}, 5),
            other = normalBlob({kDim, kDim}, 6);
  OnnxGraph graph;
  graph.nodes = {
      nodeWith({"ReplaceSpecial", "replace", {"merged", "rows", "classes"}, {"decoded", "front"}},
               1),
      nodeWith({"MaskDecoderHead", "head", {"decoded", "front", "patch", "other"}, {"live"}},
               kClasses),
      {"MergeRestore", "", {"live", "map"}, {"out"}}};
  graph.constants = {{"classes", classes}, {"patch", patch}, {"other", other}};
  expectEnd(graph, {0, kImage, kClasses}, [&](const Merged& merged) {
    std::vector<float> live(merged.live * kClasses);
    vit::maskHeadReference(merged.view(), test::rowsOf(classes),
                           {test::rowsOf(patch), test::rowsOf(other), {}},
                           {live.data(), merged.live, kClasses});
    return merged.restored({live.data(), merged.live, kClasses});
  });
}

TEST(NetworkEnds, AClassifierOfTheMean) {
  const Mat weight = normalBlob({kClasses, kDim}, 8);
  OnnxNode linear{"Linear", "head", {"mean", "weight"}, {"out"}};
  linear.texts["inputs"] = "tokens,weight";
  OnnxGraph graph;
  graph.nodes = {{"MeanRows", "mean", {"merged", "rows", "map"}, {"mean"}}, linear};
  graph.constants = {{"weight", weight}};
  expectEnd(graph, {0, kClasses}, [&](const Merged& merged) {
    const std::vector<float> full = merged.restored(merged.view());
    std::vector<float> mean(kDim), expected(kClasses);
    for (std::size_t i = 0; i < full.size(); ++i) mean[i % kDim] += full[i] / kImage;
    vit::linearReference({mean.data(), 1, kDim}, {test::rowsOf(weight), nullptr},
                         {expected.data(), 1, kClasses});
    return expected;
  });
}

}  // namespace
}  // namespace mpm
