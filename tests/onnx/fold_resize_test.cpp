// SPDX-License-Identifier: Apache-2.0
// Resize of a constant. Expected numbers are ONNX Runtime's.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "onnx/fold_case.h"

namespace mpm::test {
namespace {

using Numbers = std::vector<float>;

struct Resizing {
  const char *mode, *coordinates, *nearest;
  float cubicA;
  bool excludesOutside;
};

constexpr float kUsual = -0.75F;

// A constant [1, 1, 4, 3], resized by scales or else to sizes.
Model resized(const Resizing& how, const Numbers& scales, const Integers& sizes) {
  auto proto = start();
  Numbers numbers;
  for (int i = 0; i < 12; ++i) numbers.push_back(static_cast<float>(i * 7 % 11));
  addConstant(proto, "a", {1, 1, 4, 3}, numbers);
  Strings inputs = {"a", "", "scales"};
  if (scales.empty()) {
    inputs = {"a", "", "", "sizes"};
    addIntegers(proto, "sizes", {1, 1, sizes[0], sizes[1]});
  } else {
    addConstant(proto, "scales", {4}, {1, 1, scales[0], scales[1]});
  }
  auto& node = addNode(proto, "Resize", inputs, {"y"});
  onnx::setAttribute(node, "mode", std::string(how.mode));
  onnx::setAttribute(node, "coordinate_transformation_mode", std::string(how.coordinates));
  onnx::setAttribute(node, "nearest_mode", std::string(how.nearest));
  onnx::setAttribute(node, "cubic_coeff_a", how.cubicA);
  onnx::setAttribute(node, "exclude_outside", std::int64_t{how.excludesOutside});
  return folded(std::move(proto));
}

void expectNear(const Model& model, const Integers& dims, const Numbers& expected) {
  ASSERT_EQ(dimsOfY(model), dims);
  const auto floats = model.constant("y")->floats();
  ASSERT_EQ(floats.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(floats[i], expected[i], 1e-6F * std::max(1.0F, std::fabs(expected[i]))) << i;
  }
}

TEST(OnnxFoldResize, Cubic) {
  expectNear(resized({"cubic", "half_pixel", "floor", kUsual, false}, {1.5F, 2}, {}), {1, 1, 6, 6},
             {-1.70704532F, 1.07484317F, 5.70640945F, 7.01954794F, 4.27272034F,  2.66493154F,
              4.93554688F,  5.57421875F, 6.67578125F, 5.84570312F, 3.55273438F,  2.171875F,
              11.2644844F,  9.75994015F, 7.33150053F, 4.35820484F, 2.5190928F,   1.3651619F,
              9.84595299F,  8.59504414F, 6.58435583F, 3.8646965F,  1.971874F,    0.791087627F,
              8.828125F,    7.640625F,   5.734375F,   3.078125F,   1.171875F,    -0.015625F,
              8.33507061F,  7.14757061F, 5.24132013F, 2.58506989F, 0.678819835F, -0.508680403F});
  expectNear(resized({"cubic", "align_corners", "floor", kUsual, false}, {}, {2, 5}), {1, 1, 2, 5},
             {0, 3.875F, 7, 5.65625F, 3, 8, 6.375F, 4, 1.625F, 0});
}

TEST(OnnxFoldResize, CubicWithoutWhatLiesOutside) {
  expectNear(resized({"cubic", "pytorch_half_pixel", "floor", -0.5F, true}, {}, {3, 4}),
             {1, 1, 3, 4},
             {0.848508F, 5.03223991F, 5.80747128F, 2.68820047F, 10.4323692F, 7.53022671F,
              3.67814541F, 1.29104483F, 8.3118F, 5.87646484F, 2.32922435F, -0.106110848F});
}

TEST(OnnxFoldResize, Linear) {
  expectNear(
      resized({"linear", "half_pixel", "floor", kUsual, false}, {}, {3, 5}), {1, 1, 3, 5},
      {1.66666687F, 3.73333359F, 6.83333302F, 4.43333292F, 2.83333349F, 9.5F, 7.89999962F, 5.5F,
       3.09999943F, 1.5F, 8.16666698F, 6.5666666F, 4.16666698F, 1.76666617F, 0.166666746F});
  expectNear(
      resized({"linear", "asymmetric", "floor", kUsual, false}, {0.5F, 1.7F}, {}), {1, 1, 2, 5},
      {0, 4.11764669F, 6.29411793F, 3.94117689F, 3, 9, 6.64705896F, 4.29411793F, 1.94117689F, 1});
  expectNear(resized({"linear", "pytorch_half_pixel", "floor", kUsual, false}, {}, {1, 6}),
             {1, 1, 1, 6}, {0, 1.75F, 5.25F, 6, 4, 3});
}

TEST(OnnxFoldResize, Nearest) {
  const auto nearest = [](const char* coordinates, const char* mode, const Integers& sizes) {
    return resized({"nearest", coordinates, mode, kUsual, false}, {}, sizes);
  };
  expectNear(nearest("half_pixel", "round_prefer_ceil", {2, 4}), {1, 1, 2, 4},
             {10, 6, 6, 2, 8, 4, 4, 0});
  expectNear(nearest("half_pixel", "round_prefer_floor", {2, 4}), {1, 1, 2, 4},
             {0, 7, 7, 3, 9, 5, 5, 1});
  expectNear(nearest("align_corners", "ceil", {3, 5}), {1, 1, 3, 5},
             {0, 7, 7, 3, 3, 9, 5, 5, 1, 1, 8, 4, 4, 0, 0});
  const Model twice = resized({"nearest", "asymmetric", "floor", kUsual, false}, {2, 2}, {});
  EXPECT_EQ(dimsOfY(twice), (Integers{1, 1, 8, 6}));
}

TEST(OnnxFoldResize, IntoAndOutOfAShrinkingAxis) {
  // Grown first, the value would have 2^24 elements on the way.
  auto proto = start();
  addConstant(proto, "a", {1 << 12, 1}, Numbers(1 << 12, 2.5F));
  addIntegers(proto, "sizes", {1, 1 << 12});
  onnx::setAttribute(addNode(proto, "Resize", {"a", "", "", "sizes"}, {"y"}), "mode",
                     std::string("linear"));
  EXPECT_EQ(folded(std::move(proto)).constant("y")->floats()[77], 2.5F);
}

TEST(OnnxFoldResize, KeepsWhatItDoesNotKnow) {
  EXPECT_FALSE(
      resized({"cubic", "tf_crop_and_resize", "floor", kUsual, false}, {}, {3, 5}).constant("y"));
  EXPECT_FALSE(
      resized({"lanczos", "half_pixel", "floor", kUsual, false}, {}, {3, 5}).constant("y"));
  for (const float scale : {0.0F, -1.0F, 1e9F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    EXPECT_FALSE(
        resized({"linear", "half_pixel", "floor", kUsual, false}, {scale, 2}, {}).constant("y"))
        << scale;
  }
  EXPECT_FALSE(
      resized({"linear", "half_pixel", "floor", kUsual, false}, {}, {kMax, 0}).constant("y"));
}

}  // namespace
}  // namespace mpm::test
