// SPDX-License-Identifier: Apache-2.0
// What a merge notes of a forward for reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dnn/layer_call.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

using cv::Mat;
using Mats = std::vector<Mat>;

constexpr int kSpecial = 2, kHeight = 5, kWidth = 8, kImage = kHeight * kWidth, kDim = 12;

cv::Ptr<dnn::MutualPairMergeLayer> mergeLayer(int window = 0) {
  cv::dnn::LayerParams params;
  params.set("special", kSpecial);
  params.set("window", window);
  const int grid[] = {kHeight, kWidth};
  params.set("grid", cv::dnn::DictValue::arrayInt(grid, 2));
  return test::makeLayer("mpm.MutualPairMerge", params).dynamicCast<dnn::MutualPairMergeLayer>();
}

Mat tokens(int batch, std::uint32_t seed) {
  return test::normalBlob({batch, kSpecial + kImage, kDim}, seed);
}

// Rows past the live ones are undefined.
void expectSameOutputs(const Mats& a, const Mats& b) {
  ASSERT_EQ(a.size(), 3U);
  ASSERT_EQ(b.size(), 3U);
  for (int image = 0; image < a[0].size[0]; ++image) {
    const float rows = a[1].ptr<float>()[image];
    ASSERT_EQ(b[1].ptr<float>()[image], rows);
    const float* row = a[0].ptr<float>(image);
    EXPECT_TRUE(std::equal(row, row + static_cast<int>(rows) * kDim, b[0].ptr<float>(image)));
    EXPECT_TRUE(std::equal(a[2].ptr<float>(image), a[2].ptr<float>(image) + kImage,
                           b[2].ptr<float>(image)));
  }
}

void expectTrace(const dnn::MergeTrace& trace, const Mats& inputs, const MergeOptions& options) {
  const int batch = inputs[0].size[0];
  ASSERT_EQ(trace.map.size(), static_cast<std::size_t>(batch * kImage));
  ASSERT_EQ(trace.similarity.size(), trace.map.size());
  for (int image = 0; image < batch; ++image) {
    SCOPED_TRACE(testing::Message() << "image " << image);
    std::vector<std::int32_t> map(kImage);
    identityMap(map.data(), kImage);
    std::size_t live = kImage;
    if (inputs.size() > 1) {
      live = static_cast<std::size_t>(inputs[1].ptr<float>()[image]) - kSpecial;
      for (std::size_t i = 0; i < kImage; ++i) {
        map[i] = static_cast<std::int32_t>(inputs[2].ptr<float>(image)[i]);
      }
    }
    std::vector<float> similarity(kImage), merged(live * kDim);
    PairMerger().merge({inputs[0].ptr<float>(image) + kSpecial * kDim, live, kDim}, options,
                       map.data(), kImage, {merged.data(), live, kDim}, similarity.data());
    for (std::size_t i = 0; i < kImage; ++i) {
      const std::size_t at = static_cast<std::size_t>(image) * kImage + i;
      ASSERT_EQ(trace.map[at], map[i]) << "token " << i;
      ASSERT_EQ(trace.similarity[at], similarity[i]) << "token " << i;
    }
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
      const Mats inputs = {tokens(batch, 51)};
      const Mats once = test::callLayer(*first, inputs);
      expectTrace(first->trace(), inputs, options);
      expectSameOutputs(once, test::callLayer(*mergeLayer(window), inputs));
      test::callLayer(*second, once);
      expectTrace(second->trace(), once, options);
      expectSameOutputs(test::callLayer(*second, once), test::callLayer(*mergeLayer(window), once));
    }
  }
}

TEST(MergeTrace, OnlyWhereItIsWantedAndTheMergeIsOn) {
  const auto layer = mergeLayer();
  const Mats inputs = {tokens(2, 52)};
  test::callLayer(*layer, inputs);
  EXPECT_TRUE(layer->trace().map.empty());
  layer->setTracing(true);
  test::callLayer(*layer, inputs);
  expectTrace(layer->trace(), inputs, {});
  layer->setEnabled(false);
  test::callLayer(*layer, inputs);
  EXPECT_TRUE(layer->trace().map.empty());
  EXPECT_TRUE(layer->trace().similarity.empty());
  layer->setEnabled(true);
  test::callLayer(*layer, inputs);
  expectTrace(layer->trace(), inputs, {});
  layer->setTracing(false);
  EXPECT_TRUE(layer->trace().map.empty());
  test::callLayer(*layer, inputs);
  EXPECT_TRUE(layer->trace().map.empty());
}

TEST(MergeTrace, ARowThatIsNotFiniteHasNoSimilarity) {
  const auto layer = mergeLayer();
  layer->setTracing(true);
  Mat input = tokens(1, 53);
  input.ptr<float>(0, kSpecial + 6)[3] = std::numeric_limits<float>::infinity();
  test::callLayer(*layer, {input});
  for (std::size_t i = 0; i < kImage; ++i) {
    EXPECT_EQ(std::isnan(layer->trace().similarity[i]), i == 6) << "token " << i;
  }
}

}  // namespace
}  // namespace mpm
