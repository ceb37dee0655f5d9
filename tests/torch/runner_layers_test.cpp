// SPDX-License-Identifier: Apache-2.0
// The kinds that compute rows and those that move them, against the references; what they refuse;
// and weights of keys, folded in as GPUs want them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mpm/merge.h"
#include "tolerances.h"
#include "torch/attention.h"
#include "torch/runner_calls.h"
#include "vit/late_restore.h"
#include "vit/mask_head.h"
#include "vit/patch_embed.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;
using test::OwnedRows;
using test::RaggedTokens;

constexpr int kDim = 24, kCapacity = 12;
const std::vector<std::vector<int>> kBatches = {{12}, {12, 7}, {5, 12, 6}};

class RunnerRows : public test::RunnerTest {};

// An image may have no row.
TEST_P(RunnerRows, NormalizeAndLinear) {
  for (const std::vector<int>& live : {kBatches[0], kBatches[1], kBatches[2], {3, 0, 5}}) {
    test::RandomNetwork network(201);
    const auto batch = static_cast<int>(live.size());
    RaggedTokens in(live, kCapacity, kDim, 202);
    const vit::NormWeights norm = network.norm(kDim);
    const vit::LinearWeights linear = network.linear(kDim, 40);
    Made normalize("mpm.Normalize");
    normalize.number("eps", {1e-6}).norm("", norm, kDim);
    HostBlob normed = download(forward(normalize, in.inputs(), {{batch, kCapacity, kDim}})[0]);
    Made project("mpm.Linear");
    project.linear("", linear);
    HostBlob projected = download(forward(project, in.inputs(), {{batch, kCapacity, 40}})[0]);
    for (int b = 0; b < batch; ++b) {
      OwnedRows expected(in.image(b).count, kDim), product(in.image(b).count, 40);
      vit::normalizeReference(in.image(b), norm, expected.view());
      expectImage(normed, b, expected.view(), test::kVitOperation);
      vit::linearReference(in.image(b), linear, product.view());
      expectImage(projected, b, product.view(), test::kVitOperation);
    }
  }
}

TEST_P(RunnerRows, SingleRows) {
  test::RandomNetwork network(203);
  HostBlob in = test::normalBlob({3, kDim}, 204);
  const vit::LinearWeights linear = network.linear(kDim, 40);
  Made made("mpm.Linear");
  made.linear("", linear);
  const HostBlob out = download(forward(made, {{"tokens", in.blob()}}, {{3, 40}})[0]);
  OwnedRows expected(3, 40);
  vit::linearReference({in.values.data(), 3, kDim}, linear, expected.view());
  for (std::size_t i = 0; i < out.values.size(); ++i)
    ASSERT_NEAR(out.values[i], expected.data[i], test::kVitOperation);
}

TEST_P(RunnerRows, PatchEmbed) {
  test::RandomNetwork network(205);
  HostBlob image = test::normalBlob({2, 3, 16, 24}, 206);
  vit::PatchEmbedWeights weights;
  weights.patch = 8;
  weights.projection = network.linear(3 * 64, kDim);
  weights.position = network.matrix(6, kDim, 0, 1);
  for (const int special : {0, 2}) {
    weights.special = special > 0 ? network.matrix(2, kDim, 0, 1) : ConstRows();
    Made made("mpm.PatchEmbed");
    made.number("patch", {8}).number("grid", {2, 3}).linear("", weights.projection);
    made.constant("position", {6, kDim}, weights.position.data);
    made.constant("special", {special, kDim}, weights.special.data);
    HostBlob out = download(forward(made, {{"image", image.blob()}}, {{2, special + 6, kDim}})[0]);
    for (int b = 0; b < 2; ++b) {
      OwnedRows expected(static_cast<std::size_t>(special + 6), kDim);
      const float* pixels = image.values.data() + b * 3 * 16 * 24;
      vit::patchEmbedReference({pixels, 3, 16, 24}, weights, expected.view());
      expectImage(out, b, expected.view(), test::kVitOperation);
    }
  }
}

TEST_P(RunnerRows, ReplaceSpecial) {
  for (const std::vector<int>& live : kBatches) {
    for (const int special : {0, 1, 5}) {
      for (const int front : {0, 3}) {
        SCOPED_TRACE(testing::Message() << special << " special rows become " << front);
        const auto batch = static_cast<int>(live.size());
        const int capacity = kCapacity - special + front;
        RaggedTokens in(live, kCapacity, kDim, 207);
        const OwnedRows rows = test::normalRows(3, kDim, 208);
        Made made("mpm.ReplaceSpecial");
        made.number("special", {static_cast<double>(special)});
        if (front > 0) made.constant("special_rows", {front, kDim}, rows.data.data());
        const auto out = forward(made, in.inputs(), {{batch, capacity, kDim}, {batch, 1}});
        HostBlob tokens = download(out[0]);
        const HostBlob count = download(out[1]);
        for (int b = 0; b < batch; ++b) {
          const ConstRows from = in.image(b);
          const std::size_t image = from.count - static_cast<std::size_t>(special);
          OwnedRows expected(image + static_cast<std::size_t>(front), kDim);
          std::copy_n(rows.data.data(), front * kDim, expected.data.data());
          std::copy_n(from.row(static_cast<std::size_t>(special)), image * kDim,
                      expected.row(static_cast<std::size_t>(front)));
          expectImage(tokens, b, expected.view(), 0);
          EXPECT_EQ(count.values[static_cast<std::size_t>(b)], static_cast<float>(expected.count));
        }
      }
    }
  }
}

TEST_P(RunnerRows, MergeRestore) {
  for (const int special : {0, 1, 5}) {
    SCOPED_TRACE(special);
    RaggedTokens in({9, 6, 12}, kCapacity, kDim, 209);
    std::vector<int> image;
    for (const int live : in.live) image.push_back(live - special);
    HostBlob map = test::drawnMap(image, kCapacity - special, 210);
    Made made("mpm.MergeRestore");
    made.number("special", {static_cast<double>(special)});
    Blobs inputs = in.inputs();
    inputs["map"] = map.blob();
    HostBlob out = download(forward(made, inputs, {{3, kCapacity, kDim}})[0]);
    for (int b = 0; b < 3; ++b) {
      OwnedRows expected(kCapacity, kDim);
      const ConstRows from = in.image(b);
      const auto front = static_cast<std::size_t>(special);
      std::copy_n(from.data, front * kDim, expected.data.data());
      restore({from.row(front), from.count - front, kDim}, test::mapOf(map, b).data(),
              {expected.row(front), kCapacity - front, kDim});
      expectImage(out, b, expected.view(), 0);
    }
  }
}

TEST_P(RunnerRows, MaskDecoderHeadAndItsScoresRestored) {
  constexpr int kClasses = 4;
  test::RandomNetwork network(211);
  const vit::MaskHeadWeights weights = network.maskHead(kDim, kClasses);
  RaggedTokens in({9, 6, 12}, kCapacity, kDim, 212);
  Made made("mpm.MaskDecoderHead");
  made.number("special", {kClasses});
  made.constant("proj_patch", {kDim, kDim}, weights.projPatch.data);
  made.constant("proj_classes", {kDim, kDim}, weights.projClasses.data);
  made.norm("norm", weights.norm, kClasses);
  const std::vector<int> shape = {3, kCapacity - kClasses, kClasses};
  const RunnerBlob onDevice = forward(made, in.inputs(), {shape})[0];
  HostBlob scores = download(onDevice);
  HostBlob map = test::drawnMap({5, 2, 8}, kCapacity - kClasses, 213);
  HostBlob restored = download(
      forward(Made("mpm.MergeRestore"), {{"tokens", onDevice}, {"map", map.blob()}}, {shape})[0]);
  for (int b = 0; b < 3; ++b) {
    const ConstRows from = in.image(b);
    OwnedRows expected(from.count - kClasses, kClasses), full(kCapacity - kClasses, kClasses);
    vit::maskHeadReference({from.row(kClasses), expected.count, kDim}, {from.data, kClasses, kDim},
                           weights, expected.view());
    expectImage(scores, b, expected.view(), test::kVitNetwork);
    restore(expected.view(), test::mapOf(map, b).data(), full.view());
    expectImage(restored, b, full.view(), test::kVitNetwork);
  }
}

TEST_P(RunnerRows, MeanRows) {
  for (const int special : {0, 1, 5}) {
    for (const int withSpecial : {0, 1}) {
      SCOPED_TRACE(testing::Message() << special << " special rows, with them " << withSpecial);
      RaggedTokens in({9, 6, 12}, kCapacity, kDim, 214);
      std::vector<int> image;
      for (const int live : in.live) image.push_back(live - special);
      HostBlob map = test::drawnMap(image, kCapacity - special, 215);
      Made made("mpm.MeanRows");
      made.number("with_special", {static_cast<double>(withSpecial)});
      Blobs inputs = in.inputs();
      inputs["map"] = map.blob();
      const HostBlob out = download(forward(made, inputs, {{3, kDim}})[0]);
      for (int b = 0; b < 3; ++b) {
        const ConstRows from = in.image(b);
        const auto front = static_cast<std::size_t>(special);
        std::vector<std::int32_t> counts(from.count, withSpecial);
        multiplicities(test::mapOf(map, b).data(), static_cast<std::size_t>(map.shape[1]),
                       counts.data() + front, from.count - front);
        OwnedRows expected(1, kDim);
        vit::meanRows(from, counts.data(), expected.data.data());
        for (int k = 0; k < kDim; ++k)
          ASSERT_NEAR(out.values[static_cast<std::size_t>(b * kDim + k)],
                      expected.data[static_cast<std::size_t>(k)], test::kVitOperation);
      }
    }
  }
}

MPM_ON_EACH_DEVICE(RunnerRows);

// mpm.TransformerBlock on ragged batches, its keys with weights and without.
constexpr int kRows = 40;

struct Size {
  int dim, heads;
};

// Heads of 8 features, of 12, which devices pad, and of 64, which with a weight are 72.
constexpr Size kSizes[] = {{24, 3}, {24, 2}, {128, 2}};

struct BlockTest : test::RunnerTest {
  void expectBlock(const Size& size, int special, bool mapped, const vit::BlockWeights& weights,
                   const std::string& precision, double tolerance) {
    SCOPED_TRACE(testing::Message() << "D " << size.dim << ", heads " << size.heads << ", special "
                                    << special << ", map " << mapped << ", " << precision);
    const std::vector<int> live =
        mapped ? std::vector<int>{17, 6, 31} : std::vector<int>{40, 7, 12};
    RaggedTokens in(live, kRows, size.dim, 221);
    Blobs inputs = in.inputs();
    HostBlob map;
    if (mapped) {
      std::vector<int> image;
      for (const int rows : live) image.push_back(rows - special);
      map = test::drawnMap(image, kRows - special, 222);
      inputs["map"] = map.blob();
    }
    const Made made = test::madeBlock(weights, precision);
    HostBlob out = download(forward(made, inputs, {{3, kRows, size.dim}})[0]);
    for (int b = 0; b < 3; ++b) {
      const std::vector<std::int32_t> ofImage =
          mapped ? test::mapOf(map, b) : std::vector<std::int32_t>();
      const OwnedRows expected = test::blockReference(in.image(b), weights, special, ofImage);
      expectImage(out, b, expected.view(), tolerance);
    }
  }

  void expectBlocks(const std::string& precision, double tolerance) {
    for (const Size& size : kSizes) {
      for (const bool mapped : {false, true}) {
        for (const int special : {0, 1, 5}) {
          if (size.dim > 100 && special != 1) continue;  // the reference is slow
          test::RandomNetwork network(223);
          const auto weights = network.block(static_cast<std::size_t>(size.dim),
                                             static_cast<std::size_t>(size.heads), vit::Gelu::erf);
          expectBlock(size, special, mapped, weights, precision, tolerance);
        }
      }
    }
  }
};

class RunnerBlock : public BlockTest {};

TEST_P(RunnerBlock, Fp32) { expectBlocks("fp32", test::kVitNetwork); }

TEST_P(RunnerBlock, Tf32) {
  if (!runner_->hasPrecision("tf32")) GTEST_SKIP() << runner_->deviceName() << " has no TF32";
  expectBlocks("tf32", test::kTf32Block);
}

TEST_P(RunnerBlock, Bf16) {
  if (!runner_->hasPrecision("bf16")) GTEST_SKIP() << runner_->deviceName() << " has no bfloat16";
  expectBlocks("bf16", test::kBf16Block);
}

TEST_P(RunnerBlock, EachGeluAndBareWeights) {
  for (const vit::Gelu gelu : kGelus) {
    for (const bool bare : {false, true}) {
      SCOPED_TRACE(testing::Message() << "gelu " << static_cast<int>(gelu) << ", bare " << bare);
      test::RandomNetwork network(224);
      expectBlock({24, 3}, 1, true, network.block(24, 3, gelu, bare), "fp32", test::kVitNetwork);
    }
  }
}

// Multiplicities belong to a map: blocks that share tokens but not the map do not share them.
TEST_P(RunnerBlock, AnotherMapOnTheSameTokens) {
  test::RandomNetwork network(225);
  const vit::BlockWeights weights = network.block(24, 3, vit::Gelu::erf);
  RaggedTokens in({9, 5}, 20, 24, 226);
  const Made same = Made("mpm.Normalize");
  const RunnerBlob tokens = forward(same, in.inputs(), {{2, 20, 24}})[0];
  HostBlob normed = download(tokens);
  const auto block = layer(test::madeBlock(weights, "fp32"));
  for (const std::uint32_t seed : {227U, 228U}) {
    HostBlob map = test::drawnMap({9, 5}, 20, seed);
    HostBlob out =
        download(forward(*block, {{"tokens", tokens}, {"map", map.blob()}}, {{2, 20, 24}})[0]);
    for (int b = 0; b < 2; ++b) {
      const Rows rows(normed.image(b).data, in.image(b).count, 24);
      expectImage(out, b, test::blockReference(rows, weights, 0, test::mapOf(map, b)).view(),
                  test::kVitNetwork);
    }
  }
}

MPM_ON_EACH_DEVICE(RunnerBlock);

// One sentence each: what was wrong, and what would be right.
class RunnerRefusal : public test::RunnerTest {
 protected:
  std::string refused(const Made& made, const Blobs& inputs) {
    return test::refusal(*runner_, made, inputs);
  }

  HostBlob tokens_ = test::normalBlob({2, 6, 8}, 271);
  test::RandomNetwork network_{272};
};

TEST_P(RunnerRefusal, Precision) {
  Made made("mpm.Normalize");
  EXPECT_EQ(refused(made.word("precision", "fp16"), {}),
            "mpm.Normalize 'test': precision = fp16; expected fp32, tf32 or bf16");
  EXPECT_FALSE(runner_->hasPrecision("fp16"));
  EXPECT_TRUE(runner_->hasPrecision("fp32"));
  if (runner_->hasPrecision("tf32")) return;
  EXPECT_EQ(refused(made.word("precision", "tf32"), {}),
            "mpm.Normalize 'test': precision = tf32, which " + runner_->deviceName() +
                " does not compute in; expected fp32, which every device does");
}

TEST_P(RunnerRefusal, Settings) {
  EXPECT_EQ(refused(Made("mpm.Linear"), {}),
            "mpm.Linear 'test': has no constant weight, which it needs");
  const vit::BlockWeights weights = network_.block(8, 2, vit::Gelu::erf);
  EXPECT_EQ(refused(test::madeBlock(weights, "fp32").word("gelu", "relu"), {}),
            "mpm.TransformerBlock 'test': gelu = relu; expected erf, tanh or quick");
  EXPECT_EQ(refused(test::madeBlock(weights, "fp32").number("heads", {3}), {}),
            "mpm.TransformerBlock 'test', input qkv_weight: has 24 rows; expected q, k and v for 3 "
            "heads, a multiple of 9");
}

TEST_P(RunnerRefusal, Shapes) {
  Made linear("mpm.Linear");
  linear.linear("", network_.linear(5, 3));
  EXPECT_EQ(refused(linear, {{"tokens", tokens_.blob()}}),
            "mpm.Linear 'test', input tokens: is [2 x 6 x 8]; expected 5 features");
  EXPECT_EQ(refused(Made("mpm.Normalize"), {}),
            "mpm.Normalize 'test': has no input tokens, which "
            "it needs");
  EXPECT_EQ(refused(Made("mpm.MeanRows"), {{"tokens", {{2, 6, 8}, nullptr, nullptr}}}),
            "mpm.MeanRows 'test', input tokens: lies neither on the host nor on the device; "
            "expected one");
}

TEST_P(RunnerRefusal, ValuesOfTheHost) {
  HostBlob rows({2, 1}, {6, 7});
  EXPECT_EQ(refused(Made("mpm.Normalize"), {{"tokens", tokens_.blob()}, {"rows", rows.blob()}}),
            "mpm.Normalize 'test', input rows: value 7 at 1; expected a whole number from 0 to 6, "
            "the special rows to all rows");
  HostBlob map({2, 6}), live({2, 1}, {6, 3});
  map.values[8] = 3;
  EXPECT_EQ(refused(Made("mpm.MergeRestore"),
                    {{"tokens", tokens_.blob()}, {"rows", live.blob()}, {"map", map.blob()}}),
            "mpm.MergeRestore 'test', input map: value 3 at 8; expected a whole number from 0 to "
            "2, the live image rows");
}

TEST_P(RunnerRefusal, KindsOfDeviceBlobs) {
  const auto out = forward(Made("mpm.MutualPairMerge"), {{"tokens", tokens_.blob()}},
                           {{2, 6, 8}, {2, 1}, {2, 6}});
  EXPECT_EQ(refused(Made("mpm.Normalize"), {{"tokens", {{2, 6, 8}, nullptr, out[2].device}}}),
            "mpm.Normalize 'test', input tokens: is a map on the device; expected tokens");
  EXPECT_EQ(runner_->layer(Made("mpm.Upsample").params()), nullptr);
  HostBlob wrong({2, 5, 8});
  RunnerBlob blob = out[0];
  blob.shape = wrong.shape, blob.host = wrong.values.data();
  try {
    runner_->download(blob);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "a blob [2 x 5 x 8] to be copied to the host is [2 x 6 x 8] on the "
                 "device; expected the same shape");
  }
}

MPM_ON_EACH_DEVICE(RunnerRefusal);

}  // namespace

namespace torch_runner {
namespace {

// Multiplicities as two more features of q and k, against logarithms added to logits; bounds as
// docs/algorithm.md derives them.
constexpr std::int64_t kDim = 64, kHeads = 2;

struct Case {
  at::Tensor rows, logWeights, folded, direct;
  double largestValue = 0;  ///< of v
};

// Two images of 50 and 31 rows, with weights up to 4096.
Case attendBoth(at::ScalarType type, double scale) {
  at::manual_seed(251);
  const LayoutPtr layout = packedLayout(at::tensor({50, 31}, at::kInt), 81, 60);
  const auto folding = processorDevice(true), plain = processorDevice(false);
  const Linear qkv(at::randn({3 * kDim, kDim}) / 8, at::randn({3 * kDim}) / 8);
  const Linear typed(qkv.weight.to(type), qkv.bias.to(type));
  Case out;
  out.rows = at::randn({81, kDim}).to(type);
  out.logWeights = at::randint(1, 4097, {81}).to(at::kFloat).log();
  layout->keyWeights.log = out.logWeights;
  out.largestValue = typed(out.rows).narrow(1, 2 * kDim, kDim).abs().max().item<double>();
  const auto run = [&](const Device& device) {
    const Heads heads(kHeads, kDim / kHeads, /*weighted=*/true, device);
    const at::Tensor all =
        attend(padQkv(typed, heads)(out.rows), heads, scale, *layout, &layout->keyWeights, device);
    return all.view({81, kHeads, heads.padded})
        .narrow(2, 0, kDim / kHeads)
        .reshape({81, kDim})
        .to(at::kFloat);
  };
  out.folded = run(*folding);
  out.direct = run(*plain);
  return out;
}

TEST(FoldedWeights, GiveWhatLogarithmsAddedToLogitsGive) {
  for (const double scale : {1 / std::sqrt(32.0), 1.0, 0.02}) {
    SCOPED_TRACE(testing::Message() << "scale " << scale << ", seed 251");
    const Case fp32 = attendBoth(at::kFloat, scale), bf16 = attendBoth(at::kBFloat16, scale);
    EXPECT_LT((fp32.folded - fp32.direct).abs().max().item<double>(), test::kVitOperation);
    const at::Tensor difference = (bf16.folded - bf16.direct).abs();
    // Weights that are off by log(4096) 2^-17 move a mean of values by twice that of the largest
    // one, and few results to the next bfloat16, which is 2^-7 away.
    const double moved = 2 * 6.4e-5 * bf16.largestValue;
    EXPECT_TRUE(difference.le(bf16.direct.abs() / 128 + moved).all().item<bool>())
        << difference.max().item<double>();
    EXPECT_LT(difference.gt(0).to(at::kDouble).mean().item<double>(), 0.1);
  }
}

TEST(FoldedWeights, FeaturesAreExactTo2ToTheMinus17) {
  const at::Tensor logs = at::arange(1, 16385, at::kFloat).log();
  for (const double scale : {0.125, 0.07, 1.0}) {
    const at::Tensor features = weightFeatures(logs, scale, at::kBFloat16).to(at::kDouble);
    ASSERT_EQ(features.sizes(), at::IntArrayRef({16384, 1, 2}));
    const at::Tensor error = (features.sum({1, 2}) * scale - logs.to(at::kDouble)).abs();
    EXPECT_TRUE(error.le(logs * std::pow(2, -17) * 1.01 + 1e-12).all().item<bool>())
        << "scale " << scale << ": " << error.max().item<double>();
  }
}

}  // namespace
}  // namespace torch_runner
}  // namespace mpm
