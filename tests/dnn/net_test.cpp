// SPDX-License-Identifier: Apache-2.0
// The layers inside a cv::dnn::Net that was read from ONNX.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using Mats = std::vector<Mat>;

Net readModel(const test::MergeModel& model) {
  registerLayers();
  const std::vector<unsigned char> bytes = test::onnxModel(model);
  return cv::dnn::readNetFromONNX(bytes);
}

Mats forward(Net& net, const Mat& tokens) {
  net.setInput(tokens, "tokens");
  Mats outputs;
  net.forward(outputs, std::vector<cv::String>{"full", "rows", "map"});
  for (Mat& output : outputs) output = output.clone();
  return outputs;
}

// What the net should give for image b, by PairMerger and restore.
void expectImage(const Mats& outputs, const Mat& tokens, int b, const test::MergeModel& model,
                 const MergeOptions& first = {}) {
  const auto special = static_cast<std::size_t>(model.special);
  const auto count = static_cast<std::size_t>(model.image),
             dim = static_cast<std::size_t>(model.dim);
  const float* image = tokens.ptr<float>(b) + special * dim;
  std::vector<float> live(image, image + count * dim), merged(count * dim), full(count * dim);
  std::vector<std::int32_t> map(count);
  identityMap(map.data(), count);
  std::size_t rows = count;
  for (int m = 0; m < model.merges; ++m) {
    rows = PairMerger().merge({live.data(), rows, dim}, m == 0 ? first : MergeOptions{}, map.data(),
                              count, {merged.data(), count, dim});
    live = merged;
  }
  restore(ConstRows(live.data(), rows, dim), map.data(), Rows(full.data(), count, dim));
  EXPECT_EQ(outputs[1].ptr<float>()[b], static_cast<float>(special + rows));
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(outputs[2].ptr<float>(b)[i], static_cast<float>(map[i])) << "token " << i;
  }
  const float* out = outputs[0].ptr<float>(b);
  EXPECT_TRUE(std::equal(out, out + special * dim, tokens.ptr<float>(b)));
  EXPECT_TRUE(std::equal(full.begin(), full.end(), out + special * dim));
}

TEST(Net, MergesTwiceAndRestores) {
  for (const int merges : {1, 2, 4}) {
    test::MergeModel model;
    model.merges = merges, model.batch = 3, model.special = 2;
    Net net = readModel(model);
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE(testing::Message() << merges << " merges, seed " << seed);
      const Mat tokens = test::normalBlob({3, 66, 16}, seed);
      const Mats outputs = forward(net, tokens);
      for (int b = 0; b < 3; ++b) expectImage(outputs, tokens, b, model);
    }
  }
}

TEST(Net, ASymbolicBatch) {
  test::MergeModel model;
  model.batch = 0;
  Net net = readModel(model);
  for (const int batch : {1, 4, 2}) {
    const Mat tokens = test::normalBlob({batch, 65, 16}, 4);
    const Mats outputs = forward(net, tokens);
    for (int b = 0; b < batch; ++b) expectImage(outputs, tokens, b, model);
  }
}

TEST(Net, AConstantOfTheModelReachesTheLayer) {
  test::MergeModel model;
  model.constantRegions = true;
  Net net = readModel(model);
  std::vector<std::int32_t> labels(64);
  for (int i = 0; i < 64; ++i) labels[static_cast<std::size_t>(i)] = i % 3;
  MergeOptions options;
  options.regions = labels.data();
  const Mat tokens = test::normalBlob({1, 65, 16}, 5);
  expectImage(forward(net, tokens), tokens, 0, model, options);
}

TEST(Net, MergingIsSwitchedWhileItLives) {
  Net net = readModel({});
  EXPECT_EQ(mergeLayers(net).size(), 2U);
  const Mat tokens = test::normalBlob({1, 65, 16}, 6);
  const Mats on = forward(net, tokens);
  EXPECT_EQ(setMerging(net, false), 2);
  const Mats off = forward(net, tokens);
  EXPECT_EQ(off[1].ptr<float>()[0], 65);
  EXPECT_EQ(cv::norm(off[0].reshape(1, 1), tokens.reshape(1, 1), cv::NORM_INF), 0);

  setMerging(net, mergeLayers(net)[0], true);
  test::MergeModel one;
  one.merges = 1;
  expectImage(forward(net, tokens), tokens, 0, one);

  EXPECT_EQ(setMerging(net, true), 2);
  const Mats again = forward(net, tokens);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cv::norm(on[i].reshape(1, 1), again[i].reshape(1, 1), cv::NORM_INF), 0);
  }
  EXPECT_THROW(setMerging(net, "nobody", true), cv::Exception);
}

TEST(Net, RegisteringAgainAndFromThreadsDoesNoHarm) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(registerLayers);
  for (std::thread& thread : threads) thread.join();
  registerLayers();
  Net net = readModel({});
  EXPECT_EQ(mergeLayers(net).size(), 2U);
}

TEST(Net, RegisteringAgainMakesKnownWhatWasUnregistered) {
  registerLayers();
  cv::dnn::LayerFactory::unregisterLayer("mpm.Linear");
  registerLayers();
  EXPECT_TRUE(cv::dnn::LayerFactory::isLayerRegistered("mpm.Linear"));
}

TEST(Net, TwoNetsInTwoThreadsGiveWhatOneGives) {
  const Mat tokens = test::normalBlob({1, 65, 16}, 7);
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
  for (const Mats& result : results) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(cv::norm(result[i].reshape(1, 1), expected[i].reshape(1, 1), cv::NORM_INF), 0);
    }
  }
}

}  // namespace
}  // namespace mpm
