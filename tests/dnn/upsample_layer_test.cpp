// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "vit/references.h"
#include "vit/upsample.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::DictValue;
using cv::dnn::LayerParams;
using Mats = std::vector<Mat>;
using test::refusal;

constexpr const char* kType = "mpm.Upsample";
constexpr float kTwoSteps = 1e-6F;

LayerParams withPair(const char* name, int first, int second, LayerParams params = {}) {
  const int pair[] = {first, second};
  params.set(name, DictValue::arrayInt(pair, 2));
  return params;
}

LayerParams withScale(float first, float second, LayerParams params = {}) {
  const float pair[] = {first, second};
  params.set("scale", DictValue::arrayReal(pair, 2));
  return params;
}

LayerParams withMode(const std::string& mode, LayerParams params) {
  params.set("mode", cv::String(mode));
  return params;
}

struct Expected {
  vit::Places places = vit::Places::halfPixel;
  int height = 0, width = 0;
  float scaleHeight = 0, scaleWidth = 0;
};

// Of planes [B, C, h, w].
void expectUpsampled(const Mat& out, const Mat& planes, const Expected& expected) {
  ASSERT_EQ(dnn::shapeOf(out),
            (dnn::Shape{planes.size[0], planes.size[1], expected.height, expected.width}));
  const auto count = [&](int axis) { return static_cast<std::size_t>(planes.size[axis]); };
  vit::Taps rows, columns;
  rows.assign(expected.places, count(2), static_cast<std::size_t>(expected.height),
              expected.scaleHeight);
  columns.assign(expected.places, count(3), static_cast<std::size_t>(expected.width),
                 expected.scaleWidth);
  std::vector<float> values(count(1) * rows.out() * columns.out());
  for (int image = 0; image < planes.size[0]; ++image) {
    vit::upsampleReference({planes.ptr<float>(image), count(1), false}, rows, columns,
                           values.data());
    test::expectValues(out, image, values, kTwoSteps);
  }
}

TEST(UpsampleLayer, ToASizeInEachMode) {
  const std::pair<const char*, vit::Places> modes[] = {
      {"half_pixel", vit::Places::halfPixel},
      {"pytorch_half_pixel", vit::Places::pytorchHalfPixel},
      {"align_corners", vit::Places::alignCorners},
      {"asymmetric", vit::Places::asymmetric}};
  const Mat planes = test::normalBlob({2, 3, 5, 7}, 1);
  for (const auto& [mode, places] : modes) {
    SCOPED_TRACE(mode);
    const auto layer = test::makeLayer(kType, withMode(mode, withPair("size", 40, 1)));
    expectUpsampled(test::callLayer(*layer, {planes})[0], planes, {places, 40, 1});
  }
  const auto layer = test::makeLayer(kType, withPair("size", 11, 80));
  expectUpsampled(test::callLayer(*layer, {planes})[0], planes, {vit::Places::halfPixel, 11, 80});
}

// The same layer on another size: what it keeps is made anew.
TEST(UpsampleLayer, ByAScaleOfAnySize) {
  const auto layer = test::makeLayer(kType, withScale(1.5F, 4));
  for (const auto& [height, width] : {std::pair{5, 6}, {7, 3}, {5, 3}, {5, 6}}) {
    const Mat planes = test::normalBlob({1, 2, height, width}, 2);
    expectUpsampled(test::callLayer(*layer, {planes})[0], planes,
                    {vit::Places::halfPixel, height * 3 / 2, width * 4, 1.5F, 4});
  }
}

TEST(UpsampleLayer, OfScoresOnAGrid) {
  const Mat planes = test::normalBlob({2, 4, 3, 5}, 3);
  Mat scores(std::vector<int>{2, 15, 4}, CV_32F);
  for (int image = 0; image < 2; ++image) {
    for (int place = 0; place < 15; ++place) {
      for (int channel = 0; channel < 4; ++channel) {
        scores.ptr<float>(image, place)[channel] = planes.ptr<float>(image, channel)[place];
      }
    }
  }
  const auto layer = test::makeLayer(kType, withPair("grid", 3, 5, withPair("size", 24, 40)));
  expectUpsampled(test::callLayer(*layer, {scores})[0], planes, {vit::Places::halfPixel, 24, 40});
}

TEST(UpsampleLayer, RefusesAttributesThatSayNothing) {
  const Mats planes = {test::normalBlob({1, 2, 3, 4}, 4)};
  const std::string needs =
      "mpm.Upsample 'sut': needs size = [height, width] of the result, or scale = its size over "
      "that of planes; expected one of the two";
  EXPECT_EQ(refusal(kType, {}, planes), needs);
  EXPECT_EQ(refusal(kType, withScale(2, 2, withPair("size", 6, 8)), planes), needs);
  EXPECT_EQ(refusal(kType, withMode("cubic", withPair("size", 6, 8)), planes),
            "mpm.Upsample 'sut': mode = cubic; expected half_pixel, pytorch_half_pixel, "
            "align_corners or asymmetric");
  EXPECT_EQ(refusal(kType, withPair("size", 0, 8), planes),
            "mpm.Upsample 'sut': size: expected [height, width], both 1 or more");
  EXPECT_EQ(refusal(kType, test::params({{"size", 8}}), planes),
            "mpm.Upsample 'sut': size: expected [height, width], both 1 or more");
  EXPECT_EQ(refusal(kType, withScale(2, -1), planes),
            "mpm.Upsample 'sut': scale: expected [height, width], both more than 0");
  EXPECT_EQ(refusal(kType, withPair("grid", 3, 0, withPair("size", 6, 8)), planes),
            "mpm.Upsample 'sut': grid: expected [height, width], both 1 or more");
}

TEST(UpsampleLayer, RefusesInputsThatDoNotFit) {
  const LayerParams size = withPair("size", 6, 8);
  EXPECT_EQ(refusal(kType, size, {test::normalBlob({2, 12, 4}, 5)}),
            "mpm.Upsample 'sut', input planes: is [2 x 12 x 4]; expected [batch x channels x "
            "height x width], or, with grid = [height, width], [batch x places of the grid x "
            "channels]");
  EXPECT_EQ(refusal(kType, withPair("grid", 3, 4, size), {test::normalBlob({2, 11, 4}, 5)}),
            "mpm.Upsample 'sut', input planes: is [2 x 11 x 4]; expected [batch x 12 x channels], "
            "the places of grid 3 x 4");
  EXPECT_EQ(refusal(kType, withPair("grid", 3, 4, size), {test::normalBlob({2, 4, 3, 4}, 5)}),
            "mpm.Upsample 'sut', input planes: is [2 x 4 x 3 x 4]; expected [batch x 12 x "
            "channels], the places of grid 3 x 4");
  EXPECT_EQ(refusal(kType, withScale(2, 0.25F), {test::normalBlob({1, 2, 3, 3}, 5)}),
            "mpm.Upsample 'sut', input planes: has a width of 3, which scale = 0.250000 turns into "
            "0.000000; expected 1 or more");
  const Mats two = {test::normalBlob({1, 2, 3, 4}, 5), test::normalBlob({1, 2, 3, 4}, 5)};
  EXPECT_EQ(refusal(kType, size, two), "mpm.Upsample 'sut': has 2 inputs; expected 1 to 1: planes");
  Mat shorts;
  two[0].convertTo(shorts, CV_16S);
  EXPECT_EQ(refusal(kType, size, {shorts}),
            "mpm.Upsample 'sut', input planes: has type CV_16SC1; expected CV_32FC1");
}

}  // namespace
}  // namespace mpm
