// SPDX-License-Identifier: Apache-2.0
// Merges and their restore inside a cv::dnn::Net that was read from ONNX.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using test::Mats;
using test::normalBlob;

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

/// What the net should give of each image, by PairMerger and restore.
void expectMerged(const Mats& outputs, const Mat& tokens, const test::MergeModel& model,
                  const MergeOptions& first = {}) {
  const auto count = static_cast<std::size_t>(model.image),
             dim = static_cast<std::size_t>(model.dim), front = model.special * dim;
  for (int b = 0; b < tokens.size[0]; ++b) {
    SCOPED_TRACE(testing::Message() << "image " << b);
    const float* image = tokens.ptr<float>(b) + front;
    std::vector<float> rows(image, image + count * dim), full(rows.size());
    std::vector<std::int32_t> map(count);
    identityMap(map.data(), count);
    std::size_t live = count;
    for (int m = 0; m < model.merges; ++m) {
      std::vector<float> merged(rows.size());
      live = PairMerger().merge({rows.data(), live, dim}, m == 0 ? first : MergeOptions{},
                                map.data(), count, {merged.data(), count, dim});
      rows = merged;
    }
    restore(ConstRows(rows.data(), live, dim), map.data(), Rows(full.data(), count, dim));
    EXPECT_EQ(outputs[1].ptr<float>()[b],
              static_cast<float>(model.special + static_cast<int>(live)));
    EXPECT_TRUE(std::equal(map.begin(), map.end(), outputs[2].ptr<float>(b)));
    const float* out = outputs[0].ptr<float>(b);
    EXPECT_TRUE(std::equal(out, out + front, tokens.ptr<float>(b)));
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

}  // namespace
}  // namespace mpm
