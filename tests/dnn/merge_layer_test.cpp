// SPDX-License-Identifier: Apache-2.0
// mpm.MutualPairMerge and mpm.MergeRestore by themselves, against PairMerger on the rows that they
// should have seen, and what a merge notes of a forward for reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "contract/layer_kinds.h"
#include "dnn/layer_call.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

using cv::Mat;
using test::callLayer;
using test::filledBlob;
using test::makeLayer;
using test::Mats;
using test::normalBlob;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr const char* kMerge = "mpm.MutualPairMerge";

/// One image of a merge, as PairMerger makes it.
struct Expected {
  int rows = 0;
  std::vector<std::int32_t> map;
  std::vector<float> tokens, similarity;
};

/// Image `b` of tokens [B, S + N, D], and of rows and map where they are given.
Expected mergeImage(const Mats& inputs, int b, int special, const MergeOptions& options = {}) {
  const int capacity = inputs[0].size[1];
  const auto dim = static_cast<std::size_t>(inputs[0].size[2]);
  const int live = inputs.size() > 1 ? static_cast<int>(inputs[1].ptr<float>()[b]) : capacity;
  const auto count = static_cast<std::size_t>(live - special), front = special * dim;
  Expected expected;
  expected.map.resize(static_cast<std::size_t>(capacity - special));
  identityMap(expected.map.data(), expected.map.size());
  if (inputs.size() > 2)
    std::copy_n(inputs[2].ptr<float>(b), expected.map.size(), expected.map.begin());
  const float* tokens = inputs[0].ptr<float>(b);
  expected.tokens.assign(tokens, tokens + front + count * dim);
  expected.similarity.resize(expected.map.size());
  const std::size_t merged = PairMerger().merge(
      {tokens + front, count, dim}, options, expected.map.data(), expected.map.size(),
      {expected.tokens.data() + front, count, dim}, expected.similarity.data());
  expected.rows = special + static_cast<int>(merged);
  expected.tokens.resize(front + merged * dim);
  return expected;
}

void expectMerged(const Mats& outputs, const Mats& inputs, int special,
                  const MergeOptions& options = {}) {
  ASSERT_EQ(outputs.size(), 3U);
  for (int b = 0; b < inputs[0].size[0]; ++b) {
    SCOPED_TRACE(testing::Message() << "image " << b);
    const Expected expected = mergeImage(inputs, b, special, options);
    EXPECT_EQ(outputs[1].ptr<float>()[b], static_cast<float>(expected.rows));
    const float *map = outputs[2].ptr<float>(b), *tokens = outputs[0].ptr<float>(b);
    EXPECT_TRUE(std::equal(expected.map.begin(), expected.map.end(), map));
    EXPECT_TRUE(std::equal(expected.tokens.begin(), expected.tokens.end(), tokens));
  }
}

TEST(LayerKinds, AreRegisteredAndFoundByTheirTypes) {
  registerLayers();
  for (const LayerKindInfo& info : kLayerKinds) {
    SCOPED_TRACE(typeOf(info.kind));
    EXPECT_EQ(kindOf(typeOf(info.kind)), info.kind);
    EXPECT_EQ("mpm." + std::string(operatorOf(info.kind)), typeOf(info.kind));
    cv::dnn::LayerParams bare;
    try {
      EXPECT_TRUE(cv::dnn::LayerFactory::createLayerInstance(typeOf(info.kind), bare));
    } catch (const cv::Exception& error) {  // of a layer that needs more than nothing
      EXPECT_NE(error.err.find(typeOf(info.kind)), std::string::npos) << error.err;
    }
  }
  EXPECT_FALSE(kindOf("Relu"));
  EXPECT_FALSE(kindOf("mpm."));
}

// Regions, rows and maps are inputs or constants of the model.
TEST(MutualPairMergeLayer, MergesEachImage) {
  Mat regions(1, 30, CV_32F);
  std::vector<std::int32_t> labels(30);
  for (int i = 0; i < 30; ++i) {
    labels[static_cast<std::size_t>(i)] = i % 4 - 1;
    regions.ptr<float>()[i] = static_cast<float>(i % 4 - 1);
  }
  MergeOptions within, apart;
  within.window = 1, within.gridHeight = 4, within.gridWidth = 9;
  apart.regions = labels.data();
  const Mat rows = filledBlob({1, 1}, {4}), map = filledBlob({1, 4}, {0, 1, 1, 2});
  struct Case {
    std::string settings;
    int special;
    Mat tokens;
    Mats more;
    MergeOptions options;
  };
  const Case cases[] = {
      {"special=0", 0, normalBlob({3, 50, 24}, 1), {}, {}},
      {"special=1", 1, normalBlob({3, 51, 24}, 1), {}, {}},
      {"special=2", 2, normalBlob({3, 52, 24}, 1), {}, {}},
      {"special=5", 5, normalBlob({3, 55, 24}, 1), {}, {}},
      {"special=2 window=1 grid=4,9", 2, normalBlob({2, 38, 6}, 4), {}, within},
      {"special=1 inputs=tokens,regions", 1, normalBlob({2, 31, 6}, 5), {regions}, apart},
      {"", 1, normalBlob({1, 5, 6}, 6), {rows, map}, {}}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.settings);
    Mats inputs = {each.tokens};
    inputs.insert(inputs.end(), each.more.begin(), each.more.end());
    const Mats given = each.options.regions == nullptr ? inputs : Mats{each.tokens};
    expectMerged(callLayer(*makeLayer(kMerge, each.settings), inputs), given, each.special,
                 each.options);
    expectMerged(callLayer(*makeLayer(kMerge, each.settings, each.more), {each.tokens}), given,
                 each.special, each.options);
  }
}

TEST(MutualPairMergeLayer, LaterMergesReadLiveRowsOnly) {
  const int capacity = 41, dim = 16;
  const Mats once = callLayer(*makeLayer(kMerge, "special=1"), {normalBlob({3, capacity, dim}, 2)});
  Mat poisoned = once[0].clone();
  for (int b = 0; b < 3; ++b) {
    for (int row = static_cast<int>(once[1].ptr<float>()[b]); row < capacity; ++row)
      std::fill_n(poisoned.ptr<float>(b, row), dim, b == 0 ? kNan : 1e30F);
  }
  expectMerged(callLayer(*makeLayer(kMerge), {poisoned, once[1], once[2]}), once, 1);
}

TEST(MutualPairMergeLayer, SwitchedOffPassesEverythingThrough) {
  const Mat tokens = normalBlob({2, 21, 8}, 3);
  const Mats off = callLayer(*makeLayer(kMerge, "special=1 enabled=0"), {tokens});
  EXPECT_EQ(cv::norm(off[0].reshape(1, 1), tokens.reshape(1, 1), cv::NORM_INF), 0);
  EXPECT_EQ(off[1].ptr<float>()[1], 21);
  EXPECT_EQ(off[2].ptr<float>(1)[19], 19);
}

TEST(MergeRestoreLayer, TokensKeepTheirSpecialRows) {
  const Mat tokens = filledBlob({1, 6, 2}, {9, 9, 8, 8, 1, 2, 3, 4, kNan, kNan, kNan, kNan});
  const std::vector<float> expected = {9, 9, 8, 8, 3, 4, 1, 2, 3, 4, 3, 4};
  test::expectCase(
      "mpm.MergeRestore", "", {tokens}, {filledBlob({1, 4}, {1, 0, 1, 1})}, {1, 6, 2},
      [&](int) { return expected; }, 0);
}

TEST(MergeRestoreLayer, ScoresOfABatch) {
  const Mat scores = normalBlob({3, 40, 150}, 7);
  Mat map(3, 40, CV_32F);
  for (int i = 0; i < 120; ++i) map.ptr<float>()[i] = static_cast<float>((i * 7) % 23);
  const auto expected = [&](int b) {
    std::vector<float> rows;
    for (int i = 0; i < 40; ++i) {
      const float* row = scores.ptr<float>(b, static_cast<int>(map.ptr<float>(b)[i]));
      rows.insert(rows.end(), row, row + 150);
    }
    return rows;
  };
  test::expectCase("mpm.MergeRestore", "special=0", {scores, map}, {}, {3, 40, 150}, expected, 0);
}

constexpr int kSpecial = 2, kHeight = 5, kWidth = 8, kImage = kHeight * kWidth;

cv::Ptr<dnn::MutualPairMergeLayer> mergeLayer(int window = 0) {
  return makeLayer(kMerge, "special=2 grid=5,8 window=" + std::to_string(window))
      .dynamicCast<dnn::MutualPairMergeLayer>();
}

Mat tokensOf(int batch, std::uint32_t seed) {
  return normalBlob({batch, kSpecial + kImage, 12}, seed);
}

void expectTrace(const dnn::MergeTrace& trace, const Mats& inputs, const MergeOptions& options) {
  const int batch = inputs[0].size[0];
  ASSERT_EQ(trace.map.size(), static_cast<std::size_t>(batch * kImage));
  ASSERT_EQ(trace.similarity.size(), trace.map.size());
  for (int b = 0; b < batch; ++b) {
    SCOPED_TRACE(testing::Message() << "image " << b);
    const Expected expected = mergeImage(inputs, b, kSpecial, options);
    EXPECT_TRUE(
        std::equal(expected.map.begin(), expected.map.end(), trace.map.begin() + b * kImage));
    EXPECT_TRUE(std::equal(expected.similarity.begin(), expected.similarity.end(),
                           trace.similarity.begin() + b * kImage));
  }
}

TEST(MergeTrace, IsWhatTheMergeDid) {
  for (const int window : {0, 2}) {
    SCOPED_TRACE(testing::Message() << "window " << window);
    MergeOptions options;
    options.window = window, options.gridHeight = kHeight, options.gridWidth = kWidth;
    const auto first = mergeLayer(window), second = mergeLayer(window);
    first->setTracing(true), second->setTracing(true);
    for (const int batch : {2, 3, 1}) {
      const Mats inputs = {tokensOf(batch, 51)};
      const Mats once = callLayer(*first, inputs);
      expectTrace(first->trace(), inputs, options);
      expectMerged(once, inputs, kSpecial, options);
      expectMerged(callLayer(*second, once), once, kSpecial, options);
      expectTrace(second->trace(), once, options);
    }
  }
}

TEST(MergeTrace, OnlyWhereItIsWantedAndTheMergeIsOn) {
  const auto layer = mergeLayer();
  const Mats inputs = {tokensOf(2, 52)};
  const auto expectAfter = [&](bool isTraced) {
    callLayer(*layer, inputs);
    if (isTraced) return expectTrace(layer->trace(), inputs, {});
    EXPECT_TRUE(layer->trace().map.empty());
    EXPECT_TRUE(layer->trace().similarity.empty());
  };
  expectAfter(false);
  layer->setTracing(true);
  expectAfter(true);
  layer->setEnabled(false);
  expectAfter(false);
  layer->setEnabled(true);
  expectAfter(true);
  layer->setTracing(false);
  EXPECT_TRUE(layer->trace().map.empty());
  expectAfter(false);
}

TEST(MergeTrace, ARowThatIsNotFiniteHasNoSimilarity) {
  const auto layer = mergeLayer();
  layer->setTracing(true);
  Mat input = tokensOf(1, 53);
  input.ptr<float>(0, kSpecial + 6)[3] = std::numeric_limits<float>::infinity();
  callLayer(*layer, {input});
  for (std::size_t i = 0; i < kImage; ++i) {
    EXPECT_EQ(std::isnan(layer->trace().similarity[i]), i == 6) << "token " << i;
  }
}

}  // namespace
}  // namespace mpm
