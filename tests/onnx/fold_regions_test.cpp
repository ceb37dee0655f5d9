// SPDX-License-Identifier: Apache-2.0
// Regions of planes, and places that come from elsewhere: what is no such place is not computed.
#include <gtest/gtest.h>

#include "onnx/fold_case.h"

namespace mpm::test {
namespace {

// Of an image of 4 x 4 whose elements count up.
Model aligned(const std::vector<float>& region, std::int64_t image, std::int64_t samples) {
  auto proto = start();
  std::vector<float> elements;
  for (int i = 0; i < 16; ++i) elements.push_back(static_cast<float>(i));
  addConstant(proto, "planes", {1, 1, 4, 4}, elements);
  addConstant(proto, "regions", {1, 4}, region);
  addIntegers(proto, "images", {image});
  auto& node = addNode(proto, "RoiAlign", {"planes", "regions", "images"}, {"y"});
  onnx::setAttribute(node, "sampling_ratio", samples);
  onnx::setAttribute(node, "coordinate_transformation_mode", std::string("output_half_pixel"));
  return folded(std::move(proto));
}

TEST(OnnxFold, RoiAlignLooksAtTheMiddleOfARegion) {
  const Model model = aligned({1, 1, 3, 3}, 0, 1);
  const auto y = model.constant("y");
  ASSERT_TRUE(y);
  EXPECT_EQ(y->dims(), (Integers{1, 1, 1, 1}));
  EXPECT_FLOAT_EQ(y->floats()[0], 10);  // row 2, column 2
}

TEST(OnnxFold, RoiAlignOfWhatIsNoRegionStays) {
  const float huge = 1e30F, nothing = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(aligned({1, 1, 3, 3}, 1, 1).constant("y"));  // of another image than there is
  EXPECT_FALSE(aligned({1, 1, 3, 3}, -1, 1).constant("y"));
  EXPECT_FALSE(aligned({0, 0, huge, 2}, 0, 1).constant("y"));
  EXPECT_FALSE(aligned({0, nothing, 2, 2}, 0, 1).constant("y"));
  EXPECT_FALSE(aligned({0, 0, 1e6F, 2}, 0, 0).constant("y"));  // as many samples as it is long
  EXPECT_FALSE(aligned({1, 1, 3, 3}, 0, kMax).constant("y"));
}

// Each cell has a million samples, and only some of the cells can be afforded.
TEST(OnnxFold, RoiAlignOfTooManySamplesStays) {
  auto proto = start();
  addConstant(proto, "planes", {1, 1, 2, 2}, {1, 2, 3, 4});
  addConstant(proto, "regions", {1, 4}, {0, 0, 1, 1});
  addIntegers(proto, "images", {0});
  auto& node = addNode(proto, "RoiAlign", {"planes", "regions", "images"}, {"y"});
  for (const char* side : {"output_height", "output_width"})
    onnx::setAttribute(node, side, std::int64_t{8});
  onnx::setAttribute(node, "sampling_ratio", std::int64_t{1024});
  EXPECT_FALSE(folded(std::move(proto)).constant("y"));
}

Model unpooled(const Integers& places) {
  auto proto = start();
  addConstant(proto, "values", {1, 1, 1, 2}, {3, 5});
  *proto.mutable_graph()->add_initializer() = onnx::integerTensor("places", {1, 1, 1, 2}, places);
  auto& node = addNode(proto, "MaxUnpool", {"values", "places"}, {"y"});
  onnx::setAttribute(node, "kernel_shape", Integers{2, 2});
  onnx::setAttribute(node, "strides", Integers{2, 2});
  return folded(std::move(proto));
}

TEST(OnnxFold, MaxUnpoolPutsBackWhatItFindsRoomFor) {
  const Model model = unpooled({1, 6});
  const auto y = model.constant("y");
  ASSERT_TRUE(y);
  EXPECT_EQ(y->dims(), (Integers{1, 1, 2, 4}));
  const auto floats = y->floats();
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()),
            (std::vector<float>{0, 3, 0, 0, 0, 0, 5, 0}));
  EXPECT_FALSE(unpooled({1, 8}).constant("y"));
  EXPECT_FALSE(unpooled({-1, 2}).constant("y"));
}

}  // namespace
}  // namespace mpm::test
