// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/tokens.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace mpm::test {
namespace {

onnx::Tokens withParts(std::vector<onnx::Part> parts) {
  onnx::Tokens tokens;
  tokens.special = 2;
  tokens.image = tokens.ownImage = 6;
  tokens.parts = std::move(parts);
  return tokens;
}

TEST(Tokens, AllRowsInAnyOrder) {
  EXPECT_TRUE(withParts({{false, 0, 2}, {true}}).hasAll());
  EXPECT_TRUE(withParts({{true}, {false, 1, 2}, {false, 0, 1}}).hasAll());
  EXPECT_FALSE(withParts({{true}}).hasAll());
  EXPECT_FALSE(withParts({{false, 0, 2}}).hasAll());
}

// As many rows as there are, one of them twice.
TEST(Tokens, ARowThatIsThereTwiceIsNotAll) {
  EXPECT_FALSE(withParts({{false, 0, 1}, {false, 0, 1}, {true}}).hasAll());
  EXPECT_FALSE(withParts({{false, 0, 2}, {true}, {true}}).hasAll());
}

// The model was made for another grid than the blob has.
TEST(Tokens, CountsRowsAsTheModelHasThem) {
  onnx::Tokens tokens = withParts({{false, 0, 1}, {true}});
  tokens.image = 12;
  EXPECT_EQ(tokens.count(), 7);
}

}  // namespace
}  // namespace mpm::test
