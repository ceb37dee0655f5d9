// SPDX-License-Identifier: Apache-2.0
// libmpm_torch as a C++ program meets it: its operators on the processor and on a GPU, what they
// refuse, and the entry of its runner.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <c10/util/Optional.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "contract/runner.h"
#include "mpm/merge.h"
#include "tolerances.h"

namespace mpm {
namespace {

/// Arguments of mpm::merge_pairs, as their defaults are.
struct MergeCall {
  at::Tensor tokens;
  c10::optional<at::Tensor> rows, map;
  std::int64_t special = 0, window = 0;
  std::vector<std::int64_t> grid;
  c10::optional<at::Tensor> regions;
};

struct Merged {
  at::Tensor tokens, rows, map;
};

/// libmpm_torch, loaded as a program would.
void* library() {
  static void* const loaded = dlopen(MPM_TORCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) throw std::runtime_error(dlerror());
  return loaded;
}

c10::OperatorHandle findOperator(const char* op) {
  library();
  return c10::Dispatcher::singleton().findSchemaOrThrow(op, "");
}

Merged callMergePairs(const MergeCall& call) {
  using MaybeTensor = c10::optional<at::Tensor>;
  using Signature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
      const at::Tensor&, const MaybeTensor&, const MaybeTensor&, std::int64_t, std::int64_t,
      at::IntArrayRef, const MaybeTensor&);
  static const auto op = findOperator("mpm::merge_pairs").typed<Signature>();
  const auto [tokens, rows, map] =
      op.call(call.tokens, call.rows, call.map, call.special, call.window, call.grid, call.regions);
  return {tokens, rows, map};
}

at::Tensor callRestore(const at::Tensor& tokens, const at::Tensor& map, std::int64_t special) {
  using Signature = at::Tensor(const at::Tensor&, const at::Tensor&, std::int64_t);
  static const auto op = findOperator("mpm::restore").typed<Signature>();
  return op.call(tokens, map, special);
}

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

at::Tensor longs(std::vector<std::int64_t> values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

std::string messageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "no c10::Error";
}

// 2 images of 1 special row and a 2 x 2 grid, of which 4 and 3 image rows live.
MergeCall goodMerge() {
  MergeCall call;
  call.tokens = at::ones({2, 5, 8});
  call.rows = longs({5, 4});
  call.map = longs({0, 1, 2, 3, 0, 1, 1, 2}).view({2, 4});
  call.special = 1;
  call.window = 1;
  call.grid = {2, 2};
  call.regions = at::zeros({2, 4}, at::kLong);
  return call;
}

TEST(OperatorErrors, MergePairsSaysWhatWasExpected) {
  ASSERT_NO_THROW(callMergePairs(goodMerge()));
  const auto expectRefused = [](const std::string& part, const auto& spoil) {
    MergeCall call = goodMerge();
    spoil(call);
    const std::string message = messageOf([&] { callMergePairs(call); });
    EXPECT_EQ(message.rfind("mpm::merge_pairs: ", 0), 0U) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nexpected: " << part;
  };
  expectRefused("tokens are [5, 8]; expected 3 dimensions", [](MergeCall& c) {
    c.tokens = at::ones({5, 8});
  });
  expectRefused("tokens are Half; expected Float",
                [](MergeCall& c) { c.tokens = c.tokens.to(at::kHalf); });
  expectRefused("tokens are BFloat16; expected Float",
                [](MergeCall& c) { c.tokens = c.tokens.to(at::kBFloat16); });
  expectRefused("tokens are Double; expected Float",
                [](MergeCall& c) { c.tokens = c.tokens.to(at::kDouble); });
  expectRefused("tokens are [2, 5, 0]; expected at least one feature", [](MergeCall& c) {
    c.tokens = at::ones({2, 5, 0});
  });
  expectRefused("special = 6 of 5 rows; expected 0 or more, and at least one image row",
                [](MergeCall& c) { c.special = 6; });
  expectRefused("special = -1 of 5 rows; expected 0 or more", [](MergeCall& c) { c.special = -1; });
  expectRefused("map has 4 original tokens; expected at least 5",
                [](MergeCall& c) { c.special = 0; });
  expectRefused("rows is [3]; expected [2], the batch of tokens", [](MergeCall& c) {
    c.rows = longs({5, 4, 5});
  });
  expectRefused("rows has type Float; expected Long", [](MergeCall& c) { c.rows = at::ones({2}); });
  expectRefused("rows[1] = 6; expected 1 to 5", [](MergeCall& c) { c.rows = longs({5, 6}); });
  expectRefused("rows[0] = 0; expected 1 to 5", [](MergeCall& c) { c.rows = longs({0, 4}); });
  expectRefused("rows[1] leaves 3 of 4 image rows live; expected all of them, or a map",
                [](MergeCall& c) { c.map.reset(); });
  expectRefused("map is [1, 4]; expected [2, any], the batch and original tokens",
                [](MergeCall& c) { c.map = c.map->narrow(0, 0, 1); });
  expectRefused("map has type Int; expected Long",
                [](MergeCall& c) { c.map = c.map->to(at::kInt); });
  expectRefused("map[1, 2] = 3; expected 0 to 2, the live image rows", [](MergeCall& c) {
    c.map->index_put_({longs({1}), longs({2})}, longs({3}));
  });
  expectRefused("map[0, 0] = -1; expected 0 to 3, the live image rows", [](MergeCall& c) {
    c.map->index_put_({longs({0}), longs({0})}, longs({-1}));
  });
  expectRefused("map[0, 0] = 4294967296; expected 0 to 3", [](MergeCall& c) {
    c.map->index_put_({longs({0}), longs({0})}, longs({4294967296}));
  });
  expectRefused("window = 1 with grid = []; expected grid = [height, width]",
                [](MergeCall& c) { c.grid.clear(); });
  expectRefused("window = -1; expected 0 (no limit)", [](MergeCall& c) { c.window = -1; });
  expectRefused("needs a grid of the 4 original tokens, but the grid is 2 x 3", [](MergeCall& c) {
    c.grid = {2, 3};
  });
  expectRefused("regions is [2, 5]; expected [2, 4] or [1, 4]", [](MergeCall& c) {
    c.regions = at::zeros({2, 5}, at::kLong);
  });
  expectRefused("regions[0, 0] = 1099511627776; expected -2147483648 to 2147483647, a label",
                [](MergeCall& c) {
                  c.regions = at::full({2, 4}, std::int64_t{1} << 40, at::kLong);
                });
}

TEST(OperatorErrors, RestoreSaysWhatWasExpected) {
  const at::Tensor map = longs({0, 1, 2, 2, 0, 1, 1, 0}).view({2, 4}), tokens = at::ones({2, 4, 8});
  ASSERT_NO_THROW(callRestore(tokens, map, 1));
  const auto expectRefused = [](const std::string& part, const at::Tensor& badTokens,
                                const at::Tensor& badMap, std::int64_t special) {
    const std::string message = messageOf([&] { callRestore(badTokens, badMap, special); });
    EXPECT_EQ(message.rfind("mpm::restore: ", 0), 0U) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nexpected: " << part;
  };
  expectRefused("tokens are [4, 8]; expected 3 dimensions", at::ones({4, 8}), map, 1);
  expectRefused("tokens are Double; expected Float", tokens.to(at::kDouble), map, 1);
  expectRefused("expected at least one feature", at::ones({2, 4, 0}), map, 1);
  expectRefused("special = 5 of 4 rows; expected", tokens, map, 5);
  expectRefused("map is [1, 4]; expected [2, any]", tokens, map.narrow(0, 0, 1), 1);
  expectRefused("map has type Float; expected Long", tokens, map.to(at::kFloat), 1);
  expectRefused("map[0, 2] = 3; expected 0 to 2, the image rows of tokens", tokens, map + 1, 1);
}

class OperatorsCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "LibTorch finds no GPU on this machine";
    if (MPM_TORCH_CUDA == 0) GTEST_SKIP() << "libmpm_torch was built without CUDA";
  }
};

MergeCall callOn(const at::Device& device, const MergeCall& call) {
  MergeCall moved = call;
  moved.tokens = call.tokens.to(device);
  for (auto* tensor : {&moved.rows, &moved.map, &moved.regions}) {
    if (tensor->has_value()) *tensor = (*tensor)->to(device);
  }
  return moved;
}

void expectSameOnCuda(const MergeCall& call) {
  const Merged expected = callMergePairs(call);
  const Merged merged = callMergePairs(callOn(at::kCUDA, call));
  EXPECT_TRUE(merged.tokens.is_cuda());
  EXPECT_TRUE(merged.rows.cpu().equal(expected.rows));
  EXPECT_TRUE(merged.map.cpu().equal(expected.map));
  EXPECT_TRUE(merged.tokens.cpu().allclose(expected.tokens, test::kMergedRow, test::kMergedRow));
}

MergeCall callOf(std::int64_t batch) {
  at::manual_seed(281);
  MergeCall call;
  call.tokens = at::randn({batch, kSpecial + kImage, kDim});
  call.special = kSpecial;
  return call;
}

TEST_F(OperatorsCuda, MergeAsOnTheProcessor) {
  for (const std::int64_t batch : {1, 3}) {
    MergeCall call = callOf(batch);
    expectSameOnCuda(call);
    call.window = 2;
    call.grid = {kSide, kSide};
    expectSameOnCuda(call);
    call.regions = at::arange(kImage, at::kLong).remainder(3).unsqueeze(0);
    expectSameOnCuda(call);
    call.regions = call.regions->repeat({batch, 1});
    expectSameOnCuda(call);
  }
}

TEST_F(OperatorsCuda, MergeTwiceAndRestore) {
  const MergeCall call = callOf(3);
  const Merged first = callMergePairs(call);
  MergeCall next = call;
  next.tokens = first.tokens.slice(1, 0, first.rows.max().item<std::int64_t>());
  next.rows = first.rows;
  next.map = first.map;
  expectSameOnCuda(next);
  const Merged second = callMergePairs(callOn(at::kCUDA, next));
  const at::Tensor restored = callRestore(second.tokens, second.map, kSpecial);
  EXPECT_TRUE(restored.cpu().equal(callRestore(second.tokens.cpu(), second.map.cpu(), kSpecial)));
}

TEST_F(OperatorsCuda, TakeBfloat16) {
  const MergeCall call = callOn(at::kCUDA, callOf(2));
  MergeCall rounded = call;
  rounded.tokens = call.tokens.to(at::kBFloat16);
  const Merged merged = callMergePairs(rounded);
  EXPECT_EQ(merged.tokens.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(merged.rows.lt(kSpecial + kImage).all().item<bool>());
  const at::Tensor restored = callRestore(merged.tokens, merged.map, kSpecial);
  EXPECT_EQ(restored.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(restored.isfinite().all().item<bool>());
}

TEST_F(OperatorsCuda, AnEmptyBatchStaysEmpty) { expectSameOnCuda(callOf(0)); }

TEST_F(OperatorsCuda, RefuseWhatLiesElsewhere) {
  MergeCall call = callOn(at::kCUDA, callOf(2));
  call.rows = at::full({2}, kSpecial + kImage, at::kLong);
  try {
    callMergePairs(call);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("rows are on cpu; expected cuda:0, as tokens"),
              std::string::npos)
        << error.what();
  }
}

RunnerEntry* entry() { return reinterpret_cast<RunnerEntry*>(dlsym(library(), kRunnerEntry)); }

TEST(RunnerEntry, GivesTheSameRunnerForADevice) {
  ASSERT_NE(entry(), nullptr);
  std::string why;
  Runner* const runner = entry()(kRunnerVersion, "cpu-torch", &why);
  ASSERT_NE(runner, nullptr) << why;
  EXPECT_EQ(entry()(kRunnerVersion, "cpu-torch", &why), runner);
  EXPECT_TRUE(runner->hasPrecision("fp32"));
  EXPECT_FALSE(runner->deviceName().empty());
}

TEST(RunnerEntry, SaysWhyThereIsNone) {
  ASSERT_NE(entry(), nullptr);
  std::string why;
  EXPECT_EQ(entry()(kRunnerVersion + 1, "cpu-torch", &why), nullptr);
  const std::string asked = "was asked for version " + std::to_string(kRunnerVersion + 1);
  EXPECT_NE(why.find("and " + asked + "; expected the library that was built"), std::string::npos)
      << why;
  EXPECT_EQ(entry()(kRunnerVersion, "tpu", &why), nullptr);
  EXPECT_EQ(why, "libmpm_torch does not know the device tpu; expected cuda or cuda:N");
  EXPECT_EQ(entry()(kRunnerVersion, "cuda:99", &why), nullptr);
  EXPECT_NE(why.find("cuda:99"), std::string::npos) << why;
  EXPECT_NE(why.find("; expected "), std::string::npos) << why;
}

TEST(RunnerEntry, IsAllThatTheLibraryShows) {
  ASSERT_NE(entry(), nullptr);
  EXPECT_EQ(dlsym(library(), "_ZN3mpm11identityMapEPim"), nullptr);
}

}  // namespace
}  // namespace mpm
