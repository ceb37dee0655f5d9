// SPDX-License-Identifier: Apache-2.0
// The layers inside a cv::dnn::Net that was read from ONNX: merges and their restore, and what the
// library relies on in OpenCV's importer and engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "dnn/host.h"
#include "dnn/layer_call.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "dnn/onnx_graph.h"
#include "mpm/merge.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::Net;
using test::Mats;
using test::normalBlob;
using test::OnnxGraph;
using test::OnnxNode;
using Names = std::vector<cv::String>;

Net read(const std::vector<unsigned char>& bytes) {
  registerLayers();
  return cv::dnn::readNetFromONNX(bytes);
}

Net readModel(const test::MergeModel& model) { return read(test::onnxModel(model)); }

Mats forward(Net& net, const Mat& tokens, const Names& outputs) {
  net.setInput(tokens, "tokens");
  Mats results;
  // The engine of OpenCV 5 gives all outputs or one.
  const Names all = CV_VERSION_MAJOR >= 5 ? Names(net.getUnconnectedOutLayersNames()) : outputs;
  net.forward(results, all);
  Mats picked;
  for (const cv::String& output : outputs) {
    const auto place = std::find(all.begin(), all.end(), output) - all.begin();
    picked.push_back(results.at(static_cast<std::size_t>(place)).clone());
  }
  return picked;
}

Mats forward(Net& net, const Mat& tokens) { return forward(net, tokens, {"full", "rows", "map"}); }

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

constexpr int kImage = 40, kDim = 16;

// merge0 -> normalize -> merge1 -> restore; every output of a merge is read by other nodes, and
// most are outputs of the graph.
OnnxGraph twoMerges() {
  OnnxGraph graph;
  graph.inputs = {{"tokens", {0, 1 + kImage, kDim}}};
  OnnxNode merge0{"MutualPairMerge", "merge0", {"tokens"}, {"tokens0", "rows0", "map0"}};
  merge0.numbers = {{"special", 1}, {"before_block", 2}};
  graph.nodes = {merge0,
                 {"Normalize", "", {"tokens0", "rows0"}, {"normal"}},
                 {"MutualPairMerge", "", {"normal", "rows0", "map0"}, {"tokens1", "rows1", "map1"}},
                 {"MergeRestore", "restore", {"tokens1", "map1"}, {"full"}}};
  graph.outputs = {{"map1", {0, kImage}},
                   {"rows1", {0, 1}},
                   {"tokens1", {0, 1 + kImage, kDim}},
                   {"map0", {0, kImage}},
                   {"full", {0, 1 + kImage, kDim}}};
  return graph;
}

// The same by layers that stand alone: map1, rows1, tokens1, map0, full.
Mats byLayers(const Mat& tokens) {
  const auto merge = [](const Mats& inputs) {
    return test::callLayer(*test::makeLayer("mpm.MutualPairMerge", "special=1"), inputs);
  };
  const Mats first = merge({tokens});
  const Mats normal = test::callLayer(*test::makeLayer("mpm.Normalize"), {first[0], first[1]}, 0);
  const Mats second = merge({normal[0], first[1], first[2]});
  const Mats full = test::callLayer(*test::makeLayer("mpm.MergeRestore"), {second[0], second[2]});
  return {second[2], second[1], second[0], first[2], full[0]};
}

void expectSame(const Mat& actual, const Mat& expected) {
  ASSERT_EQ(dnn::shapeOf(actual), dnn::shapeOf(expected));
  const auto* values = expected.ptr<float>();
  EXPECT_TRUE(std::equal(values, values + expected.total(), actual.ptr<float>()));
}

void expectSameTokens(const Mat& actual, const Mat& expected, const Mat& rows) {
  ASSERT_EQ(dnn::shapeOf(actual), dnn::shapeOf(expected));
  for (int b = 0; b < expected.size[0]; ++b) {
    const auto live = static_cast<std::ptrdiff_t>(rows.ptr<float>()[b]);
    const float* values = expected.ptr<float>(b);
    EXPECT_TRUE(std::equal(values, values + live * kDim, actual.ptr<float>(b))) << "image " << b;
  }
}

TEST(Importer, OutputsThatOtherNodesReadAreFoundByTheirNames) {
  Net net = read(test::onnxBytes(twoMerges()));
  const Mat tokens = normalBlob({2, 1 + kImage, kDim}, 1);
  const Mats expected = byLayers(tokens);
  const Mats all = forward(net, tokens, {"map1", "rows1", "tokens1", "map0", "full"});
  expectSame(all[0], expected[0]);
  expectSame(all[1], expected[1]);
  expectSameTokens(all[2], expected[2], expected[1]);
  expectSame(all[3], expected[3]);
  expectSame(all[4], expected[4]);
  const Mats two = forward(net, tokens, {"map1", "rows1"});
  expectSame(two[0], expected[0]);
  expectSame(two[1], expected[1]);
}

TEST(Importer, TheUnconnectedOutputsAreThoseOfTheGraphAndNoOthers) {
  Net net = read(test::onnxBytes(twoMerges()));
  Names names = net.getUnconnectedOutLayersNames();
  std::sort(names.begin(), names.end());  // their order is not the graph's
  EXPECT_EQ(names, (Names{"full", "map0", "map1", "rows1", "tokens1"}));
}

#if CV_VERSION_MAJOR >= 5
TEST(Importer, TokensAreAsLongAsTheMostRowsThatLive) {
  OnnxGraph graph = twoMerges();
  for (OnnxNode& node : graph.nodes) node.numbers["special"] = 1;
  const std::vector<unsigned char> bytes = test::onnxBytes(graph);
  Net net = readNet(bytes.data(), bytes.size());
  for (const int batch : {1, 3, 2}) {
    const Mat tokens = normalBlob({batch, 1 + kImage, kDim}, 4);
    const Mats expected = byLayers(tokens);
    const Mats actual = forward(net, tokens, {"tokens1", "rows1", "map1", "full"});
    expectSame(actual[1], expected[1]);
    expectSame(actual[2], expected[0]);
    expectSame(actual[3], expected[4]);
    const float* rows = expected[1].ptr<float>();
    EXPECT_EQ(actual[0].size[1], static_cast<int>(*std::max_element(rows, rows + batch)));
    for (int b = 0; b < batch; ++b) {
      const auto live = static_cast<std::ptrdiff_t>(rows[b]) * kDim;
      const float* values = expected[2].ptr<float>(b);
      EXPECT_TRUE(std::equal(values, values + live, actual[0].ptr<float>(b))) << "image " << b;
    }
  }
}

TEST(Importer, TokensKeepTheirCapacityWhereALayerCouldNotTellSpecialRows) {
  const std::vector<unsigned char> bytes = test::onnxBytes(twoMerges());
  Net net = readNet(bytes.data(), bytes.size());
  const Mat tokens = normalBlob({2, 1 + kImage, kDim}, 4);
  expectSame(forward(net, tokens, {"full"})[0], byLayers(tokens)[4]);
}

// What the engine gives for a value inside is what lies in its memory in the end.
TEST(Importer, ForwardToComputesAPartAndLeavesTheNetAsItIs) {
  Net net = read(test::onnxBytes(twoMerges()));
  const Mat tokens = normalBlob({2, 1 + kImage, kDim}, 5);
  const Mats expected = byLayers(tokens);
  for (int round = 0; round < 2; ++round) {
    std::vector<Mats> blobs;
    net.setInput(tokens, "tokens");
    dnn::forwardTo(net, {"merge0"}, blobs);
    ASSERT_EQ(blobs[0].size(), 3U);
    expectSame(blobs[0][2], expected[3]);
    dnn::forwardTo(net, {"full", "rows1"}, blobs);
    expectSame(blobs[0][0], expected[4]);
    expectSame(blobs[1][0], expected[1]);
    expectSame(forward(net, tokens, {"full"})[0], expected[4]);
  }
}
#endif

TEST(Importer, ALayerMayGiveTheGraphsOutputItself) {
  for (const char* domain : {"mpm", ""}) {
    OnnxGraph graph;
    graph.inputs = {{"tokens", {0, 3, kDim}}};
    graph.outputs = {{"normal", {0, 3, kDim}}};
    OnnxNode node{"Normalize", "", {"tokens"}, {"normal"}};
    node.domain = domain;
    if (node.domain.empty()) node.type = "mpm.Normalize";
    graph.nodes = {node};
    Net net = read(test::onnxBytes(graph));
    EXPECT_EQ(net.getUnconnectedOutLayersNames(), Names{"normal"});
    const Mat tokens = normalBlob({2, 3, kDim}, 3);
    const Mats expected = test::callLayer(*test::makeLayer("mpm.Normalize"), {tokens});
    expectSame(forward(net, tokens, {"normal"})[0], expected[0]);
    net.setInput(tokens);
    expectSame(net.forward(), expected[0]);
  }
}

TEST(Importer, AMergeKnowsWhichBlockItStandsBefore) {
  Net net = read(test::onnxBytes(twoMerges()));
  std::vector<int> blocks;
  for (const std::string& name : mergeLayers(net)) {
    const auto merge = net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
    ASSERT_TRUE(merge);
    blocks.push_back(merge->beforeBlock());
    EXPECT_TRUE(merge->enabled());
    setMerging(net, name, false);
    EXPECT_FALSE(merge->enabled());
  }
  EXPECT_EQ(blocks, (std::vector<int>{2, -1}));
}

// Whatever fails then, the size is what a user can change.
TEST(Importer, AnInputThatIsOpenInMoreThanItsBatchIsNamed) {
  if (CV_VERSION_MAJOR >= 5) GTEST_SKIP() << "OpenCV 5 takes inputs that are open";
  OnnxGraph graph;
  graph.inputs = {{"words", {0, 0, kDim}}};
  graph.nodes = {{"Normalize", "", {"words"}, {"normal"}}};
  graph.outputs = {{"normal", {0, 0, kDim}}};
  const auto bytes = test::onnxBytes(graph);
  try {
    readNet(bytes.data(), bytes.size());
    ADD_FAILURE() << "it was read";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("its input 'words' is open in more than its batch"),
              std::string::npos)
        << error.what();
  }
}

// OpenCV's own function warns of each node of the domain mpm.
TEST(Importer, SaysNothingWhereReadNetReads) {
  const std::streambuf* const before = std::cerr.rdbuf();
  const std::vector<unsigned char> bytes = test::onnxBytes(twoMerges());
  testing::internal::CaptureStderr();
  Net net = readNet(bytes.data(), bytes.size());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(mergeLayers(net).size(), 2U);
  EXPECT_EQ(std::cerr.rdbuf(), before) << "std::cerr is the process's";
}

}  // namespace
}  // namespace mpm
