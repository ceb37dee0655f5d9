// SPDX-License-Identifier: Apache-2.0
// Each layer by itself, against PairMerger on the rows it should have seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dnn/ragged_batch.h"
#include "mpm/layer_kinds.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using test::params;
using Mats = std::vector<Mat>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Expected {
  int rows = 0;
  std::vector<std::int32_t> map;
  std::vector<float> tokens;
};

// One image [S+N, D] with `live` live rows, merged once more.
Expected mergeImage(const float* tokens, int special, int live, int dim,
                    std::vector<std::int32_t> map, const MergeOptions& options = {}) {
  const auto count = static_cast<std::size_t>(live - special);
  const auto width = static_cast<std::size_t>(dim);
  const float* image = tokens + special * dim;
  Expected expected{0, std::move(map), std::vector<float>(static_cast<std::size_t>(live * dim))};
  std::copy_n(tokens, special * dim, expected.tokens.begin());
  const std::size_t merged =
      PairMerger().merge({image, count, width}, options, expected.map.data(), expected.map.size(),
                         {expected.tokens.data() + special * dim, count, width});
  expected.rows = special + static_cast<int>(merged);
  expected.tokens.resize(static_cast<std::size_t>(expected.rows * dim));
  return expected;
}

std::vector<std::int32_t> identity(int count) {
  std::vector<std::int32_t> map(static_cast<std::size_t>(count));
  identityMap(map.data(), map.size());
  return map;
}

void expectImage(const Mats& outputs, int image, const Expected& expected) {
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[1].ptr<float>()[image], static_cast<float>(expected.rows));
  const float* map = outputs[2].ptr<float>(image);
  for (std::size_t i = 0; i < expected.map.size(); ++i) {
    ASSERT_EQ(map[i], static_cast<float>(expected.map[i])) << "token " << i;
  }
  const float* tokens = outputs[0].ptr<float>(image);
  for (std::size_t i = 0; i < expected.tokens.size(); ++i) {
    ASSERT_EQ(tokens[i], expected.tokens[i]) << "value " << i;
  }
}

TEST(LayerKinds, AreRegisteredAndFoundByTheirTypes) {
  registerLayers();
  for (const LayerKindInfo& info : kLayerKinds) {
    SCOPED_TRACE(typeOf(info.kind));
    EXPECT_EQ(kindOf(typeOf(info.kind)), info.kind);
    EXPECT_EQ("mpm." + std::string(operatorOf(info.kind)), typeOf(info.kind));
    LayerParams bare;
    try {
      EXPECT_TRUE(cv::dnn::LayerFactory::createLayerInstance(typeOf(info.kind), bare));
    } catch (const cv::Exception& error) {  // of a layer that needs more than nothing
      EXPECT_NE(error.err.find(typeOf(info.kind)), std::string::npos) << error.err;
    }
  }
  EXPECT_FALSE(kindOf("Relu"));
  EXPECT_FALSE(kindOf("mpm."));
}

TEST(MutualPairMergeLayer, FirstMergeOfABatch) {
  for (const int special : {0, 1, 2, 5}) {
    SCOPED_TRACE(special);
    const Mat tokens = test::normalBlob({3, special + 50, 24}, 1);
    const auto layer = test::makeLayer("mpm.MutualPairMerge", params({{"special", special}}));
    const Mats outputs = test::callLayer(*layer, {tokens});
    for (int b = 0; b < 3; ++b) {
      const auto expected =
          mergeImage(tokens.ptr<float>(b), special, special + 50, 24, identity(50));
      expectImage(outputs, b, expected);
    }
  }
}

TEST(MutualPairMergeLayer, LaterMergesReadLiveRowsOnly) {
  const int special = 1, capacity = 41, dim = 16;
  const Mat tokens = test::normalBlob({3, capacity, dim}, 2);
  const auto layer = test::makeLayer("mpm.MutualPairMerge", {});
  const Mats once = test::callLayer(
      *test::makeLayer("mpm.MutualPairMerge", params({{"special", special}})), {tokens});
  Mat poisoned = once[0].clone();
  for (int b = 0; b < 3; ++b) {
    const int live = static_cast<int>(once[1].ptr<float>()[b]);
    for (int row = live; row < capacity; ++row) {
      std::fill_n(poisoned.ptr<float>(b, row), dim, b == 0 ? kNan : 1e30F);
    }
  }
  const Mats twice = test::callLayer(*layer, {poisoned, once[1], once[2]});
  for (int b = 0; b < 3; ++b) {
    const float* map = once[2].ptr<float>(b);
    const std::vector<std::int32_t> previous(map, map + capacity - special);
    expectImage(twice, b,
                mergeImage(once[0].ptr<float>(b), special,
                           static_cast<int>(once[1].ptr<float>()[b]), dim, previous));
  }
}

TEST(MutualPairMergeLayer, SwitchedOffPassesEverythingThrough) {
  const Mat tokens = test::normalBlob({2, 21, 8}, 3);
  const Mats off = test::callLayer(
      *test::makeLayer("mpm.MutualPairMerge", params({{"special", 1}, {"enabled", 0}})), {tokens});
  EXPECT_EQ(cv::norm(off[0].reshape(1, 1), tokens.reshape(1, 1), cv::NORM_INF), 0);
  EXPECT_EQ(off[1].ptr<float>()[1], 21);
  EXPECT_EQ(off[2].ptr<float>(1)[19], 19);
}

TEST(MutualPairMergeLayer, WindowAndGrid) {
  LayerParams settings = params({{"special", 2}, {"window", 1}});
  const int grid[] = {4, 9};
  settings.set("grid", cv::dnn::DictValue::arrayInt(grid, 2));
  const Mat tokens = test::normalBlob({2, 38, 6}, 4);
  const Mats outputs = test::callLayer(*test::makeLayer("mpm.MutualPairMerge", settings), {tokens});
  MergeOptions options;
  options.window = 1, options.gridHeight = 4, options.gridWidth = 9;
  for (int b = 0; b < 2; ++b) {
    expectImage(outputs, b, mergeImage(tokens.ptr<float>(b), 2, 38, 6, identity(36), options));
  }
}

TEST(MutualPairMergeLayer, RegionsAsInputAndAsConstant) {
  LayerParams settings = params({{"special", 1}});
  settings.set("inputs", cv::String("tokens,regions"));
  const Mat tokens = test::normalBlob({2, 31, 6}, 5);
  Mat regions(1, 30, CV_32F);
  std::vector<std::int32_t> labels(30);
  for (int i = 0; i < 30; ++i) regions.ptr<float>()[i] = static_cast<float>(labels[i] = i % 4 - 1);
  MergeOptions options;
  options.regions = labels.data();
  const Mats asInput =
      test::callLayer(*test::makeLayer("mpm.MutualPairMerge", settings), {tokens, regions});
  const Mats asConstant =
      test::callLayer(*test::makeLayer("mpm.MutualPairMerge", settings, {regions}), {tokens});
  for (int b = 0; b < 2; ++b) {
    const auto expected = mergeImage(tokens.ptr<float>(b), 1, 31, 6, identity(30), options);
    expectImage(asInput, b, expected);
    expectImage(asConstant, b, expected);
  }
}

TEST(MutualPairMergeLayer, RowsAndMapAsConstants) {
  const Mat tokens = test::normalBlob({1, 5, 6}, 6);
  const Mat rows = test::filledBlob({1, 1}, {4});
  const Mat map = test::filledBlob({1, 4}, {0, 1, 1, 2});
  const Mats asInputs =
      test::callLayer(*test::makeLayer("mpm.MutualPairMerge", {}), {tokens, rows, map});
  const Mats asConstants =
      test::callLayer(*test::makeLayer("mpm.MutualPairMerge", {}, {rows, map}), {tokens});
  const auto expected = mergeImage(tokens.ptr<float>(), 1, 4, 6, {0, 1, 1, 2});
  expectImage(asInputs, 0, expected);
  expectImage(asConstants, 0, expected);
}

TEST(MergeRestoreLayer, TokensKeepTheirSpecialRows) {
  Mat tokens = test::filledBlob({1, 6, 2}, {9, 9, 8, 8, 1, 2, 3, 4, kNan, kNan, kNan, kNan});
  const Mat map = test::filledBlob({1, 4}, {1, 0, 1, 1});
  const auto expected = std::vector<float>{9, 9, 8, 8, 3, 4, 1, 2, 3, 4, 3, 4};
  const Mats asInput = test::callLayer(*test::makeLayer("mpm.MergeRestore", {}), {tokens, map});
  const Mats asConstant =
      test::callLayer(*test::makeLayer("mpm.MergeRestore", {}, {map}), {tokens});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(asInput[0].ptr<float>()[i], expected[i]);
    EXPECT_EQ(asConstant[0].ptr<float>()[i], expected[i]);
  }
}

TEST(MergeRestoreLayer, ScoresOfABatch) {
  const Mat scores = test::normalBlob({3, 40, 150}, 7);
  Mat map(3, 40, CV_32F);
  for (int i = 0; i < 120; ++i) map.ptr<float>()[i] = static_cast<float>((i * 7) % 23);
  const Mats full = test::callLayer(*test::makeLayer("mpm.MergeRestore", params({{"special", 0}})),
                                    {scores, map});
  for (int b = 0; b < 3; ++b) {
    for (int i = 0; i < 40; ++i) {
      const int live = static_cast<int>(map.ptr<float>(b)[i]);
      ASSERT_TRUE(std::equal(full[0].ptr<float>(b, i), full[0].ptr<float>(b, i) + 150,
                             scores.ptr<float>(b, live)));
    }
  }
}

}  // namespace
}  // namespace mpm
