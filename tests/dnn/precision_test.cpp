// SPDX-License-Identifier: Apache-2.0
// In which precision layers compute: their attribute, then MPM_PRECISION, then fp32.
#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "dnn/layer_call.h"
#include "mpm/net.h"
#include "scoped.h"
#include "vit/packed_calls.h"
#include "vit/random_network.h"

namespace mpm {
namespace {

using cv::Mat;
using test::expectCase;
using test::kCapacity;
using test::kDim;
using test::normalBlob;
using test::rowsOf;
using test::ScopedVariable;
using Values = std::vector<float>;

const test::RaggedBatch kBatch;

std::string name(vit::Precision precision) {
  return precision == vit::Precision::int8   ? "int8"
         : precision == vit::Precision::bf16 ? "bf16"
         : precision == vit::Precision::fp16 ? "fp16"
                                             : "fp32";
}

// A layer gives what the network's arithmetic gives in this precision, to the bit.
class LayerPrecision : public testing::TestWithParam<vit::Precision> {
 protected:
  void SetUp() override {
    if (!hasPrecision(name(GetParam())))
      GTEST_SKIP() << "this processor does not compute in " << name(GetParam());
  }

  static void expectLinear(const std::string& settings, vit::Precision precision) {
    const Mat weight = normalBlob({10, kDim}, 2), bias = normalBlob({1, 10}, 3);
    expectCase(
        "mpm.Linear", settings, {kBatch.tokens, kBatch.rows}, {weight, bias}, {3, kCapacity, 10},
        [&](int image) {
          const ConstRows live = kBatch.of(image);
          Values out(live.count * 10);
          vit::linearCpu(live, {rowsOf(weight), bias.ptr<float>()}, {out.data(), live.count, 10},
                         precision);
          return out;
        },
        0);
  }

  const std::string attribute_ = " precision=" + name(GetParam());
};

TEST_P(LayerPrecision, IsTheAttributesOrTheEnvironments) {
  {
    const ScopedVariable none("MPM_PRECISION", "");
    expectLinear(attribute_, GetParam());
  }
  const ScopedVariable variable("MPM_PRECISION", name(GetParam()));
  expectLinear("", GetParam());
  expectLinear("precision=fp32", vit::Precision::fp32);
}

TEST_P(LayerPrecision, OfABlock) {
  test::RandomNetwork network(4);
  const vit::BlockWeights weights = network.block(kDim, 3, vit::Gelu::erf, /*bare=*/true);
  const auto mat = [](ConstRows rows) {
    return Mat(static_cast<int>(rows.count), static_cast<int>(rows.dim), CV_32F,
               const_cast<float*>(rows.data))
        .clone();
  };
  vit::BlockScratch scratch;
  expectCase(
      "mpm.TransformerBlock",
      "heads=3 inputs=tokens,rows,qkv_weight,proj_weight,fc1_weight,fc2_weight" + attribute_,
      {kBatch.tokens, kBatch.rows},
      {mat(weights.qkv.weight), mat(weights.proj.weight), mat(weights.fc1.weight),
       mat(weights.fc2.weight)},
      {3, kCapacity, kDim},
      [&](int image) {
        const ConstRows live = kBatch.of(image);
        Values out(live.data, live.data + live.count * kDim);
        vit::transformerBlockCpu({out.data(), live.count, kDim}, weights, nullptr, scratch,
                                 GetParam());
        return out;
      },
      0);
}

TEST_P(LayerPrecision, OfAMaskHead) {
  const Mat patch = normalBlob({kDim, kDim}, 5), classes = normalBlob({kDim, kDim}, 6);
  const vit::MaskHeadWeights weights{rowsOf(patch), rowsOf(classes), {}};
  vit::MaskHeadScratch scratch;
  expectCase(
      "mpm.MaskDecoderHead", "special=3 inputs=tokens,rows,proj_patch,proj_classes" + attribute_,
      {kBatch.tokens, kBatch.rows}, {patch, classes}, {3, kCapacity - 3, 3},
      [&](int image) {
        const ConstRows patches = kBatch.of(image, 3);
        Values out(patches.count * 3);
        if (patches.count > 0) {
          vit::maskHeadCpu(patches, {kBatch.tokens.ptr<float>(image), 3, kDim}, weights, scratch,
                           {out.data(), patches.count, 3}, GetParam());
        }
        return out;
      },
      0);
}

TEST_P(LayerPrecision, OfAPatchEmbedding) {
  const Mat image = normalBlob({2, 3, 16, 24}, 7), weight = normalBlob({20, 192}, 8);
  vit::PatchEmbedWeights weights;
  weights.patch = 8;
  weights.projection.weight = rowsOf(weight);
  expectCase(
      "mpm.PatchEmbed", "patch=8 inputs=image,weight" + attribute_, {image}, {weight}, {2, 6, 20},
      [&](int b) {
        Values out(6 * 20);
        vit::patchEmbedCpu({image.ptr<float>(b), 3, 16, 24}, weights, {out.data(), 6, 20},
                           vit::unquantised(GetParam()));
        return out;
      },
      0);
}

INSTANTIATE_TEST_SUITE_P(, LayerPrecision,
                         testing::Values(vit::Precision::fp32, vit::Precision::bf16,
                                         vit::Precision::fp16, vit::Precision::int8),
                         [](const auto& tested) { return name(tested.param); });

std::string refusalOf(const char* kind, const std::string& settings) {
  try {
    test::makeLayer(kind, "special=1 " + settings);
  } catch (const cv::Exception& error) {
    return error.err;
  } catch (const std::exception& error) {
    return std::string("no cv::Exception: ") + error.what();
  }
  return "nothing was thrown";
}

// As everything that does not fit: a cv::Exception that names the layer.
TEST(RefusedPrecision, IsToldWithItsLayer) {
  for (const char* kind :
       {"mpm.Linear", "mpm.TransformerBlock", "mpm.MaskDecoderHead", "mpm.PatchEmbed"}) {
    EXPECT_EQ(refusalOf(kind, "precision=int4"),
              std::string(kind) + " 'sut': precision int4: expected fp32, bf16, fp16 or int8");
    EXPECT_NE(refusalOf(kind, "precision=FP32"), "nothing was thrown");
    const ScopedVariable variable("MPM_PRECISION", "half");
    EXPECT_EQ(refusalOf(kind, ""), "nothing was thrown");  // readNet may still ask for another
    EXPECT_EQ(refusalOf(kind, "precision=fp32"), "nothing was thrown");
  }
}

TEST(RefusedPrecision, IsOneThatTheProcessorLacks) {
  EXPECT_TRUE(hasPrecision("fp32"));
  EXPECT_FALSE(hasPrecision("int4"));
  const auto expectRefused = [](const std::string& precision, const std::string& sentence) {
    if (hasPrecision(precision)) return;
    const std::string refusal = refusalOf("mpm.Linear", "precision=" + precision);
    EXPECT_NE(refusal.find(sentence), std::string::npos) << refusal;
  };
  expectRefused("bf16", "precision bf16: this processor cannot multiply in bfloat16");
  expectRefused("fp16",
                "precision fp16: this processor cannot multiply in float16, as Arm's can from "
                "Armv8.2 on; use int8 or fp32");
}

}  // namespace
}  // namespace mpm
