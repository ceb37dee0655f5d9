// SPDX-License-Identifier: Apache-2.0
// A merge alone waits for the GPU, once: PyTorch throws where anything else would.
#include <c10/cuda/CUDAFunctions.h>
#include <gtest/gtest.h>

#include "torch/runner_calls.h"
#include "vit/random_network.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;

constexpr int kBatch = 2, kRows = 65, kDim = 24;

class NoWaiting {
 public:
  NoWaiting() { c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR); }
  ~NoWaiting() {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  }
};

class RunnerWaits : public test::RunnerTest {};

TEST_P(RunnerWaits, ForMergesAndDownloadsAlone) {
  test::RandomNetwork network(291);
  const vit::BlockWeights weights = network.block(kDim, 3, vit::Gelu::erf);
  const ConstRows classes = network.matrix(4, kDim, 0, 1);
  for (const char* const precision : {"fp32", "tf32", "bf16"}) {
    if (!runner_->hasPrecision(precision)) continue;
    SCOPED_TRACE(precision);
    const auto block = layer(test::madeBlock(weights, precision));
    const auto merge = layer(Made("mpm.MutualPairMerge").number("special", {1}));
    const auto replace = layer(Made("mpm.ReplaceSpecial")
                                   .number("special", {1})
                                   .constant("special_rows", {4, kDim}, classes.data));
    const auto mean = layer(Made("mpm.MeanRows"));
    const auto restore = layer(Made("mpm.MergeRestore"));
    HostBlob tokens = test::normalBlob({kBatch, kRows, kDim}, 292);
    const std::vector<std::vector<int>> shapes = {tokens.shape, {kBatch, 1}, {kBatch, kRows - 1}};
    std::vector<RunnerBlob> merged = forward(*merge, {{"tokens", tokens.blob()}}, shapes);
    const auto inputs = [&] {
      return Blobs{{"tokens", merged[0]}, {"rows", merged[1]}, {"map", merged[2]}};
    };
    merged = forward(*merge, inputs(), shapes);
    const auto run = [&] {
      merged[0] = forward(*block, inputs(), {tokens.shape})[0];
      forward(*mean, inputs(), {{kBatch, kDim}});
      forward(*replace, {{"tokens", merged[0]}, {"rows", merged[1]}},
              {{kBatch, kRows + 3, kDim}, {kBatch, 1}});
      return forward(*restore, {{"tokens", merged[0]}, {"map", merged[2]}}, {tokens.shape})[0];
    };
    download(run());  // what is set up once may wait
    RunnerBlob last;
    {
      const NoWaiting guard;
      last = run();
    }
    download(last);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RunnerWaits, testing::Values("cuda"), test::deviceTestName);

}  // namespace
}  // namespace mpm
