// SPDX-License-Identifier: Apache-2.0
#include "merge/restore.h"

#include <gtest/gtest.h>

#include <random>

#include "random_rows.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

TEST(Restore, CopiesRowsToTheBit) {
  for (const std::size_t count : {1, 2, 197, 1025, 40000}) {
    const OwnedRows live = test::normalRows(90, 33, 12);  // 40000 rows are shared by threads
    std::vector<std::int32_t> map(count);
    std::mt19937 random(13);
    for (std::int32_t& entry : map) entry = static_cast<std::int32_t>(random() % live.count);
    OwnedRows expected(count, 33, 7), actual(count, 33, 8);
    restoreReference(live.view(), map.data(), expected.view());
    restoreCpu(live.view(), map.data(), actual.view());
    EXPECT_EQ(actual.data, expected.data);
    EXPECT_EQ(actual.row(count - 1)[32],
              live.data[static_cast<std::size_t>(map[count - 1]) * 33 + 32]);
  }
}

}  // namespace
}  // namespace mpm::merge
