// SPDX-License-Identifier: Apache-2.0
// Dims of convolutions and poolings.
#include "onnx/shape_case.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

const Integers kImage = {kOpen, 3, 13, 17};

TEST(OnnxShape, Conv) {
  EXPECT_EQ(Case("Conv", {kImage, {4, 3, 3, 5}}).dims(), (Integers{kOpen, 4, 11, 13}));
  EXPECT_EQ(Case("Conv", {kImage, {4, 3, 3, 5}}).with("strides", Integers{2, 3}).dims(),
            (Integers{kOpen, 4, 6, 5}));
  EXPECT_EQ(Case("Conv", {kImage, {4, 3, 3, 5}})
                .with("pads", Integers{1, 2, 0, 1})
                .with("dilations", Integers{2, 1})
                .dims(),
            (Integers{kOpen, 4, 10, 16}));
  EXPECT_EQ(Case("Conv", {kImage, {4, 3, 3, 5}})
                .with("auto_pad", "SAME_UPPER")
                .with("strides", Integers{2, 2})
                .dims(),
            (Integers{kOpen, 4, 7, 9}));
}

TEST(OnnxShape, ConvOfAnOpenSize) {
  EXPECT_EQ(Case("Conv", {{1, 3, kOpen, kOpen}, {4, 3, 8, 8}}).dims(),
            (Integers{1, 4, kOpen, kOpen}));
}

TEST(OnnxShape, ConvWithoutRoomForItsKernel) {
  EXPECT_EQ(Case("Conv", {{1, 3, 4, 4}, {4, 3, 5, 4}}).dims(), (Integers{1, 4, kOpen, 1}));
}

TEST(OnnxShape, ConvWithNumbersThatMakeNoSense) {
  for (const std::int64_t number : {kMax, kMin, std::int64_t{0}, std::int64_t{-1}}) {
    EXPECT_EQ(Case("Conv", {kImage, {4, 3, 3, 3}}).with("strides", Integers{1, number}).dims(),
              kNothing);
  }
  EXPECT_EQ(Case("Conv", {kImage, {4, 3, 3, 3}}).with("strides", Integers{1}).dims(), kNothing);
  EXPECT_EQ(Case("Conv", {{1, 3, kMax, kMax}, {4, 3, 3, 3}}).dims(),
            (Integers{1, 4, kOpen, kOpen}));
}

TEST(OnnxShape, ConvTranspose) {
  EXPECT_EQ(Case("ConvTranspose", {kImage, {3, 2, 3, 3}})
                .with("strides", Integers{2, 2})
                .with("output_padding", Integers{1, 1})
                .with("pads", Integers{1, 1, 1, 1})
                .with("group", 3)
                .dims(),
            (Integers{kOpen, 6, 26, 34}));
  EXPECT_EQ(
      Case("ConvTranspose", {kImage, {3, 2, 3, 3}}).with("output_shape", Integers{27, 35}).dims(),
      (Integers{kOpen, 2, 27, 35}));
}

TEST(OnnxShape, Pools) {
  EXPECT_EQ(Case("MaxPool", {kImage}).with("kernel_shape", Integers{3, 5}).dims("y2"),
            (Integers{kOpen, 3, 11, 13}));
  EXPECT_EQ(Case("GlobalAveragePool", {kImage}).dims(), (Integers{kOpen, 3, 1, 1}));
  const auto rounded = [](std::int64_t size) {
    return Case("AveragePool", {{1, 1, size, size}})
        .with("kernel_shape", Integers{3, 2})
        .with("strides", Integers{2, 3})
        .with("pads", Integers{1, 0, 1, 0})
        .with("ceil_mode", 1)
        .dims();
  };
  EXPECT_EQ(rounded(7), (Integers{1, 1, 4, 3}));
  EXPECT_EQ(rounded(8), (Integers{1, 1, 5, 3}));
}

TEST(OnnxShape, DepthAndSpace) {
  EXPECT_EQ(Case("DepthToSpace", {{kOpen, 8, 3, 4}}).with("blocksize", 2).dims(),
            (Integers{kOpen, 2, 6, 8}));
  EXPECT_EQ(Case("SpaceToDepth", {{kOpen, 2, 4, 6}}).with("blocksize", 2).dims(),
            (Integers{kOpen, 8, 2, 3}));
}

}  // namespace
}  // namespace mpm::test
