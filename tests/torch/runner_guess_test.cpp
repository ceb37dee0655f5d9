// SPDX-License-Identifier: Apache-2.0
// What a wrong guess of a merge's rows does: one chain of layers, pictures that merge well and
// others that do not.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpm/merge.h"
#include "tolerances.h"
#include "torch/runner_calls.h"
#include "vit/random_network.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;
using test::OwnedRows;

// Rows that pair all are half as many behind a merge, plus a sixteenth: 1280. Noise leaves more.
constexpr int kRows = 2048, kDim = 16;

/// Every row has one that is just as it is, and otherwise noise.
HostBlob pairedRows(std::uint32_t seed) {
  HostBlob tokens = test::normalBlob({1, kRows, kDim}, seed);
  const Rows rows = tokens.image(0);
  for (std::size_t i = 1; i < rows.count; i += 2) std::copy_n(rows.row(i - 1), kDim, rows.row(i));
  return tokens;
}

class RunnerGuess : public test::RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    if (runner_ == nullptr) return;
    weights_ = network_.linear(kDim, 8);
    linear_ = layer(Made("mpm.Linear").linear("", weights_));
    merges_.push_back(layer(Made("mpm.MutualPairMerge")));
    merges_.push_back(layer(Made("mpm.MutualPairMerge")));
    restore_ = layer(Made("mpm.MergeRestore"));
  }

  /// Two merges, a linear layer, restored; and the rows.
  std::vector<RunnerBlob> run(HostBlob& tokens) {
    const std::vector<std::vector<int>> shapes = {{1, kRows, kDim}, {1, 1}, {1, kRows}};
    std::vector<RunnerBlob> out = forward(*merges_[0], {{"tokens", tokens.blob()}}, shapes);
    const auto inputs = [&] {
      return Blobs{{"tokens", out[0]}, {"rows", out[1]}, {"map", out[2]}};
    };
    out = forward(*merges_[1], inputs(), shapes);
    const RunnerBlob projected =
        forward(*linear_, {{"tokens", out[0]}, {"rows", out[1]}}, {{1, kRows, 8}})[0];
    const RunnerBlob restored =
        forward(*restore_, {{"tokens", projected}, {"map", out[2]}}, {{1, kRows, 8}})[0];
    return {restored, out[1]};
  }

  bool isRight(const RunnerBlob& blob) {
    HostBlob host(blob.shape);
    RunnerBlob both = blob;
    both.host = host.values.data();
    return runner_->download(both);
  }

  void expectRight(const std::vector<RunnerBlob>& out, HostBlob& tokens) {
    std::vector<std::int32_t> map(kRows);
    identityMap(map.data(), map.size());
    OwnedRows rows(kRows, kDim);
    rows.data = tokens.values;
    for (int merge = 0; merge < 2; ++merge) {
      OwnedRows merged(rows.count, kDim);
      PairMerger merger;
      merged.count = merger.merge(rows.view(), {}, map.data(), map.size(), merged.view());
      rows = merged;
    }
    OwnedRows projected(rows.count, 8), full(kRows, 8);
    vit::linearReference(rows.view(), weights_, projected.view());
    restore(projected.view(), map.data(), full.view());
    HostBlob scores = download(out[0]);
    expectImage(scores, 0, full.view(), test::kVitNetwork);
    EXPECT_EQ(download(out[1]).values[0], static_cast<float>(rows.count));
  }

  test::RandomNetwork network_{241};
  vit::LinearWeights weights_;
  std::unique_ptr<RunnerLayer> linear_, restore_;
  std::vector<std::unique_ptr<RunnerLayer>> merges_;
};

TEST_P(RunnerGuess, IsMendedByOneMoreRun) {
  HostBlob well = pairedRows(242), badly = test::normalBlob({1, kRows, kDim}, 243);
  for (int frame = 0; frame < 3; ++frame) expectRight(run(well), well);

  const std::vector<RunnerBlob> wrong = run(badly);
  const std::vector<RunnerBlob> alsoWrong = run(badly);  // begun before anybody looked
  EXPECT_FALSE(isRight(wrong[0])) << "the guess was not too low, so nothing is tested here";
  expectRight(run(badly), badly);
  EXPECT_FALSE(isRight(wrong[1])) << "rows stand on the same guess";
  EXPECT_FALSE(isRight(alsoWrong[0]));
  expectRight(run(badly), badly);
  expectRight(run(badly), badly);
  expectRight(run(well), well);
}

TEST_P(RunnerGuess, OfAnotherBatchSaysNothing) {
  HostBlob well = pairedRows(244);
  for (int frame = 0; frame < 2; ++frame) EXPECT_TRUE(isRight(run(well)[0]));
  HostBlob two = test::normalBlob({2, kRows, kDim}, 245);
  const auto out = forward(*merges_[0], {{"tokens", two.blob()}}, {two.shape, {2, 1}, {2, kRows}});
  EXPECT_TRUE(isRight(out[0]));
}

MPM_ON_EACH_DEVICE(RunnerGuess);

}  // namespace
}  // namespace mpm
