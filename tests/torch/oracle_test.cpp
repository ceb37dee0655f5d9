// SPDX-License-Identifier: Apache-2.0
// The merge: the oracle, the reference and the CPU path are three implementations of one algorithm.
// The network's arithmetic: its references against LibTorch.
#include "torch/oracle.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "merge/merger.h"
#include "mpm/merge.h"
#include "tolerances.h"
#include "vit/late_restore.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm {
namespace {

constexpr int kTokenCounts[] = {1, 2, 3, 15, 16, 17, 196, 197, 1024, 1025};

// Between the best two similarities of a row; far above what float32 leaves of a similarity.
constexpr double kClear = 1e-6;
constexpr double kMeanTolerance = 1e-6;  // of a merged row's length

struct Result {
  at::Tensor merged, map;  // float32 [N', D], int64 [N]
};

ConstRows rowsOf(const at::Tensor& tokens) {
  return {tokens.data_ptr<float>(), static_cast<std::size_t>(tokens.size(0)),
          static_cast<std::size_t>(tokens.size(1))};
}

Rows writableRowsOf(const at::Tensor& tokens) {
  return {tokens.data_ptr<float>(), static_cast<std::size_t>(tokens.size(0)),
          static_cast<std::size_t>(tokens.size(1))};
}

at::Tensor integers(const std::vector<std::int32_t>& values) {
  return at::tensor(at::ArrayRef<std::int32_t>(values)).to(at::kLong);
}

struct ReferenceResult : Result {
  bool clear = true;  // no row has two best ones
};

ReferenceResult reference(const at::Tensor& tokens) {
  merge::MergeScratch scratch;
  const at::Tensor merged = at::empty_like(tokens);
  const std::size_t count =
      merge::mergePairsReference(rowsOf(tokens), scratch, writableRowsOf(merged));
  ReferenceResult result;
  result.merged = merged.narrow(0, 0, static_cast<std::int64_t>(count));
  result.map = integers(scratch.clusterOf);
  for (const merge::ReferenceMatch& match : scratch.referenceMatches) {
    const bool only = match.row == merge::kNoMatch;
    result.clear = result.clear && (only || match.similarity - match.runnerUp > kClear);
  }
  return result;
}

Result cpu(const at::Tensor& tokens) {
  PairMerger merger;
  std::vector<std::int32_t> map(static_cast<std::size_t>(tokens.size(0)));
  identityMap(map.data(), map.size());
  const at::Tensor merged = at::empty_like(tokens);
  const std::size_t count =
      merger.merge(rowsOf(tokens), {}, map.data(), map.size(), writableRowsOf(merged));
  return {merged.narrow(0, 0, static_cast<std::int64_t>(count)), integers(map)};
}

void expectSame(const OracleMerge& oracle, const Result& result, double tolerance) {
  ASSERT_TRUE(oracle.map.equal(result.map));
  ASSERT_EQ(oracle.merged.sizes(), result.merged.sizes());
  const at::Tensor wanted = oracle.merged.to(at::kDouble);
  const at::Tensor apart = (result.merged.to(at::kDouble) - wanted).norm(2, 1);
  const at::Tensor allowed = wanted.norm(2, 1) * tolerance;
  EXPECT_TRUE(apart.le(allowed).all().item<bool>())
      << "largest distance of a row: " << apart.max().item<double>();
}

at::Tensor gaussian(std::int64_t rows, std::int64_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const at::Tensor tokens = at::empty({rows, dim});
  float* const values = tokens.data_ptr<float>();
  for (std::int64_t i = 0; i < tokens.numel(); ++i) values[i] = normal(random);
  return tokens;
}

/// Few seeds have a row that cannot tell its best two apart. Returns how many of the seeds 1 to
/// `seeds` have none: those were compared.
int compareOnNoise(int count, int dim, int seeds) {
  int compared = 0;
  for (int number = 1; number <= seeds; ++number) {
    const auto seed = static_cast<unsigned>(number);
    SCOPED_TRACE(testing::Message() << count << " tokens, dim " << dim << ", seed " << seed);
    const at::Tensor tokens = gaussian(count, dim, seed);
    const ReferenceResult expected = reference(tokens);
    if (!expected.clear) continue;
    const OracleMerge oracle = oracleMerge(tokens.to(at::kDouble));
    expectSame(oracle, expected, kMeanTolerance);
    expectSame(oracle, cpu(tokens), kMeanTolerance);
    ++compared;
  }
  return compared;
}

TEST(Oracle, AgreesOnNoise) {
  for (const int count : kTokenCounts) {
    for (const int dim : {16, 64, 192}) {
      EXPECT_GE(compareOnNoise(count, dim, 10), 9) << count << " tokens, dim " << dim;
    }
  }
}

// Rows of +1 and -1 in 4^k dimensions: unit rows and similarities are exact in float32, so a
// tie is a tie in every implementation. In 1 or 4 dimensions nearly every match is one.
TEST(Oracle, AgreesOnExactTies) {
  for (const int count : kTokenCounts) {
    for (const int dim : {1, 4, 16, 64, 256}) {
      const unsigned seed = 7;
      SCOPED_TRACE(testing::Message() << count << " tokens, dim " << dim << ", seed " << seed);
      const at::Tensor tokens = gaussian(count, dim, seed).sign();
      const OracleMerge oracle = oracleMerge(tokens.to(at::kDouble));
      const OracleMerge oracle32 = oracleMerge(tokens);
      expectSame(oracle, {oracle32.merged, oracle32.map}, 0);
      expectSame(oracle, reference(tokens), 0);
      expectSame(oracle, cpu(tokens), 0);
    }
  }
}

TEST(Oracle, AgreesOnEqualRowsAndZeroRows) {
  for (const int count : kTokenCounts) {
    for (const double value : {1.0, 0.0}) {
      SCOPED_TRACE(testing::Message() << count << " tokens, all " << value);
      const at::Tensor tokens = at::full({count, 16}, value, at::kFloat);
      const OracleMerge oracle = oracleMerge(tokens.to(at::kDouble));
      expectSame(oracle, reference(tokens), 0);
      expectSame(oracle, cpu(tokens), 0);
    }
  }
}

}  // namespace

namespace vit {
namespace {

// The references of the network's arithmetic against LibTorch in float64. What the processor
// computes is compared with them in tests/vit.
using test::OwnedRows;

at::Tensor tensor(ConstRows rows) {
  const at::Tensor view =
      at::from_blob(const_cast<float*>(rows.data),
                    {static_cast<std::int64_t>(rows.count), static_cast<std::int64_t>(rows.dim)},
                    {static_cast<std::int64_t>(rows.stride), 1}, at::kFloat);
  return view.to(at::kDouble);
}

/// Undefined for null: LibTorch's word for "none".
at::Tensor tensor(const float* data, std::size_t dim) {
  return data == nullptr ? at::Tensor() : tensor(ConstRows(data, 1, dim)).squeeze(0);
}

void expectNear(const OwnedRows& actual, const at::Tensor& expected, double tolerance) {
  const at::Tensor values = tensor(actual.view());
  ASSERT_EQ(values.sizes(), expected.sizes());
  const at::Tensor allowed = expected.abs().clamp_min(1) * tolerance;
  EXPECT_TRUE((values - expected).abs().le(allowed).all().item<bool>())
      << "largest error: " << (values - expected).abs().max().item<double>();
}

at::Tensor torchNorm(const at::Tensor& x, const NormWeights& weights) {
  const std::int64_t dim = x.size(-1);
  const auto size = static_cast<std::size_t>(dim);
  return at::layer_norm(x, {dim}, tensor(weights.scale, size), tensor(weights.shift, size),
                        weights.eps);
}

at::Tensor torchLinear(const at::Tensor& x, const LinearWeights& weights) {
  const at::Tensor bias = tensor(weights.bias, weights.weight.count);
  const at::Tensor product = at::matmul(x, tensor(weights.weight).t());
  return bias.defined() ? product + bias : product;
}

at::Tensor torchGelu(const at::Tensor& x, Gelu kind) {
  if (kind == Gelu::quick) return x * at::sigmoid(1.702 * x);
  return at::gelu(x, kind == Gelu::tanh ? "tanh" : "none");
}

/// q, k, v [n x H d]
at::Tensor torchAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const Attention& attention) {
  const auto heads = static_cast<std::int64_t>(attention.heads);
  const auto byHead = [&](const at::Tensor& x) {
    return x.reshape({x.size(0), heads, x.size(1) / heads}).transpose(0, 1);
  };
  at::Tensor logits = at::matmul(byHead(q), byHead(k).transpose(1, 2)) * attention.scale;
  if (attention.keyWeights != nullptr) {
    logits = logits + tensor(attention.keyWeights, static_cast<std::size_t>(k.size(0)));
  }
  return at::matmul(at::softmax(logits, -1), byHead(v)).transpose(0, 1).reshape(q.sizes());
}

at::Tensor torchBlock(at::Tensor x, const BlockWeights& weights, const float* keyWeights) {
  const auto dim = static_cast<std::size_t>(x.size(1));
  const auto scaled = [&](const at::Tensor& branch, const float* layerScale) {
    return layerScale != nullptr ? branch * tensor(layerScale, dim) : branch;
  };
  const auto qkv = torchLinear(torchNorm(x, weights.norm1), weights.qkv).chunk(3, 1);
  const Attention attention{weights.heads, weights.scale, keyWeights};
  x = x + scaled(torchLinear(torchAttention(qkv[0], qkv[1], qkv[2], attention), weights.proj),
                 weights.layerScale1);
  const at::Tensor hidden = torchLinear(torchNorm(x, weights.norm2), weights.fc1);
  return x + scaled(torchLinear(torchGelu(hidden, weights.gelu), weights.fc2), weights.layerScale2);
}

/// [special; conv2d with stride P, flattened, + position]
at::Tensor torchPatchEmbed(const Image& image, const PatchEmbedWeights& weights) {
  const auto channels = static_cast<std::int64_t>(image.channels);
  const auto patch = static_cast<std::int64_t>(weights.patch);
  const LinearWeights& projection = weights.projection;
  const at::Tensor pixels =
      tensor({image.data, image.channels * image.height, image.width})
          .reshape({1, channels, static_cast<std::int64_t>(image.height), -1});
  const at::Tensor kernels = tensor(projection.weight).reshape({-1, channels, patch, patch});
  const at::Tensor grid =
      at::conv2d(pixels, kernels, tensor(projection.bias, projection.weight.count), {patch, patch});
  const at::Tensor rows = grid.flatten(2).squeeze(0).t() + tensor(weights.position);
  return at::cat({tensor(weights.special), rows});
}

at::Tensor torchMaskHead(const at::Tensor& x, const at::Tensor& c, const MaskHeadWeights& weights) {
  const at::Tensor patches = at::matmul(x, tensor(weights.projPatch));
  const at::Tensor classes = at::matmul(c, tensor(weights.projClasses));
  const at::Tensor masks = at::matmul(patches / patches.norm(2, -1, /*keepdim=*/true),
                                      (classes / classes.norm(2, -1, /*keepdim=*/true)).t());
  return torchNorm(masks, weights.norm);
}

/// What a reference makes of `rows`, in place or not.
void expectReference(OwnedRows rows, const at::Tensor& expected,
                     const std::function<void(Rows out)>& reference) {
  reference(rows.view());
  expectNear(rows, expected, test::kVitReference);
}

constexpr std::size_t kRowCounts[] = {1, 2, 17, 197};

TEST(VitOracle, RowsByThemselves) {
  for (const std::size_t rows : kRowCounts) {
    SCOPED_TRACE(rows);
    test::RandomNetwork network(121);
    const OwnedRows x = test::normalRows(rows, 24, 122), c = test::normalRows(19, 24, 135);
    for (const NormWeights& weights : {network.norm(24), NormWeights{}}) {
      expectReference(OwnedRows(rows, 24), torchNorm(tensor(x.view()), weights),
                      [&](Rows out) { normalizeReference(x.view(), weights, out); });
    }
    LinearWeights linear = network.linear(24, 40);
    for (const float* bias : {linear.bias, static_cast<const float*>(nullptr)}) {
      linear.bias = bias;
      expectReference(OwnedRows(rows, 40), torchLinear(tensor(x.view()), linear),
                      [&](Rows out) { linearReference(x.view(), linear, out); });
    }
    const MaskHeadWeights head = network.maskHead(24, 19);
    expectReference(OwnedRows(rows, 19), torchMaskHead(tensor(x.view()), tensor(c.view()), head),
                    [&](Rows out) { maskHeadReference(x.view(), c.view(), head, out); });
  }
}

TEST(VitOracle, Gelu) {
  OwnedRows x = test::normalRows(50, 24, 125);
  for (float& value : x.data) value *= 4;
  for (const Gelu kind : kGelus) {
    OwnedRows out = x;
    geluReference(kind, out.view());
    expectNear(out, torchGelu(tensor(x.view()), kind), test::kVitGelu);
  }
}

TEST(VitOracle, Attention) {
  for (const std::size_t rows : kRowCounts) {
    for (const std::size_t heads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, heads " << heads);
      test::RandomNetwork network(126);
      const OwnedRows q = test::normalRows(rows, 24, 127), k = test::normalRows(rows + 5, 24, 128);
      const OwnedRows v = test::normalRows(rows + 5, 24, 129);
      for (const float* weights :
           {static_cast<const float*>(nullptr), network.vector(rows + 5, 0, 2)}) {
        const Attention attention{heads, 0.4F, weights};
        expectReference(
            OwnedRows(rows, 24),
            torchAttention(tensor(q.view()), tensor(k.view()), tensor(v.view()), attention),
            [&](Rows out) { attentionReference(q.view(), k.view(), v.view(), attention, out); });
      }
    }
  }
}

TEST(VitOracle, TransformerBlock) {
  for (const std::size_t rows : kRowCounts) {
    for (const Gelu kind : kGelus) {
      for (const bool bare : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << rows << " rows, gelu " << static_cast<int>(kind) << (bare ? ", bare" : ""));
        test::RandomNetwork network(130);
        const BlockWeights weights = network.block(48, 3, kind, bare);
        const float* keyWeights = bare ? nullptr : network.vector(rows, 0, 1);
        const OwnedRows x = test::normalRows(rows, 48, 131);
        expectReference(x, torchBlock(tensor(x.view()), weights, keyWeights),
                        [&](Rows out) { transformerBlockReference(out, weights, keyWeights); });
      }
    }
  }
}

TEST(VitOracle, PatchEmbed) {
  test::RandomNetwork network(132);
  const ConstRows pixels = network.matrix(3 * 35, 50, 0, 1);  // not whole patches
  const Image image{pixels.data, 3, 35, 50};
  PatchEmbedWeights weights;
  weights.patch = 8;
  weights.projection = network.linear(3 * 64, 24);
  weights.position = network.matrix(4 * 6, 24, 0, 1);
  weights.special = network.matrix(2, 24, 0, 1);
  expectReference(OwnedRows(2 + 4 * 6, 24), torchPatchEmbed(image, weights),
                  [&](Rows out) { patchEmbedReference(image, weights, out); });
}

TEST(VitOracle, MeanRows) {
  for (const std::size_t rows : kRowCounts) {
    SCOPED_TRACE(rows);
    const OwnedRows x = test::normalRows(rows, 300, 136);
    std::vector<std::int32_t> counts(rows);
    for (std::size_t i = 0; i < rows; ++i) counts[i] = static_cast<std::int32_t>(1 + i * i % 7);
    const at::Tensor times = at::tensor(counts, at::kLong);
    OwnedRows out(1, 300);
    meanRows(x.view(), counts.data(), out.row(0));
    expectNear(out, at::repeat_interleave(tensor(x.view()), times, 0).mean(0, /*keepdim=*/true),
               test::kVitReference);
    meanRows(x.view(), nullptr, out.row(0));
    expectNear(out, tensor(x.view()).mean(0, /*keepdim=*/true), test::kVitReference);
  }
}

}  // namespace
}  // namespace vit
}  // namespace mpm
