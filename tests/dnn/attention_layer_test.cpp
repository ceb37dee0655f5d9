// SPDX-License-Identifier: Apache-2.0
// mpm.Attention and mpm.AddRows on ragged batches, against the references of what they stand on.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dnn/attention_rows.h"
#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "tolerances.h"
#include "vit/attention.h"
#include "vit/late_restore.h"
#include "vit/normalize.h"
#include "vit/positions.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using Mats = std::vector<Mat>;
using test::expectValues;
using test::kCapacity;
using test::kHeads;
using test::kPoison;
using test::kSum;
using test::kWidth;
using test::params;
using test::partOf;
using test::RaggedBatch;
using test::refusal;

Mat mapOf(const RaggedBatch& batch) {
  Mat map(3, kCapacity - 1, CV_32F);
  for (int image = 0; image < 3; ++image) {
    for (int i = 0; i < kCapacity - 1; ++i)
      map.ptr<float>(image)[i] = static_cast<float>(i * i % (batch.live[image] - 1));
  }
  return map;
}

// What a layer with all of it has to give for one image.
struct Expected {
  Mat qScale, own, other, bias;

  std::vector<float> of(const RaggedBatch& batch, const Mat& map, int image, bool counts) const {
    const auto live = static_cast<std::size_t>(batch.live[image]);
    const std::vector<std::int32_t> entries(map.ptr<float>(image),
                                            map.ptr<float>(image) + kCapacity - 1);
    const vit::Members members = test::membersOf(batch, map, image);
    const Mat tokens = batch.tokens;
    std::vector<float> q = turned(tokens.ptr<float>(image), live, members);
    std::vector<float> k = turned(tokens.ptr<float>(image) + kSum, live, members);
    std::vector<float> liveBias(kHeads * live * live), weights(live, 0), out(live * kSum);
    vit::biasOfMembersReference({bias.ptr<float>(), kCapacity, kCapacity}, members, kHeads,
                                liveBias.data());
    vit::keyWeights(entries.data(), entries.size(), weights.data() + 1, live - 1);
    const vit::BiasTable given{liveBias.data(), live, live};
    const vit::Attention attention{kHeads, 0.7F, counts ? weights.data() : nullptr};
    vit::attentionReference({q.data(), live, kSum}, {k.data(), live, kSum},
                            partOf(tokens, image, 2, live), attention, {out.data(), live, kSum},
                            &given);
    return out;
  }

 private:
  std::vector<float> turned(const float* from, std::size_t live,
                            const vit::Members& members) const {
    std::vector<float> rows(live * kSum), result(live * kSum);
    for (std::size_t head = 0; head < kHeads; ++head) {
      const std::size_t first = qScale.total() == kSum ? head * kWidth : 0;
      const vit::NormWeights norm{qScale.ptr<float>() + first, nullptr, 1e-5F, false};
      vit::normalizeReference({from + head * kWidth, live, kWidth, 3 * kSum}, norm,
                              {rows.data() + head * kWidth, live, kWidth, kSum});
    }
    const vit::Rotary rotary{{own.ptr<float>(), kCapacity, kWidth},
                             {other.ptr<float>(), kCapacity, kWidth}};
    vit::rotateReference({rows.data(), live, kSum}, rotary, members, kHeads,
                         {result.data(), live, kSum});
    return result;
  }
};

TEST(AttentionLayer, NormsPositionsAndBiasOfMergedRows) {
  const RaggedBatch batch;
  const Mat map = mapOf(batch);
  Expected expected{test::normalBlob({1, kWidth}, 2), test::normalBlob({kCapacity, kWidth}, 3),
                    test::normalBlob({kCapacity, kWidth}, 4),
                    test::normalBlob({kHeads * kCapacity, kCapacity}, 5)};
  for (const int counts : {0, 1}) {
    if (counts == 1) expected.qScale = test::normalBlob({1, kSum}, 6);  // each head's own
    auto settings = params({{"heads", kHeads}, {"counts", counts}, {"special", 1}});
    settings.set("scale", 0.7F);
    settings.set("norm", "rms");
    settings.set("inputs", cv::String("tokens,rows,map,q_norm_scale,k_norm_scale,rotary_own,"
                                      "rotary_other,bias"));
    const auto layer = test::makeLayer(
        "mpm.Attention", settings,
        {expected.qScale, expected.qScale, expected.own, expected.other, expected.bias});
    for (int time = 0; time < 2; ++time) {  // the second from packed constants
      const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows, map}, kPoison);
      ASSERT_EQ(dnn::shapeOf(out[0]), (dnn::Shape{3, kCapacity, kSum}));
      for (int image = 0; image < 3; ++image)
        expectValues(out[0], image, expected.of(batch, map, image, counts != 0), 1e-5F);
    }
  }
}

TEST(AttentionLayer, NormsOfAllHeadsTogether) {
  const Mat tokens = test::normalBlob({1, kCapacity, 3 * kSum}, 7);
  const Mat scale = test::normalBlob({1, kSum}, 2), shift = test::normalBlob({1, kSum}, 3);
  auto settings = params({{"heads", kHeads}, {"joint", 1}});
  settings.set("norm", "layer");
  settings.set("inputs", cv::String("tokens,q_norm_scale,q_norm_shift,k_norm_scale"));
  const auto layer = test::makeLayer("mpm.Attention", settings, {scale, shift, scale});
  const Mats out = test::callLayer(*layer, {tokens});
  std::vector<float> q(kCapacity * kSum), k(q.size()), expected(q.size());
  vit::normalizeReference(partOf(tokens, 0, 0), {scale.ptr<float>(), shift.ptr<float>()},
                          {q.data(), kCapacity, kSum});
  vit::normalizeReference(partOf(tokens, 0, 1), {scale.ptr<float>(), nullptr},
                          {k.data(), kCapacity, kSum});
  vit::attentionReference({q.data(), kCapacity, kSum}, {k.data(), kCapacity, kSum},
                          partOf(tokens, 0, 2), {kHeads, 0.5F}, {expected.data(), kCapacity, kSum});
  expectValues(out[0], 0, expected, 1e-5F);
}

TEST(AttentionLayer, WithoutConstantsIsPlainAttention) {
  const Mat tokens = test::normalBlob({2, kCapacity, 3 * kSum}, 7);
  const auto layer = test::makeLayer("mpm.Attention", params({{"heads", kHeads}}));
  const Mats out = test::callLayer(*layer, {tokens});
  for (int image = 0; image < 2; ++image) {
    const auto part = [&](int i) { return partOf(tokens, image, i); };
    std::vector<float> expected(kCapacity * kSum);
    vit::attentionReference(part(0), part(1), part(2), {kHeads, 0.5F},
                            {expected.data(), kCapacity, kSum});
    expectValues(out[0], image, expected, 1e-5F);
  }
}

TEST(AttentionLayer, RefusesWhatDoesNotFit) {
  const Mat tokens = test::normalBlob({1, kCapacity, 3 * kSum}, 8);
  const Mat rows(1, 1, CV_32F, cv::Scalar(5));
  const Mat table = test::normalBlob({kCapacity, kWidth}, 9);
  const auto sentence = [&](cv::dnn::LayerParams settings, const std::string& inputs,
                            const Mats& blobs, const Mats& constants) {
    settings.set("inputs", cv::String(inputs));
    return refusal("mpm.Attention", settings, blobs, constants);
  };
  const auto heads = params({{"heads", kHeads}});
  EXPECT_EQ(sentence(params({{"heads", 5}}), "tokens", {tokens}, {}),
            "mpm.Attention 'sut', input tokens: has 24 features; expected a multiple of 15, for q, "
            "k and v of heads = 5");
  EXPECT_EQ(sentence(heads, "tokens,rotary_own", {tokens}, {table}),
            "mpm.Attention 'sut': has one of rotary_own and rotary_other; expected both, or "
            "neither");
  EXPECT_EQ(sentence(heads, "tokens,rows,rotary_own,rotary_other", {tokens, rows}, {table, table}),
            "mpm.Attention 'sut': has positions and rows but no map, so it cannot know whose "
            "positions merged rows have; expected a map with rows");
  EXPECT_NE(sentence(heads, "tokens,bias", {tokens}, {table}).find("input bias"),
            std::string::npos);
  EXPECT_NE(sentence(heads, "tokens,q_norm_scale", {tokens}, {test::normalBlob({1, kWidth}, 1)})
                .find("has constants of norms; expected norm = layer or rms"),
            std::string::npos);
}

// Masks are often written with the lowest float. A row of them alone tells no key from another.
TEST(AttentionLayer, ABiasOfTheLowestFloatIsANumber) {
  constexpr int kRows = 4, kDim = 4;
  const Mat tokens = test::normalBlob({1, kRows, 3 * kDim}, 31);
  Mat bias(kRows, kRows, CV_32F, cv::Scalar(0));
  bias.row(0).setTo(std::numeric_limits<float>::lowest());
  cv::dnn::LayerParams settings;
  settings.set("inputs", cv::String("tokens,bias"));
  const auto layer = test::makeLayer("mpm.Attention", settings, {bias});
  const Mat made = test::callLayer(*layer, {tokens})[0];
  for (int k = 0; k < kDim; ++k) {
    double mean = 0;
    for (int row = 0; row < kRows; ++row)
      mean += tokens.ptr<float>()[row * 3 * kDim + 2 * kDim + k] / kRows;
    EXPECT_NEAR(made.ptr<float>()[k], mean, test::kVitOperation);
  }
}

TEST(AddRowsLayer, AddsToMergedRowsTheMeanOfTheirTokens) {
  const RaggedBatch batch;
  const Mat map = mapOf(batch), added = test::normalBlob({kCapacity, test::kDim}, 11);
  auto settings = params({{"special", 1}});
  const auto layer = test::makeLayer("mpm.AddRows", settings, {added});
  const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows, map}, kPoison);
  for (int image = 0; image < 3; ++image) {
    const auto live = static_cast<std::size_t>(batch.live[image]);
    std::vector<float> expected;
    for (std::size_t row = 0; row < live; ++row) {
      for (int i = 0; i < test::kDim; ++i) {
        double sum = 0;
        int count = 0;
        for (int token = 0; token < kCapacity; ++token) {
          const bool stands = token == 0
                                  ? row == 0
                                  : map.ptr<float>(image)[token - 1] + 1 == static_cast<float>(row);
          sum += stands ? static_cast<double>(added.ptr<float>(token)[i]) : 0;
          count += stands;
        }
        const float own = batch.tokens.ptr<float>(image, static_cast<int>(row))[i];
        expected.push_back(own + static_cast<float>(count == 0 ? 0 : sum / count));
      }
    }
    expectValues(out[0], image, expected, 1e-5F);
  }
}

}  // namespace
}  // namespace mpm
