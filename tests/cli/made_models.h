// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::test {

struct TinyModel {
  std::vector<std::string> inputs = {"x"};
  std::vector<std::string> outputs = {"y"};
  std::map<std::string, std::string> metadata;
};

/// The bytes of an ONNX model that no encoder is in: inputs [any, 2, 3] are added up, and each
/// output is the ReLU of the sum.
std::string tinyModel(const TinyModel& model = {});

/// A class's colour, BGR, of up to 216.
cv::Vec3b classColour(int k);

/// The bytes of an ONNX model, one convolution, that takes a patch of 16 x 16 pixels for the class
/// whose colour is nearest to its mean: image [1, 3, side, side] (RGB, mean and std 0.5), masks
/// [1, classes, side / 16, side / 16].
std::string colourModel(int classes, int side);

}  // namespace mpm::test
