// SPDX-License-Identifier: Apache-2.0
// mpm.Attention with a grid: windows and distances on ragged batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "dnn/attention_rows.h"
#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
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
using test::RaggedBatch;
using test::refusal;

using Pair = std::vector<int>;

cv::dnn::LayerParams onGrid(const Pair& grid, const Pair& window, const std::string& inputs) {
  cv::dnn::LayerParams settings = params({{"heads", kHeads}});
  settings.set("grid", cv::dnn::DictValue::arrayInt(grid.data(), static_cast<int>(grid.size())));
  if (!window.empty())
    settings.set("window",
                 cv::dnn::DictValue::arrayInt(window.data(), static_cast<int>(window.size())));
  settings.set("inputs", cv::String(inputs));
  return settings;
}

// Two windows of 2 x 4 cells on a grid of 3 x 4: the first has tokens 0 to 7, or `ofFirst`. Of the
// images' live rows the last stands for the second window, and those in front for the first.
Mat mapWithinWindows(const RaggedBatch& batch, int ofFirst = 8) {
  Mat map(3, kCapacity, CV_32F);
  for (int image = 0; image < 3; ++image) {
    const int live = batch.live[image];
    for (int i = 0; i < kCapacity; ++i) {
      const int row = live == kCapacity ? i : i < ofFirst ? i % (live - 1) : live - 1;
      map.ptr<float>(image)[i] = static_cast<float>(row);
    }
  }
  return map;
}

std::vector<float> expectedOf(const RaggedBatch& batch, const Mat& map, int image,
                              const vit::GridTables& tables) {
  const auto live = static_cast<std::size_t>(batch.live[image]);
  std::vector<float> out(live * kSum);
  vit::gridAttentionReference({batch.tokens.ptr<float>(image), live, test::kDim}, {kHeads, 0.5F},
                              tables, test::membersOf(batch, map, image), {out.data(), live, kSum});
  return out;
}

TEST(AttentionGrid, WindowsAndDistancesOfMergedRows) {
  const RaggedBatch batch;
  const Mat map = mapWithinWindows(batch);
  const Mat down = test::normalBlob({3, kWidth}, 2), across = test::normalBlob({7, kWidth}, 3);
  const Mat outside = test::normalBlob({1, test::kDim}, 4);
  const auto layer = test::makeLayer(
      "mpm.Attention",
      onGrid({3, 4}, {2, 4}, "tokens,rows,map,distance_down,distance_across,outside"),
      {down, across, outside});
  const vit::GridTables tables{
      {3, 4, 2, 4}, test::rowsOf(down), test::rowsOf(across), outside.ptr<float>()};
  for (int time = 0; time < 2; ++time) {  // the second from packed constants
    const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows, map}, kPoison);
    ASSERT_EQ(dnn::shapeOf(out[0]), (dnn::Shape{3, kCapacity, kSum}));
    for (int image = 0; image < 3; ++image)
      expectValues(out[0], image, expectedOf(batch, map, image, tables), 1e-5F);
  }
}

TEST(AttentionGrid, DistancesOverTheWholeGrid) {
  const RaggedBatch batch;
  const Mat map = mapWithinWindows(batch);
  const Mat down = test::normalBlob({5, kWidth}, 5), across = test::normalBlob({7, kWidth}, 6);
  const auto layer = test::makeLayer(
      "mpm.Attention", onGrid({3, 4}, {}, "tokens,rows,map,distance_down,distance_across"),
      {down, across});
  const vit::GridTables tables{{3, 4, 3, 4}, test::rowsOf(down), test::rowsOf(across)};
  const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows, map}, kPoison);
  for (int image = 0; image < 3; ++image)
    expectValues(out[0], image, expectedOf(batch, map, image, tables), 1e-5F);
}

// Turned by the place in the window, which is not the grid's.
TEST(AttentionGrid, RotaryPositionsWithinWindows) {
  const RaggedBatch batch;
  const Mat map = mapWithinWindows(batch, 6);
  const Mat own = test::normalBlob({kCapacity, kWidth}, 8);
  const Mat other = test::normalBlob({kCapacity, kWidth}, 9);
  const auto layer = test::makeLayer(
      "mpm.Attention", onGrid({4, 3}, {2, 3}, "tokens,rows,map,rotary_own,rotary_other"),
      {own, other});
  const vit::Rotary rotary{{own.ptr<float>(), kCapacity, kWidth},
                           {other.ptr<float>(), kCapacity, kWidth}};
  const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows, map}, kPoison);
  for (int image = 0; image < 3; ++image) {
    const auto live = static_cast<std::size_t>(batch.live[image]);
    const vit::Members members = test::membersOf(batch, map, image);
    Mat turned = batch.tokens.clone();
    for (const int part : {0, 1}) {
      std::vector<float> rows(live * kSum);
      vit::rotateReference(test::partOf(batch.tokens, image, part, live), rotary, members, kHeads,
                           {rows.data(), live, kSum});
      for (std::size_t row = 0; row < live; ++row)
        std::copy_n(rows.data() + row * kSum, kSum,
                    turned.ptr<float>(image, static_cast<int>(row)) + part * kSum);
    }
    std::vector<float> expected(live * kSum);
    vit::gridAttentionReference({turned.ptr<float>(image), live, test::kDim}, {kHeads, 0.5F},
                                {{4, 3, 2, 3}, {}, {}}, members, {expected.data(), live, kSum});
    expectValues(out[0], image, expected, 1e-5F);
  }
}

TEST(AttentionGrid, RefusesWhatDoesNotFit) {
  const RaggedBatch batch;
  const Mat tokens = batch.tokens.rowRange(0, 1), rows(1, 1, CV_32F, cv::Scalar(7));
  const Mat down = test::normalBlob({3, kWidth}, 2), across = test::normalBlob({7, kWidth}, 3);
  const Mat outside = test::normalBlob({1, test::kDim}, 4);
  const auto sentence = [&](const cv::dnn::LayerParams& settings, const Mats& constants,
                            const Mats& blobs) {
    return refusal("mpm.Attention", settings, blobs, constants);
  };
  EXPECT_EQ(sentence(onGrid({3, 5}, {}, "tokens"), {}, {tokens}),
            "mpm.Attention 'sut': has 0 special and 12 image rows; expected none and 15, those of "
            "its grid");
  EXPECT_EQ(sentence(onGrid({3}, {}, "tokens"), {}, {tokens}),
            "mpm.Attention 'sut': grid is no [height, width]; expected two numbers of 1 or more");
  EXPECT_EQ(
      sentence(onGrid({3, 4}, {4, 0}, "tokens"), {}, {tokens}),
      "mpm.Attention 'sut': window is no [height, width]; expected two numbers from 1 to 1024");
  EXPECT_EQ(sentence(onGrid({3, 4}, {2, 4}, "tokens"), {}, {tokens}),
            "mpm.Attention 'sut': has windows that reach over its grid; expected outside with "
            "them: q, k and v of a cell there");
  EXPECT_EQ(sentence(onGrid({3, 4}, {3, 2}, "tokens,outside"), {outside}, {tokens}),
            "mpm.Attention 'sut': has cells outside, but its windows do not reach over its grid");
  EXPECT_EQ(
      sentence(onGrid({3, 4}, {2, 4}, "tokens,distance_down,outside"), {down, outside}, {tokens}),
      "mpm.Attention 'sut': has one of distance_down and distance_across; expected both, or "
      "neither");
  EXPECT_NE(
      sentence(onGrid({3, 4}, {}, "tokens,distance_down,distance_across"), {down, across}, {tokens})
          .find("input distance_down"),
      std::string::npos)
      << "3 rows, where a window of 3 has 5 distances";
  EXPECT_EQ(sentence(onGrid({3, 4}, {3, 2}, "tokens,rows"), {}, {tokens, rows}),
            "mpm.Attention 'sut': has positions and rows but no map, so it cannot know whose "
            "positions merged rows have; expected a map with rows");
  auto plain = params({{"heads", kHeads}});
  plain.set("inputs", cv::String("tokens,outside"));
  EXPECT_EQ(sentence(plain, {outside}, {tokens}),
            "mpm.Attention 'sut': has distances or cells outside; expected a grid with them");
  auto normed = onGrid({3, 4}, {}, "tokens");
  normed.set("norm", "rms");
  EXPECT_EQ(sentence(normed, {}, {tokens}),
            "mpm.Attention 'sut': has a grid with norm or counts; expected a grid without them");
  const Mat bias = test::normalBlob({kHeads * kCapacity, kCapacity}, 7);
  EXPECT_EQ(sentence(onGrid({3, 4}, {}, "tokens,bias"), {bias}, {tokens}),
            "mpm.Attention 'sut': has a grid with a bias; expected a grid without it");
  const Mat table = test::normalBlob({kCapacity, kWidth}, 8);
  EXPECT_EQ(sentence(onGrid({3, 4}, {2, 4}, "tokens,rotary_own,rotary_other,outside"),
                     {table, table, outside}, {tokens}),
            "mpm.Attention 'sut': has rotary positions with distances or cells outside; expected a "
            "grid without them");
}

TEST(AttentionGrid, RefusesRowsOfTwoWindows) {
  const RaggedBatch batch;
  Mat map(1, kCapacity, CV_32F, cv::Scalar(0));
  const Mat tokens = batch.tokens.rowRange(0, 1), rows(1, 1, CV_32F, cv::Scalar(1));
  EXPECT_EQ(
      refusal("mpm.Attention", onGrid({3, 4}, {3, 2}, "tokens,rows,map"), {tokens, rows, map}, {}),
      "mpm.Attention 'sut', input map: merges token 2 of window 1 with one of window 0; "
      "expected merges within windows, by their input regions");
}

}  // namespace
}  // namespace mpm
