// SPDX-License-Identifier: Apache-2.0
// libmpm_torch as a C++ program meets it.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "mpm/merge.h"
#include "torch/operator_calls.h"

namespace mpm {
namespace {

constexpr std::int64_t kBatch = 3, kSpecial = 2, kSide = 9, kImage = kSide * kSide, kDim = 24;
constexpr unsigned kSeed = 11;

at::Tensor gaussian(at::IntArrayRef sizes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const at::Tensor tensor = at::empty(sizes);
  float* const values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = normal(random);
  return tensor;
}

at::Tensor batchOfTokens() { return gaussian({kBatch, kSpecial + kImage, kDim}, kSeed); }

Merged mergeTokens(const at::Tensor& tokens) {
  MergeCall call;
  call.tokens = tokens;
  call.special = kSpecial;
  return callMergePairs(call);
}

MergeCall next(const Merged& merged) {
  MergeCall call;
  call.tokens = merged.tokens;
  call.rows = merged.rows;
  call.map = merged.map;
  call.special = kSpecial;
  return call;
}

std::int64_t liveRows(const Merged& merged, std::int64_t image) {
  return merged.rows[image].item<std::int64_t>();
}

void expectSame(const Merged& a, const Merged& b) {
  EXPECT_TRUE(a.tokens.equal(b.tokens));
  EXPECT_TRUE(a.rows.equal(b.rows));
  EXPECT_TRUE(a.map.equal(b.map));
}

// One image [S+N, D] by the C++ interface, with the operator's conventions around it.
Merged expectedImage(const at::Tensor& tokens, const MergeOptions& options) {
  PairMerger merger;
  std::vector<std::int32_t> map(kImage);
  identityMap(map.data(), map.size());
  const at::Tensor merged = at::zeros_like(tokens);
  merged.narrow(0, 0, kSpecial).copy_(tokens.narrow(0, 0, kSpecial));
  const at::Tensor image = tokens.narrow(0, kSpecial, kImage).contiguous();
  const std::size_t count =
      merger.merge({image.data_ptr<float>(), kImage, kDim}, options, map.data(), map.size(),
                   {merged.data_ptr<float>() + kSpecial * kDim, kImage, kDim});
  const auto live = static_cast<std::int64_t>(count) + kSpecial;
  merged.narrow(0, live, merged.size(0) - live).zero_();
  return {merged, at::full({1}, live, at::kLong),
          at::tensor(at::ArrayRef<std::int32_t>(map)).to(at::kLong)};
}

void expectImage(const Merged& batch, std::int64_t image, const Merged& expected) {
  SCOPED_TRACE(testing::Message() << "image " << image << ", seed " << kSeed);
  expectSame({batch.tokens[image], batch.rows.narrow(0, image, 1), batch.map[image]}, expected);
}

TEST(MergePairs, MergesEachImageAsPairMergerDoes) {
  const at::Tensor tokens = batchOfTokens();
  const Merged merged = mergeTokens(tokens);
  for (std::int64_t b = 0; b < kBatch; ++b) {
    EXPECT_LT(liveRows(merged, b), kSpecial + kImage);
    expectImage(merged, b, expectedImage(tokens[b], {}));
  }
}

TEST(MergePairs, ABatchIsItsImages) {
  const at::Tensor tokens = batchOfTokens();
  const Merged batch = callMergePairs(next(mergeTokens(tokens)));
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const Merged alone = callMergePairs(next(mergeTokens(tokens.narrow(0, b, 1))));
    expectImage(batch, b, {alone.tokens[0], alone.rows, alone.map[0]});
  }
}

TEST(MergePairs, ASecondMergeComposesTheMap) {
  const Merged first = mergeTokens(batchOfTokens());
  const Merged both = callMergePairs(next(first));
  for (std::int64_t b = 0; b < kBatch; ++b) {
    SCOPED_TRACE(testing::Message() << "image " << b << ", seed " << kSeed);
    MergeCall call;  // the live rows of the first merge, as if they were an image
    call.tokens = first.tokens.narrow(0, b, 1).narrow(1, 0, liveRows(first, b));
    call.special = kSpecial;
    const Merged second = callMergePairs(call);
    EXPECT_EQ(liveRows(both, b), liveRows(second, 0));
    EXPECT_TRUE(both.map[b].equal(second.map[0].index_select(0, first.map[b])));
  }
}

TEST(MergePairs, ReadsNoRowPastTheLiveOnes) {
  const Merged first = mergeTokens(batchOfTokens());
  Merged poisoned = first;
  poisoned.tokens = first.tokens.clone();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    poisoned.tokens[b].slice(0, liveRows(first, b)).fill_(std::numeric_limits<float>::quiet_NaN());
  }
  expectSame(callMergePairs(next(poisoned)), callMergePairs(next(first)));
}

TEST(MergePairs, TokensMayBeCutToTheLiveRows) {
  const Merged first = mergeTokens(batchOfTokens());
  Merged cut = first;
  const std::int64_t longest = first.rows.max().item<std::int64_t>();
  cut.tokens = first.tokens.slice(1, 0, longest);  // not contiguous
  Merged expected = callMergePairs(next(first));
  expected.tokens = expected.tokens.slice(1, 0, longest);
  expectSame(callMergePairs(next(cut)), expected);
}

TEST(MergePairs, KeepsToTheWindowAndTheRegions) {
  MergeCall call;
  call.tokens = batchOfTokens();
  call.special = kSpecial;
  call.window = 2;
  call.grid = {kSide, kSide};
  const at::Tensor labels = at::arange(kImage, at::kLong).remainder(3).neg();
  call.regions = labels.unsqueeze(0);
  const Merged merged = callMergePairs(call);

  const at::Tensor labels32 = labels.to(at::kInt);
  const MergeOptions options{2, kSide, kSide, labels32.data_ptr<std::int32_t>()};
  for (std::int64_t b = 0; b < kBatch; ++b) {
    expectImage(merged, b, expectedImage(call.tokens[b], options));
  }
  call.regions = labels.repeat({kBatch, 1});
  expectSame(callMergePairs(call), merged);
}

TEST(MergePairs, AnEmptyBatchStaysEmpty) {
  const Merged merged = mergeTokens(batchOfTokens().narrow(0, 0, 0));
  EXPECT_EQ(merged.tokens.sizes(), at::IntArrayRef({0, kSpecial + kImage, kDim}));
  EXPECT_EQ(merged.rows.sizes(), at::IntArrayRef({0}));
  EXPECT_EQ(merged.map.sizes(), at::IntArrayRef({0, kImage}));
}

TEST(Restore, GivesEachTokenItsLiveRow) {
  const at::Tensor tokens = batchOfTokens();
  const Merged merged = callMergePairs(next(mergeTokens(tokens)));
  const std::int64_t longest = merged.rows.max().item<std::int64_t>();
  const at::Tensor restored = callRestore(merged.tokens.slice(1, 0, longest), merged.map, kSpecial);
  ASSERT_EQ(restored.sizes(), tokens.sizes());
  EXPECT_TRUE(restored.equal(callRestore(merged.tokens, merged.map, kSpecial)));
  for (std::int64_t b = 0; b < kBatch; ++b) {
    SCOPED_TRACE(testing::Message() << "image " << b << ", seed " << kSeed);
    EXPECT_TRUE(restored[b].narrow(0, 0, kSpecial).equal(tokens[b].narrow(0, 0, kSpecial)));
    const at::Tensor image = merged.tokens[b].slice(0, kSpecial);
    EXPECT_TRUE(restored[b].slice(0, kSpecial).equal(image.index_select(0, merged.map[b])));
  }
}

TEST(Meta, ShapesNeedNoValues) {
  MergeCall call = next(mergeTokens(batchOfTokens()));
  const Merged real = callMergePairs(call);
  for (at::Tensor* tensor : {&call.tokens, &*call.rows, &*call.map})
    *tensor = tensor->to(at::kMeta);
  const Merged meta = callMergePairs(call);
  EXPECT_EQ(meta.tokens.sizes(), real.tokens.sizes());
  EXPECT_EQ(meta.rows.sizes(), real.rows.sizes());
  EXPECT_EQ(meta.map.sizes(), real.map.sizes());
  EXPECT_EQ(meta.map.scalar_type(), at::kLong);
  EXPECT_TRUE(meta.tokens.is_meta());
  const at::Tensor restored = callRestore(meta.tokens, meta.map, kSpecial);
  EXPECT_EQ(restored.sizes(), call.tokens.sizes());
}

}  // namespace
}  // namespace mpm
