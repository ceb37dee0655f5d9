// SPDX-License-Identifier: Apache-2.0
// Multiplicities as two more features of q and k, against logarithms added to logits; bounds as
// docs/algorithm.md derives them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tolerances.h"
#include "torch/attention.h"

namespace mpm::torch_runner {
namespace {

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
}  // namespace mpm::torch_runner
