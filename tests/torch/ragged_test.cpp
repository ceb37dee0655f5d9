// SPDX-License-Identifier: Apache-2.0
#include "torch/ragged.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

namespace mpm::torch_runner {
namespace {

constexpr std::int64_t kMost = 5;

// Images of 3, 0 and 5 rows, with two rows behind them that are of no image.
LayoutPtr unevenLayout() {
  const LayoutPtr tight = packedLayout(at::tensor({3, 0, 5}, at::kInt), 8, kMost);
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

}  // namespace
}  // namespace mpm::torch_runner
