// SPDX-License-Identifier: Apache-2.0
// The layers of a network against the references of their arithmetic, on live rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dnn/layer_call.h"
#include "vit/late_restore.h"
#include "vit/references.h"
#include "vit/upsample.h"

namespace mpm {
namespace {

using cv::Mat;
using test::expectCase;
using test::kCapacity;
using test::kDim;
using test::Mats;
using test::normalBlob;
using test::RaggedBatch;
using test::rowsOf;
using Values = std::vector<float>;

const RaggedBatch kBatch;

Rows viewOf(Values& values, std::size_t dim) { return {values.data(), values.size() / dim, dim}; }

Values normalized(ConstRows rows, const vit::NormWeights& weights) {
  Values out(rows.count * rows.dim);
  vit::normalizeReference(rows, weights, viewOf(out, rows.dim));
  return out;
}

Values projected(ConstRows rows, const Mat& weight, const Mat& bias) {
  Values out(rows.count * static_cast<std::size_t>(weight.size[0]));
  vit::linearReference(rows, {rowsOf(weight), bias.ptr<float>()},
                       viewOf(out, static_cast<std::size_t>(weight.size[0])));
  return out;
}

// Of live rows of a batch, and of one row for each image.
TEST(NetworkLayers, NormalizeAndLinear) {
  const Mat scale = normalBlob({1, kDim}, 2), shift = normalBlob({1, kDim}, 3),
            weight = normalBlob({10, kDim}, 4), bias = normalBlob({1, 10}, 5),
            single = normalBlob({3, kDim}, 11);
  const Mats ragged = {kBatch.tokens, kBatch.rows};
  const auto one = [&](int image) { return ConstRows(single.ptr<float>(image), 1, kDim); };
  expectCase("mpm.Normalize", "eps=1e-3", ragged, {scale, shift}, {3, kCapacity, kDim},
             [&](int image) {
               return normalized(kBatch.of(image), {scale.ptr<float>(), shift.ptr<float>(), 1e-3F});
             });
  expectCase("mpm.Linear", "", ragged, {weight, bias}, {3, kCapacity, 10},
             [&](int image) { return projected(kBatch.of(image), weight, bias); });
  expectCase("mpm.Normalize", "inputs=tokens,scale", {single}, {scale}, {3, kDim}, [&](int image) {
    return normalized(one(image), {scale.ptr<float>(), nullptr, 1e-5F});
  });
  expectCase("mpm.Linear", "inputs=tokens,weight,bias", {single}, {weight, bias}, {3, 10},
             [&](int image) { return projected(one(image), weight, bias); });
}

TEST(NetworkLayers, PatchEmbed) {
  const Mat image = normalBlob({2, 3, 16, 24}, 6), weight = normalBlob({20, 3, 8, 8}, 7);
  const Mat bias = normalBlob({1, 20}, 8), position = normalBlob({6, 20}, 9);
  const Mat special = normalBlob({2, 20}, 10);
  const vit::PatchEmbedWeights weights{
      8, {rowsOf(weight), bias.ptr<float>()}, rowsOf(position), rowsOf(special)};
  expectCase("mpm.PatchEmbed", "patch=8", {image}, {weight, bias, position, special}, {2, 8, 20},
             [&](int b) {
               Values out(8 * 20);
               vit::patchEmbedReference({image.ptr<float>(b), 3, 16, 24}, weights, viewOf(out, 20));
               return out;
             });
}

TEST(NetworkLayers, MaskDecoderHead) {
  const Mat patch = normalBlob({kDim, kDim}, 2), classes = normalBlob({kDim, kDim}, 3);
  const Mat scale = normalBlob({1, 3}, 4), shift = normalBlob({1, 3}, 5);
  const vit::MaskHeadWeights weights{
      rowsOf(patch), rowsOf(classes), {scale.ptr<float>(), shift.ptr<float>(), 1e-3F}};
  expectCase("mpm.MaskDecoderHead", "special=3 eps=1e-3", {kBatch.tokens, kBatch.rows},
             {patch, classes, scale, shift}, {3, kCapacity - 3, 3}, [&](int image) {
               const ConstRows patches = kBatch.of(image, 3);
               Values out(patches.count * 3);
               vit::maskHeadReference(patches, {kBatch.tokens.ptr<float>(image), 3, kDim}, weights,
                                      viewOf(out, 3));
               return out;
             });
}

/// The mean of `count` rows.
Values meanOf(const float* rows, int count) {
  Values mean;
  for (int k = 0; k < kDim; ++k) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += rows[i * kDim + k];
    mean.push_back(static_cast<float>(sum / count));
  }
  return mean;
}

// With a map it is the mean of the tokens restored, without the plain one.
TEST(NetworkLayers, MeanRows) {
  const Mat map = kBatch.map(), plain = normalBlob({2, kCapacity, kDim}, 10);
  const Mat full = test::callLayer(*test::makeLayer("mpm.MergeRestore"), {kBatch.tokens, map})[0];
  struct Mean {
    bool isMerged;
    int special, withSpecial;
  };
  for (const Mean& mean :
       {Mean{true, 1, 0}, {true, 1, 1}, {false, 0, 0}, {false, 2, 0}, {false, 2, 1}}) {
    const int first = mean.withSpecial == 1 ? 0 : mean.special;
    const Mat& rows = mean.isMerged ? full : plain;
    std::string settings = "with_special=" + std::to_string(mean.withSpecial);
    if (!mean.isMerged) settings += " special=" + std::to_string(mean.special);
    expectCase(
        "mpm.MeanRows", settings,
        mean.isMerged ? Mats{kBatch.tokens, kBatch.rows, map} : Mats{plain}, {},
        {rows.size[0], kDim},
        [&](int image) { return meanOf(rows.ptr<float>(image, first), kCapacity - first); }, 1e-6F);
  }
}

TEST(NetworkLayers, ReplaceSpecialPutsOtherRowsInFront) {
  for (const int special : {0, 1, 3}) {
    for (const int replacement : {0, 2, 5}) {
      const std::string settings = "special=" + std::to_string(special);
      const Mats front = replacement == 0 ? Mats() : Mats{normalBlob({replacement, kDim}, 7)};
      const int added = replacement - special;
      expectCase(
          "mpm.ReplaceSpecial", settings, {kBatch.tokens, kBatch.rows}, front,
          {3, kCapacity + added, kDim},
          [&](int image) {
            Values rows;
            if (!front.empty())
              rows.assign(front[0].ptr<float>(), front[0].ptr<float>() + front[0].total());
            const ConstRows rest = kBatch.of(image, special);
            rows.insert(rows.end(), rest.data, rest.data + rest.count * kDim);
            return rows;
          },
          0);
      const auto layer = test::makeLayer("mpm.ReplaceSpecial", settings, front);
      const Mat counts = test::callLayer(*layer, {kBatch.tokens, kBatch.rows})[1];
      for (int image = 0; image < 3; ++image)
        EXPECT_EQ(counts.ptr<float>()[image], static_cast<float>(kBatch.live[image] + added));
    }
  }
}

TEST(NetworkLayers, ReplaceSpecialWithoutRowsHasAllLive) {
  const Mat tokens = normalBlob({2, 5, 4}, 8), none(std::vector<int>{0, 4}, CV_32F);
  const std::string settings = "special=1 inputs=tokens,special_rows";
  const auto layer = test::makeLayer("mpm.ReplaceSpecial", settings, {normalBlob({2, 4}, 9)});
  const Mats out = test::callLayer(*layer, {tokens});
  for (const int image : {0, 1}) EXPECT_EQ(out[1].ptr<float>()[image], 6);
  EXPECT_TRUE(
      std::equal(tokens.ptr<float>(1, 1), tokens.ptr<float>(1, 1) + 16, out[0].ptr<float>(1, 2)));
  const auto dropping = test::makeLayer("mpm.ReplaceSpecial", settings, {none});
  EXPECT_EQ(test::callLayer(*dropping, {tokens})[0].size[1], 4);
}

/// A block's constants, by what the layer calls them and as its arithmetic has them.
struct BlockConstants {
  const std::string names =
      "norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,proj_bias,layer_scale1,norm2_scale,"
      "norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,layer_scale2";
  Mats mats;
  vit::BlockWeights weights;

  BlockConstants() {
    const std::vector<std::vector<int>> shapes = {{1, 24}, {1, 24},  {72, 24}, {1, 72}, {24, 24},
                                                  {1, 24}, {1, 24},  {1, 24},  {1, 24}, {50, 24},
                                                  {1, 50}, {24, 50}, {1, 24},  {1, 24}};
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      mats.push_back(normalBlob(shapes[i], 20 + static_cast<std::uint32_t>(i)) * 0.3);
    }
    const auto floats = [&](std::size_t i) { return mats[i].ptr<float>(); };
    weights.norm1 = {floats(0), floats(1), 1e-6F};
    weights.qkv = {rowsOf(mats[2]), floats(3)};
    weights.proj = {rowsOf(mats[4]), floats(5)};
    weights.layerScale1 = floats(6);
    weights.norm2 = {floats(7), floats(8), 1e-6F};
    weights.fc1 = {rowsOf(mats[9]), floats(10)};
    weights.fc2 = {rowsOf(mats[11]), floats(12)};
    weights.layerScale2 = floats(13);
    weights.heads = 3;
    weights.scale = 1 / std::sqrt(8.0F);
  }
  Mats with(const Mats& more) const {
    Mats all = mats;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Values of(ConstRows rows, const float* keyWeights) const {
    Values out(rows.data, rows.data + rows.count * kDim);
    vit::transformerBlockReference(viewOf(out, kDim), weights, keyWeights);
    return out;
  }
};

TEST(TransformerBlock, OfEachGelu) {
  BlockConstants block;
  block.weights.norm2.eps = 0.5F;
  for (const auto& [name, kind] :
       {std::pair{"erf", vit::Gelu::erf}, {"tanh", vit::Gelu::tanh}, {"quick", vit::Gelu::quick}}) {
    block.weights.gelu = kind;
    expectCase("mpm.TransformerBlock",
               std::string("heads=3 eps=1e-6 eps2=0.5 gelu=") + name + " inputs=tokens,rows," +
                   block.names,
               {kBatch.tokens, kBatch.rows}, block.mats, {3, kCapacity, kDim},
               [&](int image) { return block.of(kBatch.of(image), nullptr); });
  }
}

TEST(TransformerBlock, WithAMapWeighsKeysByMultiplicity) {
  const BlockConstants block;
  const Mat map = kBatch.map();
  expectCase("mpm.TransformerBlock", "heads=3 eps=1e-6 inputs=tokens,rows,map," + block.names,
             {kBatch.tokens, kBatch.rows, map}, block.mats, {3, kCapacity, kDim}, [&](int image) {
               Values counts(static_cast<std::size_t>(kBatch.live[image]), 0);
               counts[0] = 1;  // the special row
               for (int i = 0; i < kCapacity - 1; ++i)
                 ++counts[static_cast<std::size_t>(map.ptr<float>(image)[i]) + 1];
               for (float& count : counts) count = std::log(count);
               return block.of(kBatch.of(image), counts.data());
             });
}

// One special row of window 1, and twelve image rows in turns of windows 0, 1 and 2 that are merged
// to six: each with the next one of its window.
TEST(TransformerBlock, WithWindowsAttendsWithinThem) {
  const BlockConstants block;
  const Mat tokens = normalBlob({1, 13, kDim}, 3), rows = test::filledBlob({1, 1}, {7});
  Mat map(1, 12, CV_32F), windowOf(1, 13, CV_32F, cv::Scalar(1));
  for (int i = 0; i < 12; ++i) {
    map.ptr<float>()[i] = static_cast<float>(i / 6 * 3 + i % 3);
    windowOf.ptr<float>()[1 + i] = static_cast<float>(i % 3);
  }
  const std::vector<std::vector<int>> windows{{1, 4}, {0, 2, 5}, {3, 6}};
  expectCase("mpm.TransformerBlock",
             "heads=3 eps=1e-6 windows=3 inputs=tokens,rows,map," + block.names + ",window_of",
             {tokens, rows, map}, block.with({windowOf}), {1, 13, kDim}, [&](int) {
               Values all(7 * kDim);
               for (const std::vector<int>& live : windows) {
                 Values own;
                 for (const int row : live) {
                   const float* const from = tokens.ptr<float>(0, row);
                   own.insert(own.end(), from, from + kDim);
                 }
                 own = block.of(viewOf(own, kDim), nullptr);
                 for (std::size_t i = 0; i < live.size(); ++i)
                   std::copy_n(own.data() + i * kDim, kDim, all.data() + live[i] * kDim);
               }
               return all;
             });
}

TEST(TransformerBlock, RangesAreForInt8Alone) {
  BlockConstants block;
  Mats ranges;
  for (const int seed : {71, 72}) ranges.push_back(cv::abs(normalBlob({3, kDim}, seed)) + 0.1);
  const ConstRows first = rowsOf(ranges[0]), second = rowsOf(ranges[1]);
  block.weights.ranges1 = {first.row(0), first.row(1), first.row(2)};
  block.weights.ranges2 = {second.row(0), second.row(1), second.row(2)};
  for (const auto& [name, precision] :
       {std::pair{"fp32", vit::Precision::fp32}, {"int8", vit::Precision::int8}}) {
    const vit::PackedBlock packed(block.weights, precision);
    vit::BlockScratch scratch;
    expectCase("mpm.TransformerBlock",
               std::string("heads=3 eps=1e-6 precision=") + name + " inputs=tokens,rows," +
                   block.names + ",norm1_ranges,norm2_ranges",
               {kBatch.tokens, kBatch.rows}, block.with(ranges), {3, kCapacity, kDim},
               [&](int image) {
                 const ConstRows live = kBatch.of(image);
                 Values out(live.data, live.data + live.count * kDim);
                 vit::transformerBlockCpu(live, packed, nullptr, scratch, viewOf(out, kDim));
                 return out;
               });
  }
}

/// An image of planes [B, C, h, w].
vit::Image imageOf(const Mat& planes, int image) {
  const auto side = [&](int axis) { return static_cast<std::size_t>(planes.size[axis]); };
  return {planes.ptr<float>(image), side(1), side(2), side(3)};
}

TEST(Planes, Convolve) {
  const Mat weight = normalBlob({10, 3, 3, 2}, 1), bias = normalBlob({10}, 2);
  vit::ConvolveWeights weights;
  weights.filters = {{weight.ptr<float>(), 10, 18}, bias.ptr<float>()};
  weights.rows = {3, 2, 1, 1};
  weights.columns = {2, 1, 3, 0};
  const auto layer =
      test::makeLayer("mpm.Convolve", "stride=2,1 dilation=1,3 padding=1,0,2,1", {weight, bias});
  for (const auto& [height, width] : {std::pair{8, 9}, {5, 20}, {8, 9}}) {  // made anew for each
    const Mat planes = normalBlob({2, 3, height, width}, 3);
    const Mat out = test::callLayer(*layer, {planes})[0];
    const int down = height / 2 + 1, across = width - 2;
    ASSERT_EQ(dnn::shapeOf(out), (dnn::Shape{2, 10, down, across}));
    for (int image = 0; image < 2; ++image) {
      Values expected(static_cast<std::size_t>(10 * down * across));
      vit::convolveReference(imageOf(planes, image), weights, static_cast<std::size_t>(down),
                             static_cast<std::size_t>(across), expected.data());
      test::expectValues(out, image, expected, 1e-5F);
    }
  }
}

TEST(Planes, AReluOfTheSums) {
  const Mat planes = normalBlob({1, 4, 6, 6}, 4), weight = normalBlob({9, 4, 3, 3}, 5);
  Values sums(9 * 4 * 4);
  const Mat plain = test::callLayer(*test::makeLayer("mpm.Convolve", "", {weight}), {planes})[0];
  std::transform(plain.ptr<float>(), plain.ptr<float>() + sums.size(), sums.begin(),
                 [](float sum) { return std::max(sum, 0.0F); });
  const auto layer = test::makeLayer("mpm.Convolve", "activation=relu", {weight});
  test::expectValues(test::callLayer(*layer, {planes})[0], 0, sums, 0);
}

struct Upsampled {
  std::string settings;
  vit::Places places = vit::Places::halfPixel;
  int height = 0, width = 0;
  float scaleHeight = 0, scaleWidth = 0;
};

/// `in` is `planes`, or the same as rows of a grid.
void expectUpsampled(cv::dnn::Layer& layer, const Mat& in, const Mat& planes,
                     const Upsampled& expected) {
  SCOPED_TRACE(expected.settings);
  const Mat out = test::callLayer(layer, {in})[0];
  ASSERT_EQ(dnn::shapeOf(out),
            (dnn::Shape{planes.size[0], planes.size[1], expected.height, expected.width}));
  const vit::Image first = imageOf(planes, 0);
  vit::Taps rows, columns;
  rows.assign(expected.places, first.height, static_cast<std::size_t>(expected.height),
              expected.scaleHeight);
  columns.assign(expected.places, first.width, static_cast<std::size_t>(expected.width),
                 expected.scaleWidth);
  Values values(first.channels * rows.out() * columns.out());
  for (int image = 0; image < planes.size[0]; ++image) {
    vit::upsampleReference({planes.ptr<float>(image), first.channels, false}, rows, columns,
                           values.data());
    test::expectValues(out, image, values, 1e-6F);
  }
}

TEST(Planes, UpsampleToASizeInEachMode) {
  const Mat planes = normalBlob({2, 3, 5, 7}, 1);
  const Upsampled all[] = {
      {"size=40,1 mode=half_pixel", vit::Places::halfPixel, 40, 1},
      {"size=40,1 mode=pytorch_half_pixel", vit::Places::pytorchHalfPixel, 40, 1},
      {"size=40,1 mode=align_corners", vit::Places::alignCorners, 40, 1},
      {"size=40,1 mode=asymmetric", vit::Places::asymmetric, 40, 1},
      {"size=11,80", vit::Places::halfPixel, 11, 80}};
  for (const Upsampled& each : all)
    expectUpsampled(*test::makeLayer("mpm.Upsample", each.settings), planes, planes, each);
}

// The same layer on another size: what it keeps is made anew.
TEST(Planes, UpsampleByAScaleOfAnySize) {
  const auto layer = test::makeLayer("mpm.Upsample", "scale=1.5,4");
  for (const auto& [height, width] : {std::pair{5, 6}, {7, 3}, {5, 3}, {5, 6}}) {
    const Mat planes = normalBlob({1, 2, height, width}, 2);
    expectUpsampled(*layer, planes, planes,
                    {"", vit::Places::halfPixel, height * 3 / 2, width * 4, 1.5F, 4});
  }
}

TEST(Planes, UpsampleScoresOnAGrid) {
  const Mat planes = normalBlob({2, 4, 3, 5}, 3);
  Mat scores(std::vector<int>{2, 15, 4}, CV_32F);
  for (int image = 0; image < 2; ++image) {
    for (int place = 0; place < 15; ++place) {
      for (int channel = 0; channel < 4; ++channel)
        scores.ptr<float>(image, place)[channel] = planes.ptr<float>(image, channel)[place];
    }
  }
  expectUpsampled(*test::makeLayer("mpm.Upsample", "grid=3,5 size=24,40"), scores, planes,
                  {"", vit::Places::halfPixel, 24, 40});
}

}  // namespace
}  // namespace mpm
