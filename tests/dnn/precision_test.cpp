// SPDX-License-Identifier: Apache-2.0
// In which precision layers compute: their attribute, then MPM_PRECISION, then fp32.
#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "mpm/net.h"
#include "scoped.h"
#include "vit/packed_calls.h"
#include "vit/random_network.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using Mats = std::vector<Mat>;
using test::kDim;
using test::RaggedBatch;
using test::rowsOf;
using test::ScopedVariable;

LayerParams precisely(const std::string& precision, LayerParams params = {}) {
  if (!precision.empty()) params.set("precision", cv::String(precision));
  return params;
}

std::string name(vit::Precision precision) {
  return precision == vit::Precision::int8   ? "int8"
         : precision == vit::Precision::bf16 ? "bf16"
         : precision == vit::Precision::fp16 ? "fp16"
                                             : "fp32";
}

const Mat kWeight = test::normalBlob({10, kDim}, 2), kBias = test::normalBlob({1, 10}, 3);

// What mpm.Linear gives is what the network's arithmetic gives in this precision, to the bit.
void expectLinear(const LayerParams& params, vit::Precision precision) {
  const RaggedBatch batch;
  const Mats out = test::callLayer(*test::makeLayer("mpm.Linear", params, {kWeight, kBias}),
                                   {batch.tokens, batch.rows}, test::kPoison);
  for (int image = 0; image < 3; ++image) {
    const auto live = static_cast<std::size_t>(batch.live[image]);
    std::vector<float> expected(live * 10);
    vit::linearCpu({batch.tokens.ptr<float>(image), live, kDim},
                   {rowsOf(kWeight), kBias.ptr<float>()}, {expected.data(), live, 10}, precision);
    test::expectValues(out[0], image, expected, 0);
  }
}

class LayerPrecision : public testing::TestWithParam<vit::Precision> {
 protected:
  void SetUp() override {
    if (!hasPrecision(name(GetParam())))
      GTEST_SKIP() << "this processor does not compute in " << name(GetParam());
  }
};

TEST_P(LayerPrecision, IsTheAttributes) {
  const ScopedVariable none("MPM_PRECISION", "");
  expectLinear(precisely(name(GetParam())), GetParam());
}

TEST_P(LayerPrecision, IsTheEnvironmentsWithoutAnAttribute) {
  const ScopedVariable variable("MPM_PRECISION", name(GetParam()));
  expectLinear({}, GetParam());
  expectLinear(precisely("fp32"), vit::Precision::fp32);
}

TEST_P(LayerPrecision, OfABlock) {
  test::RandomNetwork network(4);
  const vit::BlockWeights weights = network.block(kDim, 3, vit::Gelu::erf, /*bare=*/true);
  const auto mat = [](ConstRows rows) {
    Mat result(static_cast<int>(rows.count), static_cast<int>(rows.dim), CV_32F);
    std::copy_n(rows.data, rows.count * rows.dim, result.ptr<float>());
    return result;
  };
  LayerParams params = test::named("tokens,rows,qkv_weight,proj_weight,fc1_weight,fc2_weight");
  params.set("heads", 3);
  const auto layer = test::makeLayer("mpm.TransformerBlock", precisely(name(GetParam()), params),
                                     {mat(weights.qkv.weight), mat(weights.proj.weight),
                                      mat(weights.fc1.weight), mat(weights.fc2.weight)});
  const RaggedBatch batch;
  const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows}, test::kPoison);
  vit::BlockScratch scratch;
  for (int image = 0; image < 3; ++image) {
    const auto live = static_cast<std::size_t>(batch.live[image]);
    const float* tokens = batch.tokens.ptr<float>(image);
    std::vector<float> expected(tokens, tokens + live * kDim);
    vit::transformerBlockCpu({expected.data(), live, kDim}, weights, nullptr, scratch, GetParam());
    test::expectValues(out[0], image, expected, 0);
  }
}

TEST_P(LayerPrecision, OfAMaskHead) {
  const Mat patch = test::normalBlob({kDim, kDim}, 5), classes = test::normalBlob({kDim, kDim}, 6);
  const auto layer = test::makeLayer("mpm.MaskDecoderHead",
                                     precisely(name(GetParam()), test::params({{"special", 3}})),
                                     {patch, classes});
  const RaggedBatch batch;
  const Mats out = test::callLayer(*layer, {batch.tokens, batch.rows}, test::kPoison);
  const vit::MaskHeadWeights weights{rowsOf(patch), rowsOf(classes), {}};
  vit::MaskHeadScratch scratch;
  for (int image = 0; image < 3; ++image) {
    const auto patches = static_cast<std::size_t>(batch.live[image] - 3);
    std::vector<float> expected(patches * 3);
    if (patches > 0) {
      vit::maskHeadCpu({batch.tokens.ptr<float>(image, 3), patches, kDim},
                       {batch.tokens.ptr<float>(image), 3, kDim}, weights, scratch,
                       {expected.data(), patches, 3}, GetParam());
    }
    test::expectValues(out[0], image, expected, 0);
  }
}

TEST_P(LayerPrecision, OfAPatchEmbedding) {
  const Mat image = test::normalBlob({2, 3, 16, 24}, 7), weight = test::normalBlob({20, 192}, 8);
  LayerParams params;
  params.set("patch", 8);
  const auto layer =
      test::makeLayer("mpm.PatchEmbed", precisely(name(GetParam()), params), {weight});
  const Mats out = test::callLayer(*layer, {image});
  vit::PatchEmbedWeights weights;
  weights.patch = 8;
  weights.projection.weight = rowsOf(weight);
  for (const int b : {0, 1}) {
    std::vector<float> expected(6 * 20);
    vit::patchEmbedCpu({image.ptr<float>(b), 3, 16, 24}, weights, {expected.data(), 6, 20},
                       vit::unquantised(GetParam()));
    test::expectValues(out[0], b, expected, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(, LayerPrecision,
                         testing::Values(vit::Precision::fp32, vit::Precision::bf16,
                                         vit::Precision::fp16, vit::Precision::int8),
                         [](const auto& tested) { return name(tested.param); });

const char* kKinds[] = {"mpm.Linear", "mpm.TransformerBlock", "mpm.MaskDecoderHead",
                        "mpm.PatchEmbed"};

std::string refusalOf(const char* kind, const std::string& precision) {
  LayerParams params = precisely(precision);
  params.set("special", 1);
  try {
    test::makeLayer(kind, params);
  } catch (const cv::Exception& error) {
    return error.err;
  } catch (const std::exception& error) {
    return std::string("no cv::Exception: ") + error.what();
  }
  return "nothing was thrown";
}

// As everything that does not fit: a cv::Exception that names the layer.
TEST(RefusedPrecision, IsToldWithItsLayer) {
  for (const char* kind : kKinds) {
    EXPECT_EQ(refusalOf(kind, "int4"),
              std::string(kind) + " 'sut': precision int4: expected fp32, bf16, fp16 or int8");
    EXPECT_NE(refusalOf(kind, "FP32"), "nothing was thrown");
    const ScopedVariable variable("MPM_PRECISION", "half");
    EXPECT_EQ(refusalOf(kind, ""), "nothing was thrown");  // readNet may still ask for another
    EXPECT_EQ(refusalOf(kind, "fp32"), "nothing was thrown");
  }
}

TEST(RefusedPrecision, IsOneThatTheProcessorLacks) {
  EXPECT_TRUE(hasPrecision("fp32"));
  EXPECT_FALSE(hasPrecision("int4"));
  const auto expectRefused = [](const std::string& precision, const std::string& sentence) {
    if (hasPrecision(precision)) return;
    const std::string refusal = refusalOf("mpm.Linear", precision);
    EXPECT_NE(refusal.find(sentence), std::string::npos) << refusal;
  };
  expectRefused("bf16", "precision bf16: this processor cannot multiply in bfloat16");
  expectRefused("fp16",
                "precision fp16: this processor cannot multiply in float16, as Arm's can from "
                "Armv8.2 on; use int8 or fp32");
}

}  // namespace
}  // namespace mpm
