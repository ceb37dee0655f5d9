// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/window.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace mpm::test {
namespace {

using onnx::Integers;
using onnx::kUnknown;
using onnx::Node;
using onnx::setAttribute;
using onnx::WindowAxis;
using onnx::windowOf;

Node pool(const Integers& kernel, const Integers& strides, const Integers& pads) {
  Node node;
  node.set_op_type("MaxPool");
  setAttribute(node, "kernel_shape", kernel);
  setAttribute(node, "strides", strides);
  setAttribute(node, "pads", pads);
  return node;
}

// Pads in front and behind, and places, along the one axis of an image of this size.
Integers walk(const Node& node, std::int64_t size) {
  const auto window = windowOf(node, {1, 1, size}, {});
  if (!window) return {};
  const WindowAxis& axis = window->at(0);
  return {axis.before, axis.behind, axis.places};
}

TEST(OnnxWindow, StandsWhereItFits) {
  EXPECT_EQ(walk(pool({3}, {2}, {1, 0}), 9), (Integers{1, 0, 4}));
  EXPECT_EQ(walk(pool({3}, {2}, {1, 0}), 1), (Integers{1, 0, kUnknown}));
  Node gaps = pool({3}, {2}, {0, 0});
  setAttribute(gaps, "dilations", Integers{3});
  EXPECT_EQ(walk(gaps, 9), (Integers{0, 0, 2}));
  const WindowAxis axis = windowOf(gaps, {1, 1, 9}, {})->at(0);
  EXPECT_EQ(axis.span(), 7);
  EXPECT_EQ(axis.at(1, 2), 8);
}

TEST(OnnxWindow, MayHangOverTheEndWhereItStartsInTheImage) {
  for (const auto& [size, floor, ceil] : {std::tuple{7, 2, 3}, {8, 2, 3}, {9, 3, 3}, {6, 2, 2}}) {
    Node node = pool({3}, {3}, {0, 0});
    EXPECT_EQ(walk(node, size).back(), floor);
    setAttribute(node, "ceil_mode", std::int64_t{1});
    EXPECT_EQ(walk(node, size).back(), ceil);
  }
  Node padded = pool({2}, {3}, {0, 1});
  setAttribute(padded, "ceil_mode", std::int64_t{1});
  EXPECT_EQ(walk(padded, 6).back(), 2);  // a third one would start behind the image
}

TEST(OnnxWindow, PadsByWord) {
  Node node = pool({4}, {2}, {1, 1});
  setAttribute(node, "auto_pad", "SAME_UPPER");
  EXPECT_EQ(walk(node, 7), (Integers{1, 2, 4}));
  EXPECT_TRUE(onnx::isPaddedToSame(node));
  setAttribute(node, "auto_pad", "SAME_LOWER");
  EXPECT_EQ(walk(node, 7), (Integers{2, 1, 4}));
  EXPECT_EQ(walk(node, kUnknown), (Integers{kUnknown, kUnknown, kUnknown}));
  setAttribute(node, "auto_pad", "VALID");
  EXPECT_EQ(walk(node, 7), (Integers{0, 0, 2}));
  EXPECT_FALSE(onnx::isPaddedToSame(node));
}

TEST(OnnxWindow, KeepsASizeThatOnlyHasAName) {
  constexpr std::int64_t kName = -7;
  EXPECT_EQ(walk(pool({3}, {1}, {1, 1}), kName).back(), kName);
  EXPECT_EQ(walk(pool({3}, {1}, {0, 0}), kName).back(), kUnknown);
  Node same = pool({3}, {1}, {0, 0});
  setAttribute(same, "auto_pad", "SAME_UPPER");
  EXPECT_EQ(walk(same, kName).back(), kName);
}

TEST(OnnxWindow, TakesTheKernelOfItsWeightsUnlessItSaysOne) {
  Node conv;
  conv.set_op_type("Conv");
  const Integers kernel = onnx::kernelOf({8, 3, 5, 2});
  EXPECT_EQ(windowOf(conv, {1, 3, 9, 9}, kernel)->at(1).kernel, 2);
  setAttribute(conv, "kernel_shape", Integers{3, 3});
  EXPECT_EQ(windowOf(conv, {1, 3, 9, 9}, kernel)->at(1).kernel, 3);
}

TEST(OnnxWindow, RefusesEntriesThatNoImageNeeds) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, kLargest})
    EXPECT_FALSE(windowOf(pool({3}, {number}, {0, 0}), {1, 1, 9}, {}));
  EXPECT_FALSE(windowOf(pool({3}, {1}, {0}), {1, 1, 9}, {}));
  EXPECT_FALSE(windowOf(pool({3}, {1}, {0, -1}), {1, 1, 9}, {}));
  EXPECT_FALSE(windowOf(pool({3}, {1}, {0, 0}), {1, 9}, {}));
  EXPECT_EQ(walk(pool({kLargest}, {1}, {0, 0}), 9).back(), kUnknown);
  EXPECT_EQ(walk(pool({3}, {2}, {1, 1}), kLargest).back(), kUnknown);
}

TEST(OnnxWindow, VisitsWhatLiesInThePlane) {
  const auto window = windowOf(pool({2, 2}, {1, 2}, {1, 1, 0, 0}), {1, 1, 2, 3}, {});
  std::vector<std::pair<int, int>> visits;
  onnx::forEachCovered(window->at(0), window->at(1), 0, 1, [&](auto place, auto element) {
    visits.emplace_back(static_cast<int>(place), static_cast<int>(element));
  });
  // Two rows of two places; the first row's window starts above the plane.
  EXPECT_EQ(visits, (std::vector<std::pair<int, int>>{{2, 0}, {3, 2}}));
}

}  // namespace
}  // namespace mpm::test
