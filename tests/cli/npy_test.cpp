// SPDX-License-Identifier: Apache-2.0
// Reading and writing .npy files, and shapes that one claims.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "cli/npy.h"
#include "cli/npy_files.h"

namespace mpm::cli {
namespace {

using test::headerOf;
using test::npyBytes;

template <class T>
std::string bytes(const std::vector<T>& values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

template <class T>
void expectValues(const std::string& type, const std::vector<T>& values,
                  const std::vector<float>& expected) {
  SCOPED_TRACE(type);
  const std::string header = headerOf(type, std::to_string(values.size()) + ",");
  EXPECT_EQ(parseNpy(npyBytes(header, bytes(values)), "x.npy").values, expected);
}

std::string refusal(const std::string& text) {
  try {
    parseNpy(text, "x.npy");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Npy, ReadsEveryType) {
  expectValues<float>("<f4", {0, -1.5, 3e38F}, {0, -1.5, 3e38F});
  expectValues<double>("<f8", {0.1, -2}, {0.1F, -2});
  expectValues<std::uint8_t>("|u1", {0, 7, 255}, {0, 7, 255});
  expectValues<std::int32_t>("<i4", {-5, 1 << 24}, {-5, 1 << 24});
  expectValues<std::int64_t>("<i8", {-5, std::int64_t{1} << 40}, {-5, std::ldexp(1.0F, 40)});
}

TEST(Npy, ReadsHalf) {
  const float infinity = std::numeric_limits<float>::infinity();
  expectValues<std::uint16_t>("<f2",
                              {0x3C00, 0xC000, 0x3555, 0x7BFF, 0x0001, 0x03FF, 0x7C00, 0xFC00},
                              {1, -2, 0.333251953125F, 65504, std::ldexp(1.0F, -24),
                               std::ldexp(1023.0F, -24), infinity, -infinity});
  const Array nan = parseNpy(npyBytes(headerOf("<f2", "1,"), "\x01\x7e"), "x.npy");
  EXPECT_TRUE(std::isnan(nan.values[0]));
}

TEST(Npy, ReadsFormats2And3) {
  const std::string values = bytes<float>({1, 2});
  for (const int version : {1, 2, 3}) {
    const Array array = parseNpy(npyBytes(headerOf("<f4", "1, 2"), values, version), "x.npy");
    EXPECT_EQ(array.shape, (std::vector<int>{1, 2}));
    EXPECT_EQ(array.values, (std::vector<float>{1, 2}));
  }
  EXPECT_EQ(refusal(npyBytes(headerOf("<f4", "1, 2"), values, 255)),
            "x.npy is of .npy format 255; formats 1 to 3 can be read");
  EXPECT_EQ(refusal(npyBytes(headerOf("<f4", "1, 2"), values, 4)),
            "x.npy is of .npy format 4; formats 1 to 3 can be read");
}

TEST(Npy, RefusesOtherTypes) {
  for (const char* type : {">f4", "<c8", "|b1", "<U3", "|O", "", "<f16"}) {
    EXPECT_NE(refusal(npyBytes(headerOf(type, "1,"), "1234"))
                  .find("holds values of the type '" + std::string(type) + "'; float16"),
              std::string::npos);
  }
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  const std::string good = npyBytes(headerOf("<f4", "2,"), bytes<float>({1, 2}));
  EXPECT_EQ(refusal(""), "x.npy is not a .npy file, which numpy.save writes");
  EXPECT_EQ(refusal("PK\3\4 an archive of numpy.savez"),
            "x.npy is not a .npy file, which numpy.save writes");
  EXPECT_EQ(refusal(good.substr(0, 30)), "x.npy ends inside its header");
  EXPECT_EQ(refusal(npyBytes("", "", 2).substr(0, 11)), "x.npy ends inside its header");
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(refusal(good.substr(0, length)), "not refused") << length;
  }
}

TEST(Npy, RefusesOtherHeaders) {
  for (const char* header : {"", "{}", "{'descr': '<f4'}", "{'descr': [('a', '<f4')], 'shape': ()}",
                             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1"}) {
    EXPECT_NE(refusal(npyBytes(header, "1234")).find("x.npy has a header unlike "),
              std::string::npos)
        << header;
  }
  EXPECT_NE(refusal(npyBytes(headerOf("<f4", std::string(1000, ' ')), "1234")).find("unlike"),
            std::string::npos);
}

TEST(Npy, ReadsWhatItWrites) {
  const test::Folder folder;
  const std::vector<float> values = {1, -0.0F, 3, 4.5, 5, 6};
  for (const std::vector<int>& shape : {std::vector<int>{6}, {2, 3}, {1, 2, 3}, {3, 1, 2, 1}}) {
    test::writeNpyFile(folder.at("x.npy"), shape, values.data());
    const Array array = readNpy(folder.at("x.npy"));
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, values);
    EXPECT_EQ((test::bytesOf(folder.at("x.npy")).size() - 24) % 64, 0U);
  }
  test::writeNpyFile(folder.at("one.npy"), {}, values.data());
  EXPECT_EQ(readNpy(folder.at("one.npy")).values, (std::vector<float>{1}));
}

std::string shapeRefusal(const std::string& shape, const std::string& values) {
  return refusal(npyBytes(headerOf("|u1", shape), values));
}

std::vector<float> readShape(const std::string& shape, const std::string& values,
                             bool fortranOrder) {
  return parseNpy(npyBytes(headerOf("|u1", shape, fortranOrder), values), "x.npy").values;
}

TEST(NpyShape, EveryRank) {
  EXPECT_EQ(readShape("", "\5", false), (std::vector<float>{5}));
  EXPECT_EQ(readShape("2,", "\1\2", false), (std::vector<float>{1, 2}));
  EXPECT_EQ(readShape("1, 2, 1", "\1\2", false), (std::vector<float>{1, 2}));
  EXPECT_EQ(readShape("3, 0", "", false), (std::vector<float>{}));
}

TEST(NpyShape, FortranOrderIsTransposed) {
  EXPECT_EQ(readShape("2, 3", "\1\4\2\5\3\6", true), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(readShape("2, 3, 2", "\1\7\3\11\5\13\2\10\4\12\6\14", true),
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(readShape("3,", "\1\2\3", true), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(readShape("0, 3", "", true), (std::vector<float>{}));
  EXPECT_EQ(readShape("", "\5", true), (std::vector<float>{5}));
}

TEST(NpyShape, HostileSizes) {
  const std::string tooMany = "x.npy has a shape of more than 2147483647 values";
  EXPECT_EQ(shapeRefusal("4294967296, 4294967296", ""), tooMany);
  EXPECT_EQ(shapeRefusal("65536, 65536", ""), tooMany);
  EXPECT_EQ(shapeRefusal("9223372036854775807,", ""), tooMany);
  EXPECT_EQ(shapeRefusal("0, 9223372036854775807", ""), tooMany);
  EXPECT_EQ(shapeRefusal("2147483647,", "1"),
            "x.npy holds 1 bytes of values; its shape needs 2147483647");
  EXPECT_EQ(shapeRefusal("99999999999999999999,", "1"), tooMany);
  for (const char* shape : {"-1,", "x,", "1.5, 2", "1, , 2", "0x10,"})
    EXPECT_EQ(shapeRefusal(shape, "1").find("x.npy has a header unlike "), 0U) << shape;
}

}  // namespace
}  // namespace mpm::cli
