// SPDX-License-Identifier: Apache-2.0
// One sentence each: what was wrong, and what would be right.
#include <gtest/gtest.h>

#include <stdexcept>

#include "torch/runner_calls.h"
#include "vit/random_network.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;

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
}  // namespace mpm
