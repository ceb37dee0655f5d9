// SPDX-License-Identifier: Apache-2.0
// The layers of a network against the references of their arithmetic, on live rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "vit/late_restore.h"
#include "vit/linear.h"
#include "vit/normalize.h"
#include "vit/patch_embed.h"
#include "vit/references.h"
#include "vit/transformer_block.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using test::expectValues;
using test::kPoison;
using test::kTolerance;
using test::named;
using test::refusal;
using test::rowsOf;
using Mats = std::vector<Mat>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Tokens [2, 12, dim] of which 12 and 7 rows live; the others are NaN.
struct Batch {
  explicit Batch(int dim) : tokens(test::normalBlob({2, 12, dim}, 1)) {
    for (int row = 7; row < 12; ++row) std::fill_n(tokens.ptr<float>(1, row), dim, kNan);
  }
  ConstRows live(int image) const {
    return {tokens.ptr<float>(image), static_cast<std::size_t>(image == 0 ? 12 : 7),
            static_cast<std::size_t>(tokens.size[2])};
  }
  Mat tokens;
  Mat rows = test::filledBlob({2, 1}, {12, 7});
};

TEST(NetworkLayers, Normalize) {
  const Batch batch(24);
  const Mat scale = test::normalBlob({1, 24}, 2), shift = test::normalBlob({1, 24}, 3);
  LayerParams params;
  params.set("eps", 1e-3);
  const Mats out = test::callLayer(*test::makeLayer("mpm.Normalize", params, {scale, shift}),
                                   {batch.tokens, batch.rows}, kPoison);
  for (const int image : {0, 1}) {
    const ConstRows live = batch.live(image);
    std::vector<float> expected(live.count * live.dim);
    vit::normalizeReference(live, {scale.ptr<float>(), shift.ptr<float>(), 1e-3F},
                            {expected.data(), live.count, live.dim});
    expectValues(out[0], image, expected);
  }
}

TEST(NetworkLayers, Linear) {
  const Batch batch(24);
  const Mat weight = test::normalBlob({10, 24}, 4), bias = test::normalBlob({1, 10}, 5);
  for (const bool constants : {true, false}) {  // as OpenCV 4 gives them, and as OpenCV 5 does
    Mats inputs = {batch.tokens, batch.rows}, blobs = {weight, bias};
    if (!constants) inputs.insert(inputs.end(), blobs.begin(), blobs.end()), blobs.clear();
    const Mats out = test::callLayer(*test::makeLayer("mpm.Linear", {}, blobs), inputs, kPoison);
    ASSERT_EQ(out[0].size[2], 10);
    for (const int image : {0, 1}) {
      const ConstRows live = batch.live(image);
      std::vector<float> expected(live.count * 10);
      vit::linearReference(live, {rowsOf(weight), bias.ptr<float>()},
                           {expected.data(), live.count, 10});
      expectValues(out[0], image, expected);
    }
  }
}

TEST(NetworkLayers, PatchEmbed) {
  const Mat image = test::normalBlob({2, 3, 16, 24}, 6),
            weight = test::normalBlob({20, 3, 8, 8}, 7);
  const Mat bias = test::normalBlob({1, 20}, 8), position = test::normalBlob({6, 20}, 9);
  const Mat special = test::normalBlob({2, 20}, 10);
  LayerParams params;
  params.set("patch", 8);
  const Mats out = test::callLayer(
      *test::makeLayer("mpm.PatchEmbed", params, {weight, bias, position, special}), {image});
  ASSERT_EQ(out[0].size[1], 8);
  for (const int b : {0, 1}) {
    std::vector<float> expected(8 * 20);
    const vit::PatchEmbedWeights weights{
        8, {rowsOf(weight), bias.ptr<float>()}, rowsOf(position), rowsOf(special)};
    vit::patchEmbedReference({image.ptr<float>(b), 3, 16, 24}, weights, {expected.data(), 8, 20});
    expectValues(out[0], b, expected);
  }
}

struct BlockConstants {
  Mats mats;
  vit::BlockWeights weights;

  BlockConstants() {
    const std::vector<std::vector<int>> shapes = {{1, 24}, {1, 24},  {72, 24}, {1, 72}, {24, 24},
                                                  {1, 24}, {1, 24},  {1, 24},  {1, 24}, {50, 24},
                                                  {1, 50}, {24, 50}, {1, 24},  {1, 24}};
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      mats.push_back(test::normalBlob(shapes[i], 20 + static_cast<std::uint32_t>(i)) * 0.3);
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
};

const char* kBlockConstants =
    "norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,proj_bias,layer_scale1,norm2_scale,"
    "norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,layer_scale2";

TEST(NetworkLayers, TransformerBlock) {
  const Batch batch(24);
  BlockConstants constants;
  for (const auto& [name, kind] : std::map<std::string, vit::Gelu>{
           {"erf", vit::Gelu::erf}, {"tanh", vit::Gelu::tanh}, {"quick", vit::Gelu::quick}}) {
    SCOPED_TRACE(name);
    LayerParams params = named("tokens,rows," + std::string(kBlockConstants));
    params.set("heads", 3);
    params.set("eps", 1e-6);
    params.set("eps2", 0.5);
    params.set("gelu", cv::String(name));
    constants.weights.norm2.eps = 0.5F;
    constants.weights.gelu = kind;
    const auto layer = test::makeLayer("mpm.TransformerBlock", params, constants.mats);
    const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows}, kPoison);
    for (const int image : {0, 1}) {
      const ConstRows live = batch.live(image);
      std::vector<float> expected(live.data, live.data + live.count * live.dim);
      vit::transformerBlockReference({expected.data(), live.count, live.dim}, constants.weights,
                                     nullptr);
      expectValues(out[0], image, expected);
    }
  }
}

TEST(NetworkLayers, ABlockWithAMapWeighsKeysByMultiplicity) {
  const Batch batch(24);
  BlockConstants constants;
  Mat map(2, 11, CV_32F);  // one special row; 11 and 6 live image rows
  for (int i = 0; i < 11; ++i) {
    map.ptr<float>(0)[i] = static_cast<float>(i);
    map.ptr<float>(1)[i] = static_cast<float>(i % 6);
  }
  LayerParams params = named("tokens,rows,map," + std::string(kBlockConstants));
  params.set("heads", 3);
  params.set("eps", 1e-6);
  const Mats out = test::callLayer(*test::makeLayer("mpm.TransformerBlock", params, constants.mats),
                                   {batch.tokens, batch.rows, map}, kPoison);
  const ConstRows live = batch.live(1);
  std::vector<float> expected(live.data, live.data + live.count * live.dim), weights(7, 0);
  for (int row = 0; row < 6; ++row)
    weights[static_cast<std::size_t>(row + 1)] = row < 5 ? std::log(2.0F) : 0;
  vit::transformerBlockReference({expected.data(), live.count, live.dim}, constants.weights,
                                 weights.data());
  expectValues(out[0], 1, expected);
}

// What a block with ranges is made of and with, in a precision.
struct RangedCall {
  LayerParams params =
      named("tokens,rows," + std::string(kBlockConstants) + ",norm1_ranges,norm2_ranges");
  BlockConstants constants;
  Mats mats = constants.mats;

  explicit RangedCall(const char* precision) {
    params.set("heads", 3);
    params.set("eps", 1e-6);
    params.set("precision", cv::String(precision));
    constants.weights.norm2.eps = 1e-6F;
    for (const int seed : {71, 72}) mats.push_back(cv::abs(test::normalBlob({3, 24}, seed)) + 0.1);
    const ConstRows first = rowsOf(mats[14]), second = rowsOf(mats[15]);
    constants.weights.ranges1 = {first.row(0), first.row(1), first.row(2)};
    constants.weights.ranges2 = {second.row(0), second.row(1), second.row(2)};
  }
  Mats operator()(const Batch& batch) const {
    return test::callLayer(*test::makeLayer("mpm.TransformerBlock", params, mats),
                           {batch.tokens, batch.rows}, kPoison);
  }
};

TEST(NetworkLayers, ABlocksRangesAreForInt8Alone) {
  const Batch batch(24);
  for (const auto precision : {vit::Precision::fp32, vit::Precision::int8}) {
    const RangedCall call(precision == vit::Precision::fp32 ? "fp32" : "int8");
    const vit::PackedBlock block(call.constants.weights, precision);
    const Mats out = call(batch);
    vit::BlockScratch scratch;
    for (const int image : {0, 1}) {
      const ConstRows live = batch.live(image);
      std::vector<float> expected(live.data, live.data + live.count * live.dim);
      const Rows rows(expected.data(), live.count, live.dim);
      vit::transformerBlockCpu(live, block, nullptr, scratch, rows);
      expectValues(out[0], image, expected);
    }
  }
}

TEST(NetworkLayers, ABlockRefusesRangesThatAreNotFinite) {
  RangedCall call("int8");
  call.mats[15].at<float>(1, 3) = kNan;
  try {
    call(Batch(24));
    ADD_FAILURE() << "taken";
  } catch (const cv::Exception& error) {
    EXPECT_NE(error.err.find("input norm2_ranges: has values that are not finite"),
              std::string::npos)
        << error.err;
  }
}

// One special row of window 1, and twelve image rows in turns of windows 0, 1 and 2 that are merged
// to six: each with the next one of its window.
struct WindowedCall {
  Mat map = Mat(1, 12, CV_32F), windowOf = Mat(1, 13, CV_32F);
  Mat tokens = test::normalBlob({1, 13, 24}, 3), rows = test::filledBlob({1, 1}, {7});
  LayerParams params = named("tokens,rows,map," + std::string(kBlockConstants) + ",window_of");
  BlockConstants constants;

  WindowedCall() {
    windowOf.ptr<float>()[0] = 1;
    for (int i = 0; i < 12; ++i) {
      map.ptr<float>()[i] = static_cast<float>(i / 6 * 3 + i % 3);
      windowOf.ptr<float>()[1 + i] = static_cast<float>(i % 3);
    }
    params.set("heads", 3);
    params.set("eps", 1e-6);
    params.set("windows", 3);
  }
  Mats constantMats() const {
    Mats mats = constants.mats;
    mats.push_back(windowOf);
    return mats;
  }
};

TEST(NetworkLayers, ABlockWithWindowsAttendsWithinThem) {
  const WindowedCall call;
  const Mats out =
      test::callLayer(*test::makeLayer("mpm.TransformerBlock", call.params, call.constantMats()),
                      {call.tokens, call.rows, call.map}, kPoison);
  const std::vector<std::vector<int>> windows{{1, 4}, {0, 2, 5}, {3, 6}};
  std::vector<float> all(7 * 24);
  for (const std::vector<int>& live : windows) {
    std::vector<float> expected;
    for (const int row : live) {
      const float* const from = call.tokens.ptr<float>(0, row);
      expected.insert(expected.end(), from, from + 24);
    }
    vit::transformerBlockReference({expected.data(), live.size(), 24}, call.constants.weights,
                                   nullptr);
    for (std::size_t i = 0; i < live.size(); ++i)
      std::copy_n(expected.data() + i * 24, 24, all.data() + live[i] * 24);
  }
  expectValues(out[0], 0, all);
}

TEST(NetworkLayers, RefuseWeightsThatDoNotFit) {
  const Batch batch(24);
  EXPECT_EQ(refusal("mpm.Linear", {}, {batch.tokens, batch.rows}, {test::normalBlob({10, 23}, 1)}),
            "mpm.Linear 'sut', input weight: is [10 x 23]; expected [any x 24]");
  EXPECT_EQ(refusal("mpm.Linear", {}, {batch.tokens, batch.rows}, {}),
            "mpm.Linear 'sut': has no input weight, which it needs");
  EXPECT_EQ(refusal("mpm.Normalize", {}, {batch.tokens, batch.rows}, {test::normalBlob({1, 5}, 1)}),
            "mpm.Normalize 'sut', input scale: has 5 values; expected 24");
  EXPECT_EQ(refusal("mpm.Normalize", {}, {batch.tokens, test::filledBlob({2, 1}, {12, 13})}, {}),
            "mpm.Normalize 'sut', input rows: value 13 at 1; expected a whole number from 0 to 12, "
            "the special rows to all rows");
  LayerParams params;
  params.set("gelu", cv::String("relu"));
  EXPECT_EQ(refusal("mpm.TransformerBlock", params, {batch.tokens}, {}),
            "mpm.TransformerBlock 'sut': gelu = relu; expected erf, tanh or quick");
  EXPECT_EQ(refusal("mpm.PatchEmbed", {}, {test::normalBlob({1, 3, 20, 32}, 1)},
                    {test::normalBlob({8, 3, 16, 16}, 1)}),
            "mpm.PatchEmbed 'sut', input image: is [1 x 3 x 20 x 32]; expected [batch x channels x "
            "height x width], height and width multiples of patch = 16");
  EXPECT_EQ(
      refusal("mpm.PatchEmbed", {}, {test::normalBlob({1, 2, 32, 32}, 1)},
              {test::normalBlob({8, 3, 16, 16}, 1)}),
      "mpm.PatchEmbed 'sut', input image: is [1 x 2 x 32 x 32]; its weights are for 3 channels");
}

TEST(NetworkLayers, RefuseWindowsThatRowsAreNotIn) {
  const auto refused = [](const WindowedCall& call, const Mats& inputs, const Mats& constants) {
    return refusal("mpm.TransformerBlock", call.params, inputs, constants);
  };
  WindowedCall call;
  const Mats inputs{call.tokens, call.rows, call.map};
  call.map.ptr<float>()[1] = 0;
  EXPECT_EQ(refused(call, inputs, call.constantMats()),
            "mpm.TransformerBlock 'sut', input map: merges token 1 of window 1 with one of window "
            "0; expected merges within windows, by their input regions");
  call.map.ptr<float>()[1] = 1;
  call.windowOf.ptr<float>()[4] = 3;
  EXPECT_EQ(refused(call, inputs, call.constantMats()),
            "mpm.TransformerBlock 'sut', input window_of: value 3 at 4; expected a whole number "
            "from 0 to 2, the layer's windows");
  WindowedCall other;
  other.params.set("windows", 0);
  EXPECT_EQ(refused(other, inputs, other.constantMats()),
            "mpm.TransformerBlock 'sut': has one of windows and window_of; expected both, or "
            "neither");
  other.params.set("windows", -1);
  EXPECT_EQ(refused(other, inputs, other.constantMats()),
            "mpm.TransformerBlock 'sut': windows = -1; expected 0 or more");
}

TEST(NetworkLayers, RefuseRowsWhoseWindowNothingTells) {
  WindowedCall call;
  call.params.set("inputs",
                  cv::String("tokens,rows," + std::string(kBlockConstants) + ",window_of"));
  call.params.set("special", 1);
  EXPECT_EQ(
      refusal("mpm.TransformerBlock", call.params, {call.tokens, call.rows}, call.constantMats()),
      "mpm.TransformerBlock 'sut': has windows and rows but no map, so it cannot know in "
      "which window merged rows are; expected a map with rows");
}

// As many patches, but not where the positions belong.
TEST(NetworkLayers, RefuseAnImageOfAnotherGrid) {
  LayerParams params;
  const int grid[] = {1, 2};
  params.set("grid", cv::dnn::DictValue::arrayInt(grid, 2));
  EXPECT_EQ(
      refusal("mpm.PatchEmbed", params, {test::normalBlob({1, 3, 32, 16}, 1)},
              {test::normalBlob({8, 3, 16, 16}, 1)}),
      "mpm.PatchEmbed 'sut', input image: is [1 x 3 x 32 x 16]; expected a height of 16 and a "
      "width of 32");
}

TEST(NetworkLayers, RefuseHeadsThatDoNotDivide) {
  const Batch batch(24);
  const BlockConstants constants;
  LayerParams params = named("tokens,rows," + std::string(kBlockConstants));
  params.set("heads", 5);
  EXPECT_EQ(refusal("mpm.TransformerBlock", params, {batch.tokens, batch.rows}, constants.mats),
            "mpm.TransformerBlock 'sut', input proj_weight: has 24 columns; expected a multiple of "
            "heads = 5");
}

}  // namespace
}  // namespace mpm
