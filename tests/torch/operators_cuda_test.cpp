// SPDX-License-Identifier: Apache-2.0
// The operators on a GPU against those on the processor.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <string>

#include "tolerances.h"
#include "torch/operator_calls.h"

namespace mpm {
namespace {

constexpr std::int64_t kSpecial = 2, kSide = 9, kImage = kSide * kSide, kDim = 24;

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

void expectSame(const MergeCall& call) {
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
    expectSame(call);
    call.window = 2;
    call.grid = {kSide, kSide};
    expectSame(call);
    call.regions = at::arange(kImage, at::kLong).remainder(3).unsqueeze(0);
    expectSame(call);
    call.regions = call.regions->repeat({batch, 1});
    expectSame(call);
  }
}

TEST_F(OperatorsCuda, MergeTwiceAndRestore) {
  const MergeCall call = callOf(3);
  const Merged first = callMergePairs(call);
  MergeCall next = call;
  next.tokens = first.tokens.slice(1, 0, first.rows.max().item<std::int64_t>());
  next.rows = first.rows;
  next.map = first.map;
  expectSame(next);
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

TEST_F(OperatorsCuda, AnEmptyBatchStaysEmpty) { expectSame(callOf(0)); }

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

}  // namespace
}  // namespace mpm
