// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dnn/layer_call.h"
#include "dnn/ragged_batch.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::DictValue;
using cv::dnn::LayerParams;
using Mats = std::vector<Mat>;
using test::normalBlob;

constexpr const char* kType = "mpm.Convolve";

LayerParams with(const char* name, const std::vector<int>& numbers, LayerParams params = {}) {
  params.set(name, DictValue::arrayInt(numbers.data(), static_cast<int>(numbers.size())));
  return params;
}

std::string refusal(const LayerParams& params, const Mat& planes, const Mat& weight) {
  return test::refusal(kType, params, {planes}, {weight});
}

TEST(ConvolveLayer, OfEachImage) {
  const Mat weight = normalBlob({10, 3, 3, 2}, 1), bias = normalBlob({10}, 2);
  LayerParams params = with("stride", {2, 1}, with("dilation", {1, 3}));
  params = with("padding", {1, 0, 2, 1}, params);
  const auto layer = test::makeLayer(kType, params, {weight, bias});
  vit::ConvolveWeights weights;
  weights.filters = {{weight.ptr<float>(), 10, 18}, bias.ptr<float>()};
  weights.rows = {3, 2, 1, 1};
  weights.columns = {2, 1, 3, 0};
  for (const auto& [height, width] : {std::pair{8, 9}, {5, 20}, {8, 9}}) {  // made anew for each
    const Mat planes = normalBlob({2, 3, height, width}, 3);
    const Mat out = test::callLayer(*layer, {planes})[0];
    const int down = height / 2 + 1, across = width - 2;
    ASSERT_EQ(dnn::shapeOf(out), (dnn::Shape{2, 10, down, across}));
    for (int image = 0; image < 2; ++image) {
      std::vector<float> expected(static_cast<std::size_t>(10 * down * across));
      vit::convolveReference({planes.ptr<float>(image), 3, static_cast<std::size_t>(height),
                              static_cast<std::size_t>(width)},
                             weights, static_cast<std::size_t>(down),
                             static_cast<std::size_t>(across), expected.data());
      test::expectValues(out, image, expected, 1e-5F);
    }
  }
}

TEST(ConvolveLayer, AReluOfTheSums) {
  const Mat planes = normalBlob({1, 4, 6, 6}, 4), weight = normalBlob({9, 4, 3, 3}, 5);
  Mat sums = test::callLayer(*test::makeLayer(kType, {}, {weight}), {planes})[0].clone();
  LayerParams params;
  params.set("activation", cv::String("relu"));
  const Mat out = test::callLayer(*test::makeLayer(kType, params, {weight}), {planes})[0];
  for (std::size_t i = 0; i < out.total(); ++i) {
    EXPECT_EQ(out.ptr<float>()[i], std::max(sums.ptr<float>()[i], 0.0F)) << i;
  }
}

TEST(ConvolveLayer, RefusesAttributesThatSayNothing) {
  const Mat planes = normalBlob({1, 2, 5, 5}, 6), weight = normalBlob({3, 2, 3, 3}, 7);
  EXPECT_EQ(refusal(with("stride", {1, 0}), planes, weight),
            "mpm.Convolve 'sut': stride: expected [down, across], each 1 or more");
  EXPECT_EQ(refusal(with("dilation", {1}), planes, weight),
            "mpm.Convolve 'sut': dilation: expected [down, across], each 1 or more");
  EXPECT_EQ(refusal(with("padding", {0, 0, -1, 0}), planes, weight),
            "mpm.Convolve 'sut': padding: expected [top, left, bottom, right], each 0 or more");
  LayerParams params;
  params.set("activation", cv::String("gelu"));
  EXPECT_EQ(refusal(params, planes, weight),
            "mpm.Convolve 'sut': activation = gelu; expected relu, or none");
}

TEST(ConvolveLayer, RefusesInputsThatDoNotFit) {
  const Mat planes = normalBlob({1, 2, 5, 5}, 8), weight = normalBlob({3, 2, 3, 3}, 9);
  EXPECT_EQ(refusal({}, normalBlob({1, 50, 2}, 8), weight),
            "mpm.Convolve 'sut', input planes: is [1 x 50 x 2]; expected [batch x channels x "
            "height x width]");
  EXPECT_EQ(refusal({}, planes, normalBlob({3, 4, 3, 3}, 9)),
            "mpm.Convolve 'sut', input weight: is [3 x 4 x 3 x 3]; expected [outputs x 2 x height "
            "x width], as planes are [1 x 2 x 5 x 5]");
  EXPECT_EQ(refusal({}, planes, normalBlob({3, 2, 3, 6}, 9)),
            "mpm.Convolve 'sut', input planes: is [1 x 2 x 5 x 5], too small for a weight of "
            "[3 x 2 x 3 x 6]");
  EXPECT_EQ(refusal(with("padding", {0, 1 << 24, 0, 0}), planes, weight),
            "mpm.Convolve 'sut', input planes: is [1 x 2 x 5 x 5], too large for a weight of "
            "[3 x 2 x 3 x 3]");
}

}  // namespace
}  // namespace mpm
