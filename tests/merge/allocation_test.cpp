// SPDX-License-Identifier: Apache-2.0
// After its first call of a size, a merge takes no memory: frames follow each other for weeks.
#include <gtest/gtest.h>

#include <algorithm>

#include "counted_new.h"
#include "mpm/merge.h"
#include "random_rows.h"

namespace mpm {
namespace {

TEST(Allocation, NoneAfterTheFirstCall) {
  constexpr std::size_t kSide = 20, kCount = kSide * kSide, kDim = 40;
  const test::OwnedRows rows = test::normalRows(kCount, kDim, 18);
  test::OwnedRows merged(kCount, kDim);
  std::vector<std::int32_t> map(kCount), labels(kCount);
  std::vector<float> similarity(kCount);
  for (std::size_t i = 0; i < kCount; ++i) labels[i] = static_cast<std::int32_t>(i % 3);
  MergeOptions limited;
  limited.window = 3, limited.gridHeight = limited.gridWidth = kSide,
  limited.regions = labels.data();
  PairMerger merger;
  long before = 0;
  std::size_t bytes = 0;
  for (int call = 0; call < 12; ++call) {
    if (call == 4) before = test::allocations, bytes = merger.scratchBytes();
    // Fewer rows than the first time, and each time another number of them.
    const std::size_t count = kCount - (call < 4 ? 0 : 13 * static_cast<std::size_t>(call));
    identityMap(map.data(), kCount);
    for (std::int32_t& row : map) row = std::min(row, static_cast<std::int32_t>(count) - 1);
    merger.merge({rows.data.data(), count, kDim}, call % 2 == 0 ? limited : MergeOptions{},
                 map.data(), kCount, merged.view(), call % 3 == 0 ? nullptr : similarity.data());
  }
  EXPECT_EQ(test::allocations, before);
  EXPECT_EQ(merger.scratchBytes(), bytes);
}

}  // namespace
}  // namespace mpm
