// SPDX-License-Identifier: Apache-2.0
// Shapes that a .npy file claims.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "cli/npy.h"
#include "cli/npy_files.h"

namespace mpm::cli {
namespace {

using test::headerOf;
using test::npyBytes;

std::string refusal(const std::string& shape, const std::string& values) {
  try {
    parseNpy(npyBytes(headerOf("|u1", shape), values), "x.npy");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "not refused";
}

std::vector<float> read(const std::string& shape, const std::string& values, bool fortranOrder) {
  return parseNpy(npyBytes(headerOf("|u1", shape, fortranOrder), values), "x.npy").values;
}

TEST(NpyShape, EveryRank) {
  EXPECT_EQ(read("", "\5", false), (std::vector<float>{5}));
  EXPECT_EQ(read("2,", "\1\2", false), (std::vector<float>{1, 2}));
  EXPECT_EQ(read("1, 2, 1", "\1\2", false), (std::vector<float>{1, 2}));
  EXPECT_EQ(read("3, 0", "", false), (std::vector<float>{}));
}

TEST(NpyShape, FortranOrderIsTransposed) {
  EXPECT_EQ(read("2, 3", "\1\4\2\5\3\6", true), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read("2, 3, 2", "\1\7\3\11\5\13\2\10\4\12\6\14", true),
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(read("3,", "\1\2\3", true), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(read("0, 3", "", true), (std::vector<float>{}));
  EXPECT_EQ(read("", "\5", true), (std::vector<float>{5}));
}

TEST(NpyShape, ValuesAreNeitherFewerNorMore) {
  EXPECT_EQ(refusal("2, 3", "12345"), "x.npy holds 5 bytes of values; its shape needs 6");
  EXPECT_EQ(refusal("2, 3", "1234567"), "x.npy holds 7 bytes of values; its shape needs 6");
}

TEST(NpyShape, HostileSizes) {
  const std::string tooMany = "x.npy has a shape of more than 2147483647 values";
  EXPECT_EQ(refusal("4294967296, 4294967296", ""), tooMany);
  EXPECT_EQ(refusal("65536, 65536", ""), tooMany);
  EXPECT_EQ(refusal("9223372036854775807,", ""), tooMany);
  EXPECT_EQ(refusal("0, 9223372036854775807", ""), tooMany);
  EXPECT_EQ(refusal("2147483647,", "1"),
            "x.npy holds 1 bytes of values; its shape needs 2147483647");
  const std::string noSize =
      "x.npy has a header that has a size in its shape that is not a whole number from 0";
  for (const char* shape : {"-1,", "99999999999999999999,", "x,", "1.5, 2", "1, , 2", "0x10,"}) {
    EXPECT_EQ(refusal(shape, "1").find("x.npy has a header that "), 0U) << shape;
  }
  EXPECT_EQ(refusal("-1,", "1"), noSize);
  EXPECT_EQ(refusal("99999999999999999999,", "1"), noSize);
}

}  // namespace
}  // namespace mpm::cli
