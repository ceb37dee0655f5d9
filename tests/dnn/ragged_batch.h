// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "dnn/layer_call.h"
#include "mpm/rows.h"

namespace mpm::test {

constexpr float kPoison = 12345;
constexpr float kTolerance = 1e-4F;
constexpr int kDim = 24, kCapacity = 12;

inline cv::dnn::LayerParams params(const std::map<std::string, int>& values) {
  cv::dnn::LayerParams result;
  for (const auto& [name, value] : values) result.set(name, value);
  return result;
}

inline cv::dnn::LayerParams named(const std::string& inputs) {
  cv::dnn::LayerParams result;
  result.set("inputs", cv::String(inputs));
  return result;
}

inline ConstRows rowsOf(const cv::Mat& mat) {
  return {mat.ptr<float>(), static_cast<std::size_t>(mat.size[0]),
          mat.total() / static_cast<std::size_t>(mat.size[0])};
}

/// Tokens [3, 12, 24], of which 12, 7 and 3 rows live; the others are NaN.
struct RaggedBatch {
  RaggedBatch() {
    for (int image = 0; image < 3; ++image) {
      for (int row = live[image]; row < kCapacity; ++row) {
        std::fill_n(tokens.ptr<float>(image, row), kDim, std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  int live[3] = {12, 7, 3};
  cv::Mat tokens = normalBlob({3, kCapacity, kDim}, 1);
  cv::Mat rows = filledBlob({3, 1}, {12, 7, 3});
};

/// The first values of an image are as expected, and nothing was written behind them.
inline void expectValues(const cv::Mat& out, int image, const std::vector<float>& expected,
                         float tolerance = kTolerance) {
  const float* actual = out.ptr<float>(image);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::abs(actual[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i])))
        << "image " << image << ", value " << i << ": " << actual[i] << " instead of "
        << expected[i];
  }
  const std::size_t all = out.total() / static_cast<std::size_t>(out.size[0]);
  EXPECT_TRUE(
      std::all_of(actual + expected.size(), actual + all, [](float x) { return x == kPoison; }));
}

/// What a layer says to what does not fit.
inline std::string refusal(const std::string& type, const cv::dnn::LayerParams& settings,
                           const std::vector<cv::Mat>& inputs,
                           const std::vector<cv::Mat>& constants = {}) {
  try {
    callLayer(*makeLayer(type, settings, constants), inputs);
  } catch (const cv::Exception& error) {
    return error.err;
  }
  return "nothing was thrown";
}

}  // namespace mpm::test
