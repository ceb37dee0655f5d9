// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <opencv2/dnn.hpp>
#include <opencv2/dnn/layer.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "dnn/layer_inputs.h"
#include "mpm/layers.h"
#include "mpm/rows.h"

namespace mpm::test {

using Mats = std::vector<cv::Mat>;

constexpr float kPoison = 12345;
constexpr float kTolerance = 1e-4F;
constexpr int kDim = 24, kCapacity = 12;

inline cv::Mat normalBlob(const std::vector<int>& shape, std::uint32_t seed) {
  cv::Mat blob(shape, CV_32F);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < blob.total(); ++i) blob.ptr<float>()[i] = normal(random);
  return blob;
}

inline cv::Mat filledBlob(const std::vector<int>& shape, const std::vector<float>& values) {
  cv::Mat blob(shape, CV_32F);
  CV_Assert(blob.total() == values.size());
  std::copy(values.begin(), values.end(), blob.ptr<float>());
  return blob;
}

/// Attributes from a text such as "special=1 grid=3,4 eps=1e-3 inputs=tokens,rows". What begins
/// with a digit or a sign is one number or several.
inline cv::dnn::LayerParams settings(const std::string& text) {
  cv::dnn::LayerParams params;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('=')), value = word.substr(name.size() + 1);
    if (value.find_first_of("-0123456789") != 0) {
      params.set(name, cv::String(value));
      continue;
    }
    std::vector<double> numbers;
    std::istringstream list(value);
    for (std::string part; std::getline(list, part, ',');) numbers.push_back(std::stod(part));
    const auto size = static_cast<int>(numbers.size());
    if (value.find_first_of(".e") == std::string::npos)
      params.set(name, cv::dnn::DictValue::arrayInt(numbers.begin(), size));
    else
      params.set(name, cv::dnn::DictValue::arrayReal(numbers.begin(), size));
  }
  return params;
}

/// Makes a layer the way a net does: by its type's name, with constants as blobs.
inline cv::Ptr<cv::dnn::Layer> makeLayer(const std::string& type, cv::dnn::LayerParams params,
                                         const Mats& constants = {}) {
  registerLayers();
  params.name = "sut";
  params.type = type;
  params.blobs = constants;
  cv::Ptr<cv::dnn::Layer> layer = cv::dnn::LayerFactory::createLayerInstance(type, params);
  CV_Assert(layer);
  return layer;
}

inline cv::Ptr<cv::dnn::Layer> makeLayer(const std::string& type, const std::string& text = "",
                                         const Mats& constants = {}) {
  return makeLayer(type, settings(text), constants);
}

/// Asks for shapes, gives outputs full of kPoison, and runs the layer.
inline Mats callLayer(cv::dnn::Layer& layer, const Mats& inputs, float poison = kPoison) {
  std::vector<dnn::HostShape> shapes, outputShapes, internalShapes;
  for (const cv::Mat& input : inputs) shapes.emplace_back(input.size.p, input.size.p + input.dims);
  int required = 1;
#if CV_VERSION_MAJOR >= 5
  required = std::max<int>(required, static_cast<int>(layer.outputs.size()));
#endif
  layer.getMemoryShapes(shapes, required, outputShapes, internalShapes);
  Mats outputs, internals;
  for (const dnn::HostShape& shape : outputShapes) {
    outputs.emplace_back(std::vector<int>(shape.begin(), shape.end()), CV_32F, cv::Scalar(poison));
  }
  layer.forward(inputs, outputs, internals);
  return outputs;
}

/// What a layer says to what does not fit.
inline std::string refusal(const std::string& type, const std::string& text, const Mats& inputs,
                           const Mats& constants = {}) {
  try {
    callLayer(*makeLayer(type, text, constants), inputs);
  } catch (const cv::Exception& error) {
    return error.err;
  }
  return "nothing was thrown";
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
  /// The live rows of an image from the row `first` on.
  ConstRows of(int image, int first = 0) const {
    return {tokens.ptr<float>(image, first), static_cast<std::size_t>(live[image] - first), kDim};
  }
  /// A map [3, 12 - special] to the live image rows, each of which has tokens.
  cv::Mat map(int special = 1) const {
    cv::Mat map(3, kCapacity - special, CV_32F);
    for (int image = 0; image < 3; ++image) {
      for (int i = 0; i < kCapacity - special; ++i)
        map.ptr<float>(image)[i] = static_cast<float>(i * 5 % (live[image] - special));
    }
    return map;
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

/// A layer's first output is what `expected` says of each image. Constants reach the layer as
/// OpenCV 4 gives them and as OpenCV 5 does. Each is called twice, the second time with weights
/// that it may have packed, and then for the first image alone.
inline void expectCase(const std::string& type, const std::string& text, const Mats& inputs,
                       const Mats& constants, dnn::Shape shape,
                       const std::function<std::vector<float>(int image)>& expected,
                       float tolerance = kTolerance) {
  Mats single;
  for (const cv::Mat& input : inputs) single.push_back(input.rowRange(0, 1).clone());
  for (const bool asBlobs : {true, false}) {
    SCOPED_TRACE(type + " " + text + (asBlobs ? "" : ", constants among its inputs"));
    const auto layer = makeLayer(type, text, asBlobs ? constants : Mats());
    const Mats* const calls[] = {&inputs, &inputs, &single};
    for (const Mats* call : calls) {
      Mats all = *call;
      if (!asBlobs) all.insert(all.end(), constants.begin(), constants.end());
      const cv::Mat out = callLayer(*layer, all)[0];
      shape[0] = all[0].size[0];
      ASSERT_EQ(dnn::shapeOf(out), shape);
      for (int image = 0; image < out.size[0]; ++image)
        expectValues(out, image, expected(image), tolerance);
    }
  }
}

}  // namespace mpm::test
