// SPDX-License-Identifier: Apache-2.0
// What ends a classifier: the mean of its tokens, and layers on one row for each image.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "vit/linear.h"
#include "vit/normalize.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using Mats = std::vector<Mat>;
using test::expectValues;
using test::kCapacity;
using test::kDim;
using test::kPoison;
using test::named;
using test::params;
using test::RaggedBatch;
using test::refusal;
using test::rowsOf;

// Maps [3, 11] to the live image rows of a RaggedBatch with one special row.
Mat mapOf(const RaggedBatch& batch) {
  Mat map(3, kCapacity - 1, CV_32F);
  for (int image = 0; image < 3; ++image) {
    for (int i = 0; i < kCapacity - 1; ++i) {
      map.ptr<float>(image)[i] = static_cast<float>(i * i % (batch.live[image] - 1));
    }
  }
  return map;
}

std::vector<float> meanOf(const float* rows, int count) {
  std::vector<float> mean(kDim);
  for (int k = 0; k < kDim; ++k) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += rows[i * kDim + k];
    mean[static_cast<std::size_t>(k)] = static_cast<float>(sum / count);
  }
  return mean;
}

TEST(MeanRowsLayer, IsTheMeanOfTheTokensRestored) {
  const RaggedBatch batch;
  const Mat map = mapOf(batch);
  const Mats full = test::callLayer(*test::makeLayer("mpm.MergeRestore", {}), {batch.tokens, map});
  for (const int withSpecial : {0, 1}) {
    const auto layer = test::makeLayer("mpm.MeanRows", params({{"with_special", withSpecial}}));
    const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows, map}, kPoison);
    ASSERT_EQ(dnn::shapeOf(out[0]), (dnn::Shape{3, kDim}));
    for (int image = 0; image < 3; ++image) {
      const int first = withSpecial == 1 ? 0 : 1;
      expectValues(out[0], image, meanOf(full[0].ptr<float>(image, first), kCapacity - first),
                   1e-6F);
    }
  }
}

TEST(MeanRowsLayer, WithoutAMapIsThePlainMean) {
  const Mat tokens = test::normalBlob({2, kCapacity, kDim}, 10);
  for (const auto& [special, withSpecial] : {std::pair{0, 0}, {2, 0}, {2, 1}}) {
    const Mats out = test::callLayer(
        *test::makeLayer("mpm.MeanRows",
                         params({{"special", special}, {"with_special", withSpecial}})),
        {tokens}, kPoison);
    const int first = withSpecial == 1 ? 0 : special;
    expectValues(out[0], 1, meanOf(tokens.ptr<float>(1, first), kCapacity - first), 1e-6F);
  }
}

TEST(MeanRowsLayer, RefusesRowsWithoutTheirMap) {
  const RaggedBatch batch;
  EXPECT_EQ(refusal("mpm.MeanRows", {}, {batch.tokens, batch.rows}),
            "mpm.MeanRows 'sut': has rows but no map, so it cannot know how often each row counts; "
            "expected both, or neither");
  Mat map = mapOf(batch);
  map.ptr<float>(1)[4] = 6;
  EXPECT_EQ(refusal("mpm.MeanRows", {}, {batch.tokens, batch.rows, map}),
            "mpm.MeanRows 'sut', input map: value 6 at 4; expected a whole number from 0 to 5, the "
            "live image rows");
}

TEST(SingleRows, LinearAndNormalizeTakeOneRowForEachImage) {
  const Mat rows = test::normalBlob({3, kDim}, 11), weight = test::normalBlob({10, kDim}, 12);
  const Mat bias = test::normalBlob({1, 10}, 13), scale = test::normalBlob({1, kDim}, 14);
  const Mats linear = test::callLayer(
      *test::makeLayer("mpm.Linear", named("tokens,weight,bias"), {weight, bias}), {rows}, kPoison);
  const Mats normal = test::callLayer(
      *test::makeLayer("mpm.Normalize", named("tokens,scale"), {scale}), {rows}, kPoison);
  ASSERT_EQ(dnn::shapeOf(linear[0]), (dnn::Shape{3, 10}));
  ASSERT_EQ(dnn::shapeOf(normal[0]), (dnn::Shape{3, kDim}));
  for (int image = 0; image < 3; ++image) {
    std::vector<float> expected(10);
    vit::linearReference({rows.ptr<float>(image), 1, kDim}, {rowsOf(weight), bias.ptr<float>()},
                         {expected.data(), 1, 10});
    expectValues(linear[0], image, expected);
    expected.resize(kDim);
    vit::normalizeReference({rows.ptr<float>(image), 1, kDim}, {scale.ptr<float>(), nullptr, 1e-5F},
                            {expected.data(), 1, kDim});
    expectValues(normal[0], image, expected);
  }
}

TEST(SingleRows, RefuseWhatTheyCannotHave) {
  const Mat rows = test::normalBlob({3, kDim}, 15), weight = test::normalBlob({10, kDim}, 16);
  EXPECT_EQ(refusal("mpm.Linear", {}, {rows, test::filledBlob({3, 1}, {1, 1, 1})}, {weight}),
            "mpm.Linear 'sut', input rows: is there, but tokens is [3 x 24], one live row for each "
            "image; expected no rows");
  LayerParams settings = named("tokens,weight");
  settings.set("special", 1);
  EXPECT_EQ(refusal("mpm.Linear", settings, {rows}, {weight}),
            "mpm.Linear 'sut', input tokens: has 1 rows, of which special = 1; expected at least "
            "one image token");
  EXPECT_EQ(refusal("mpm.MeanRows", {}, {rows}),
            "mpm.MeanRows 'sut', input tokens: is [3 x 24]; expected 3 dimensions, "
            "[batch x tokens x features]");
  EXPECT_EQ(refusal("mpm.Linear", named("tokens,weight"), {test::normalBlob({1, 2, 3, kDim}, 17)},
                    {weight}),
            "mpm.Linear 'sut', input tokens: is [1 x 2 x 3 x 24]; expected 3 dimensions, "
            "[batch x tokens x features]");
}

}  // namespace
}  // namespace mpm
