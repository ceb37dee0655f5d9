// SPDX-License-Identifier: Apache-2.0
// Folded operators that move elements.
#include "onnx/fold_case.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

TEST(OnnxFold, GatherOfRows) {
  auto proto = start();
  addConstant(proto, "w", {2, 3}, {1, 2, 3, 4, 5, 6});
  auto& places = addConstant(proto, "places", {2, 1}, {});
  places.set_data_type(::onnx::TensorProto::INT32);
  places.clear_raw_data();
  places.add_int32_data(2);
  places.add_int32_data(-3);
  onnx::setAttribute(addNode(proto, "Gather", {"w", "places"}, {"y"}), "axis", std::int64_t{1});
  const Model model = folded(std::move(proto));
  ASSERT_EQ(dimsOfY(model), (Integers{2, 2, 1}));
  const auto floats = model.constant("y")->floats();
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()), (std::vector<float>{3, 1, 6, 4}));
}

TEST(OnnxFold, UnsqueezeOfBothOpsets) {
  auto proto = start();
  addIntegers(proto, "c", {4, 5});
  addIntegers(proto, "axes", {0, -1});
  addNode(proto, "Unsqueeze", {"c", "axes"}, {"y"});
  EXPECT_EQ(dimsOfY(folded(std::move(proto))), (Integers{1, 2, 1}));
  proto = start();
  addIntegers(proto, "c", {4, 5});
  onnx::setAttribute(addNode(proto, "Unsqueeze", {"c"}, {"y"}), "axes", Integers{1});
  EXPECT_EQ(dimsOfY(folded(std::move(proto))), (Integers{2, 1}));
}

TEST(OnnxFold, SqueezeWithAndWithoutAxes) {
  auto proto = start();
  addConstant(proto, "w", {1, 2, 1}, {1, 2});
  addNode(proto, "Squeeze", {"w"}, {"y"});
  EXPECT_EQ(dimsOfY(folded(std::move(proto))), Integers{2});
  proto = start();
  addConstant(proto, "w", {1, 2, 1}, {1, 2});
  addIntegers(proto, "axes", {-1});
  addNode(proto, "Squeeze", {"w", "axes"}, {"y"});
  EXPECT_EQ(dimsOfY(folded(std::move(proto))), (Integers{1, 2}));
}

TEST(OnnxFold, Concat) {
  auto proto = start();
  addConstant(proto, "a", {2, 1}, {1, 2});
  addConstant(proto, "b", {2, 2}, {3, 4, 5, 6});
  onnx::setAttribute(addNode(proto, "Concat", {"a", "b"}, {"y"}), "axis", std::int64_t{-1});
  const Model model = folded(std::move(proto));
  ASSERT_EQ(dimsOfY(model), (Integers{2, 3}));
  const auto floats = model.constant("y")->floats();
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()),
            (std::vector<float>{1, 3, 4, 2, 5, 6}));
}

Integers sliced(const Integers& start_, const Integers& end, const Integers& step) {
  auto proto = start();
  addIntegers(proto, "c", {0, 1, 2, 3, 4});
  addIntegers(proto, "starts", start_);
  addIntegers(proto, "ends", end);
  addIntegers(proto, "axes", {0});
  addIntegers(proto, "steps", step);
  addNode(proto, "Slice", {"c", "starts", "ends", "axes", "steps"}, {"y"});
  return valuesOfY(folded(std::move(proto)));
}

TEST(OnnxFold, SliceAsPythonDoes) {
  EXPECT_EQ(sliced({1}, {3}, {1}), (Integers{1, 2}));
  EXPECT_EQ(sliced({-2}, {kMax}, {1}), (Integers{3, 4}));
  EXPECT_EQ(sliced({0}, {kMax}, {2}), (Integers{0, 2, 4}));
  EXPECT_EQ(sliced({-1}, {kMin}, {-2}), (Integers{4, 2, 0}));
  EXPECT_EQ(sliced({kMin}, {kMax}, {kMax}), Integers{0});
  EXPECT_EQ(sliced({4}, {1}, {1}), Integers{});
  EXPECT_EQ(sliced({kMax}, {kMin}, {kMin}), Integers{4});
  EXPECT_EQ(sliced({0}, {5}, {0}), Integers{-999}) << "no step";
}

TEST(OnnxFold, SliceOfOldOpsets) {
  auto proto = start();
  addNode(proto, "Shape", {"image"}, {"shape"});
  auto& node = addNode(proto, "Slice", {"shape"}, {"y"});
  onnx::setAttribute(node, "starts", Integers{2});
  onnx::setAttribute(node, "ends", Integers{kMax});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{32, 64}));
}

TEST(OnnxFold, Reshape) {
  auto proto = start();
  addConstant(proto, "w", {2, 3, 2}, std::vector<float>(12));
  addIntegers(proto, "target", {0, -1});
  addNode(proto, "Reshape", {"w", "target"}, {"y"});
  EXPECT_EQ(dimsOfY(folded(std::move(proto))), (Integers{2, 6}));
}

TEST(OnnxFold, Transpose) {
  auto proto = start();
  addConstant(proto, "w", {2, 3, 1}, {1, 2, 3, 4, 5, 6});
  onnx::setAttribute(addNode(proto, "Transpose", {"w"}, {"y"}), "perm", Integers{1, 2, 0});
  const Model model = folded(std::move(proto));
  ASSERT_EQ(dimsOfY(model), (Integers{3, 1, 2}));
  const auto floats = model.constant("y")->floats();
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

Integers partOf(std::int64_t opset, const Integers& sizes) {
  auto proto = start();
  proto.mutable_opset_import(0)->set_version(opset);
  addIntegers(proto, "c", {0, 1, 2, 3, 4});
  auto& node = addNode(proto, "Split", {"c"}, {"first", "y"});
  if (opset < 13) {
    onnx::setAttribute(node, "split", sizes);
  } else if (!sizes.empty()) {
    addIntegers(proto, "sizes", sizes);
    node.add_input("sizes");
  }
  return valuesOfY(folded(std::move(proto)));
}

TEST(OnnxFold, SplitOfAllOpsets) {
  EXPECT_EQ(partOf(11, {2, 3}), (Integers{2, 3, 4}));
  EXPECT_EQ(partOf(13, {4, 1}), Integers{4});
  EXPECT_EQ(partOf(18, {}), (Integers{3, 4}));
  EXPECT_EQ(partOf(13, {4, 2}), Integers{-999});
  EXPECT_EQ(partOf(13, {kMax, kMax}), Integers{-999});
  EXPECT_EQ(partOf(13, {6, -1}), Integers{-999});
}

TEST(OnnxFold, FlattenAndTile) {
  auto proto = start();
  addConstant(proto, "w", {2, 3, 2}, std::vector<float>(12));
  addNode(proto, "Flatten", {"w"}, {"y"});
  EXPECT_EQ(dimsOfY(folded(std::move(proto))), (Integers{2, 6}));
  proto = start();
  addConstant(proto, "w", {2, 2}, {1, 2, 3, 4});
  addIntegers(proto, "repeats", {2, 3});
  addNode(proto, "Tile", {"w", "repeats"}, {"y"});
  const Model model = folded(std::move(proto));
  ASSERT_EQ(dimsOfY(model), (Integers{4, 6}));
  const auto floats = model.constant("y")->floats();
  EXPECT_EQ(std::vector<float>(floats.begin() + 6, floats.begin() + 15),
            (std::vector<float>{3, 4, 3, 4, 3, 4, 1, 2, 1}));
}

TEST(OnnxFold, ConcatWithPartsThatAreEmpty) {
  auto proto = start();
  addIntegers(proto, "none", {});
  addIntegers(proto, "c", {4, 5});
  onnx::setAttribute(addNode(proto, "Concat", {"none", "c", "none"}, {"y"}), "axis",
                     std::int64_t{0});
  EXPECT_EQ(valuesOfY(folded(std::move(proto))), (Integers{4, 5}));
}

// So large that threads share it.
TEST(OnnxFold, TransposesLargeOnes) {
  auto proto = start();
  constexpr std::int64_t kRows = 70, kColumns = 1100;
  std::vector<float> values(kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  addConstant(proto, "a", {1, kRows, kColumns}, values);
  onnx::setAttribute(addNode(proto, "Transpose", {"a"}, {"y"}), "perm", Integers{0, 2, 1});
  const Model model = folded(std::move(proto));
  ASSERT_TRUE(model.constant("y"));
  const auto turned = model.constant("y")->floats();
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      ASSERT_EQ(turned[static_cast<std::size_t>(column * kRows + row)],
                static_cast<float>(row * kColumns + column));
    }
  }
}

}  // namespace
}  // namespace mpm::test
