// SPDX-License-Identifier: Apache-2.0
// The mask head, and other special rows before it.
#include <gtest/gtest.h>

#include <algorithm>

#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "vit/mask_head.h"
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
using test::params;
using test::RaggedBatch;
using test::refusal;
using test::rowsOf;

struct HeadConstants {
  Mat projPatch = test::normalBlob({kDim, kDim}, 2),
      projClasses = test::normalBlob({kDim, kDim}, 3);
  Mat scale = test::normalBlob({1, 3}, 4), shift = test::normalBlob({1, 3}, 5);
  Mats mats = {projPatch, projClasses, scale, shift};
  vit::MaskHeadWeights weights{
      rowsOf(projPatch), rowsOf(projClasses), {scale.ptr<float>(), shift.ptr<float>(), 1e-3F}};
};

TEST(MaskDecoderHeadLayer, ScoresLiveImageRows) {
  const RaggedBatch batch;
  const HeadConstants constants;
  LayerParams settings = params({{"special", 3}});
  settings.set("eps", 1e-3);
  for (const bool blobs : {true, false}) {  // as OpenCV 4 gives them, and as OpenCV 5 does
    Mats inputs = {batch.tokens, batch.rows};
    if (!blobs) inputs.insert(inputs.end(), constants.mats.begin(), constants.mats.end());
    const auto layer =
        test::makeLayer("mpm.MaskDecoderHead", settings, blobs ? constants.mats : Mats());
    const Mats out = test::callLayer(*layer, inputs, kPoison);
    ASSERT_EQ(dnn::shapeOf(out[0]), (dnn::Shape{3, kCapacity - 3, 3}));
    for (int image = 0; image < 3; ++image) {
      const auto patches = static_cast<std::size_t>(batch.live[image] - 3);
      std::vector<float> expected(patches * 3);
      vit::maskHeadReference({batch.tokens.ptr<float>(image, 3), patches, kDim},
                             {batch.tokens.ptr<float>(image), 3, kDim}, constants.weights,
                             {expected.data(), patches, 3});
      expectValues(out[0], image, expected);
    }
  }
}

TEST(MaskDecoderHeadLayer, RefusesWhatDoesNotFit) {
  const RaggedBatch batch;
  const HeadConstants constants;
  const char* type = "mpm.MaskDecoderHead";
  for (const LayerParams& settings : {LayerParams(), params({{"special", 0}})}) {
    EXPECT_EQ(refusal(type, settings, {batch.tokens, batch.rows}, constants.mats),
              "mpm.MaskDecoderHead 'sut': needs special = the number of class rows in front, 1 or "
              "more");
  }
  EXPECT_EQ(refusal(type, params({{"special", 3}}), {batch.tokens, batch.rows}),
            "mpm.MaskDecoderHead 'sut': has no input proj_patch, which it needs");
  EXPECT_EQ(refusal(type, params({{"special", 3}}), {batch.tokens, batch.rows},
                    {constants.projPatch, test::normalBlob({kDim, 20}, 6)}),
            "mpm.MaskDecoderHead 'sut', input proj_classes: is [24 x 20]; expected [24 x 24]");
  EXPECT_EQ(refusal(type, params({{"special", 2}}), {batch.tokens, batch.rows}, constants.mats),
            "mpm.MaskDecoderHead 'sut', input norm_scale: has 3 values; expected 2");
}

TEST(ReplaceSpecialLayer, PutsOtherRowsInFront) {
  const RaggedBatch batch;
  for (const int special : {0, 1, 3}) {
    for (const int replacement : {0, 2, 5}) {
      SCOPED_TRACE(testing::Message() << replacement << " rows for " << special);
      Mats constants;
      if (replacement > 0) constants.push_back(test::normalBlob({replacement, kDim}, 7));
      const auto layer =
          test::makeLayer("mpm.ReplaceSpecial", params({{"special", special}}), constants);
      const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows}, kPoison);
      ASSERT_EQ(out[0].size[1], kCapacity - special + replacement);
      for (int image = 0; image < 3; ++image) {
        EXPECT_EQ(out[1].ptr<float>()[image],
                  static_cast<float>(batch.live[image] - special + replacement));
        std::vector<float> expected;
        if (replacement > 0) {
          expected.assign(constants[0].ptr<float>(),
                          constants[0].ptr<float>() + replacement * kDim);
        }
        const float* tokens = batch.tokens.ptr<float>(image);
        expected.insert(expected.end(), tokens + special * kDim, tokens + batch.live[image] * kDim);
        expectValues(out[0], image, expected, 0);
      }
    }
  }
}

TEST(ReplaceSpecialLayer, WithoutRowsAllAreLive) {
  const Mat tokens = test::normalBlob({2, 5, 4}, 8), special = test::normalBlob({2, 4}, 9);
  LayerParams settings = test::named("tokens,special_rows");
  settings.set("special", 1);
  const Mats out = test::callLayer(*test::makeLayer("mpm.ReplaceSpecial", settings, {special}),
                                   {tokens}, kPoison);
  EXPECT_EQ(out[1].ptr<float>()[0], 6);
  EXPECT_EQ(out[1].ptr<float>()[1], 6);
  EXPECT_TRUE(
      std::equal(tokens.ptr<float>(1, 1), tokens.ptr<float>(1, 1) + 16, out[0].ptr<float>(1, 2)));
  const Mat none(std::vector<int>{0, 4}, CV_32F);
  const Mats dropped =
      test::callLayer(*test::makeLayer("mpm.ReplaceSpecial", settings, {none}), {tokens}, kPoison);
  EXPECT_EQ(dropped[0].size[1], 4);
}

TEST(ReplaceSpecialLayer, RefusesWhatDoesNotFit) {
  const RaggedBatch batch;
  const char* type = "mpm.ReplaceSpecial";
  EXPECT_EQ(refusal(type, {}, {batch.tokens}),
            "mpm.ReplaceSpecial 'sut': needs special = the number of rows in front to replace, 0 "
            "or more");
  EXPECT_EQ(
      refusal(type, params({{"special", 2}, {"kept", 1}}), {batch.tokens}),
      "mpm.ReplaceSpecial 'sut': has kept, which is not computed any more; please convert the "
      "model again");
  EXPECT_EQ(refusal(type, params({{"special", 12}}), {batch.tokens}),
            "mpm.ReplaceSpecial 'sut', input tokens: has 12 rows, of which special = 12; expected "
            "at least one image token");
  EXPECT_EQ(refusal(type, params({{"special", 1}}), {batch.tokens, batch.rows},
                    {test::normalBlob({3, 23}, 1)}),
            "mpm.ReplaceSpecial 'sut', input special_rows: is [3 x 23]; expected [any x 24], the "
            "features of tokens");
  EXPECT_EQ(refusal(type, params({{"special", 4}}), {batch.tokens, batch.rows}),
            "mpm.ReplaceSpecial 'sut', input rows: value 3 at 2; expected a whole number from 4 to "
            "12, the special rows to all rows");
}

}  // namespace
}  // namespace mpm
