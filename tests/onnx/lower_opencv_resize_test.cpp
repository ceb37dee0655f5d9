// SPDX-License-Identifier: Apache-2.0
// Resizes that OpenCV 4.6 reads, and what the others become.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

// Sizes that hold the batch, as PyTorch's dynamo exporter writes them.
TEST(OnnxLowerOpenCvResize, ResizeToSizesWithTheBatch) {
  auto proto = modelFromX({-1, 2, 3, 3});
  auto& shape = addNode(proto, "Shape", {"x"}, {"batch"});
  setAttribute(shape, "end", std::int64_t{2});
  addIntegerConstant(proto, "size", {7, 5});
  setAttribute(addNode(proto, "Concat", {"batch", "size"}, {"sizes"}), "axis", std::int64_t{0});
  setAttribute(addNode(proto, "Resize", {"x", "", "", "sizes"}, {"y"}), "mode",
               std::string("linear"));
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), Strings{"Resize"});
  EXPECT_EQ(model.constant(model.nodes()[0]->input(3))->integers(), (Integers{1, 2, 7, 5}));
}

struct Resize {
  std::string mode, place, rounding = "round_prefer_floor";
  Integers sizes;
};

Model resized(const Resize& resize) {
  auto proto = modelFromX({1, 2, 2, 4});
  addIntegerConstant(proto, "sizes", resize.sizes);
  auto& node = addNode(proto, "Resize", {"x", "", "", "sizes"}, {"y"});
  setAttribute(node, "mode", resize.mode);
  setAttribute(node, "coordinate_transformation_mode", resize.place);
  setAttribute(node, "nearest_mode", resize.rounding);
  if (resize.sizes.size() == 2) setAttribute(node, "axes", Integers{2, 3});
  return forOpenCv(std::move(proto));
}

TEST(OnnxLowerOpenCvResize, ResizeThatIsReadStays) {
  const Model linear = resized({"linear", "half_pixel", "floor", {4, 8}});
  ASSERT_EQ(typesOf(linear), Strings{"Resize"});
  EXPECT_EQ(linear.constant(linear.nodes()[0]->input(3))->integers(), (Integers{1, 2, 4, 8}));
  EXPECT_FALSE(onnx::findAttribute(*linear.nodes()[0], "axes"));

  const Model nearest = resized({"nearest", "half_pixel", "round_prefer_floor", {1, 2, 4, 8}});
  ASSERT_EQ(typesOf(nearest), Strings{"Resize"});
  EXPECT_EQ(onnx::stringAttribute(*nearest.nodes()[0], "coordinate_transformation_mode"),
            "asymmetric")
      << "the same places, in the form that is read";
}

// Of which OpenCV 5.0 reads what lies in front, with weight 1e-6: a picture's mean that becomes a
// plane again, as in DeepLab and UPerNet.
TEST(OnnxLowerOpenCvResize, OfOnePlaceEachIsTheSame) {
  auto proto = modelFromX({-1, 2, 1, 1});
  addIntegerConstant(proto, "sizes", {1, 2, 3, 5});
  setAttribute(addNode(proto, "Resize", {"x", "", "", "sizes"}, {"y"}), "mode",
               std::string("linear"));
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), Strings{"Resize"});
  EXPECT_EQ(onnx::stringAttribute(*model.nodes()[0], "mode"), "nearest");
  EXPECT_EQ(onnx::stringAttribute(*model.nodes()[0], "nearest_mode"), "floor");
}

TEST(OnnxLowerOpenCvResize, LinearAlongALineIsAProduct) {
  auto proto = modelFromX({1, 2, 1, 4});
  addIntegerConstant(proto, "sizes", {1, 2, 3, 8});
  setAttribute(addNode(proto, "Resize", {"x", "", "", "sizes"}, {"y"}), "mode",
               std::string("linear"));
  const Model model = forOpenCv(std::move(proto));
  ASSERT_EQ(typesOf(model), (Strings{"MatMul", "Transpose", "MatMul", "Transpose"}));
  const auto rows = model.constant(model.nodes()[2]->input(1))->floats();
  EXPECT_EQ(std::vector<float>(rows.begin(), rows.end()), (std::vector<float>{1, 1, 1}));
}

TEST(OnnxLowerOpenCvResize, OtherResizesAreProducts) {
  const Model model = resized({"nearest", "asymmetric", "ceil", {1, 2, 4, 4}});
  ASSERT_EQ(typesOf(model), (Strings{"MatMul", "Transpose", "MatMul", "Transpose"}));
  EXPECT_EQ(model.constant(model.nodes()[2]->input(1))->dims(), (Integers{2, 4}));
  const auto rows = model.constant(model.nodes()[2]->input(1))->floats();
  EXPECT_EQ(std::vector<float>(rows.begin(), rows.end()),
            (std::vector<float>{1, 0, 0, 0, 0, 1, 1, 1}))
      << "rows 0, 0.5, 1 and 1.5, up and inside";
}

TEST(OnnxLowerOpenCvResize, CubicWeightsAddUpToOne) {
  const Model model = resized({"cubic", "half_pixel", "floor", {1, 2, 5, 7}});
  ASSERT_EQ(typesOf(model), (Strings{"MatMul", "Transpose", "MatMul", "Transpose"}));
  const auto weights = model.constant(model.nodes()[0]->input(1))->floats();
  ASSERT_EQ(weights.size(), 28u);
  for (std::size_t to = 0; to < 7; ++to) {
    float sum = 0;
    for (std::size_t from = 0; from < 4; ++from) sum += weights[from * 7 + to];
    EXPECT_NEAR(sum, 1, 1e-6F);
  }
}

}  // namespace
}  // namespace mpm::test
