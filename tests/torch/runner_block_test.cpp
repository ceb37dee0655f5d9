// SPDX-License-Identifier: Apache-2.0
// mpm.TransformerBlock on ragged batches, its keys with weights and without.
#include <gtest/gtest.h>

#include "tolerances.h"
#include "torch/runner_blocks.h"
#include "torch/runner_calls.h"
#include "vit/random_network.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;
using test::OwnedRows;
using test::RaggedTokens;

constexpr int kCapacity = 40;

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
    RaggedTokens in(live, kCapacity, size.dim, 221);
    Blobs inputs = in.inputs();
    HostBlob map;
    if (mapped) {
      std::vector<int> image;
      for (const int rows : live) image.push_back(rows - special);
      map = test::drawnMap(image, kCapacity - special, 222);
      inputs["map"] = map.blob();
    }
    const Made made = test::madeBlock(weights, precision);
    HostBlob out = download(forward(made, inputs, {{3, kCapacity, size.dim}})[0]);
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

}  // namespace
}  // namespace mpm
