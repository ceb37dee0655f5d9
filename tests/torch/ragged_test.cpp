// SPDX-License-Identifier: Apache-2.0
#include "torch/ragged.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace mpm::torch_runner {
namespace {

constexpr std::int64_t kMost = 5;

// Images of 3, 0 and 5 rows, with two rows behind them that are of no image.
LayoutPtr unevenLayout() {
  const LayoutPtr tight = countedLayout(at::tensor({3, 0, 5}, at::kInt), 8, kMost);
  auto layout = std::make_shared<Layout>(*tight);
  layout->capacity = 10;
  return layout;
}

TEST(RaggedTest, KnowsImagesOfRowsAndRowsOfImages) {
  const LayoutPtr layout = unevenLayout();
  EXPECT_TRUE(layout->first.equal(at::tensor({0, 3, 3, 8}, at::kInt)));
  EXPECT_TRUE(layout->imageOfRow().equal(at::tensor({0, 0, 0, 2, 2, 2, 2, 2, 2, 2}, at::kLong)));
  const at::Tensor rows = layout->rowsOfImages(1, 2);
  ASSERT_EQ(rows.sizes(), at::IntArrayRef({3, 2}));
  EXPECT_TRUE(rows[0].equal(at::tensor({1, 2}, at::kLong)));
  EXPECT_TRUE(rows[2].equal(at::tensor({4, 5}, at::kLong)));
  EXPECT_LE(layout->rowsOfImages(0, kMost).max().item<std::int64_t>(), 9);
}

TEST(RaggedTest, PacksLiveRowsOfPaddedImages) {
  const at::Tensor padded = at::arange(3 * kMost * 2, at::kFloat).view({3, kMost, 2});
  const at::Tensor packed = packRows(padded, *unevenLayout());
  ASSERT_EQ(packed.sizes(), at::IntArrayRef({10, 2}));
  EXPECT_TRUE(packed.narrow(0, 0, 3).equal(padded[0].narrow(0, 0, 3)));
  EXPECT_TRUE(packed.narrow(0, 3, 5).equal(padded[2]));
}

TEST(RaggedTest, TrustInTwoValuesIsInAllTheirGuesses) {
  const auto one = std::make_shared<Capacity>(), other = std::make_shared<Capacity>();
  const at::Tensor no = at::zeros({}, at::kBool), yes = at::ones({}, at::kBool);
  const Trust first{no, std::make_shared<Guess>(Guess{one, nullptr})};
  const Trust second{yes, std::make_shared<Guess>(Guess{other, nullptr})};
  EXPECT_EQ(both(first, {}).guess, first.guess);
  EXPECT_EQ(both({}, second).guess, second.guess);
  const Trust trust = both(first, second);
  EXPECT_TRUE(trust.tooLow.item<bool>());
  std::vector<const Capacity*> raised;
  for (const Guess* guess = trust.guess.get(); guess != nullptr; guess = guess->before.get())
    raised.push_back(guess->capacity.get());
  EXPECT_EQ(raised, (std::vector<const Capacity*>{other.get(), one.get()}));
}

}  // namespace
}  // namespace mpm::torch_runner
