// SPDX-License-Identifier: Apache-2.0
#include "files/text.h"

#include <gtest/gtest.h>

namespace mpm::files {
namespace {

TEST(CsvField, IsInQuotesWhereItHasToBe) {
  EXPECT_EQ(csvField(""), "");
  EXPECT_EQ(csvField("live rows"), "live rows");
  EXPECT_EQ(csvField("2,5"), "\"2,5\"");
  EXPECT_EQ(csvField("12\" lens"), "\"12\"\" lens\"");
  EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csvField("two\r"), "\"two\r\"");
}

}  // namespace
}  // namespace mpm::files
