// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace mpm::test {

/// A class's colour, BGR, of up to 216.
cv::Vec3b classColour(int k);

/// The bytes of an ONNX model, one convolution, that takes a patch of 16 x 16 pixels for the class
/// whose colour is nearest to its mean: image [1, 3, side, side] (RGB, mean and std 0.5), masks
/// [1, classes, side / 16, side / 16].
std::string colourModel(int classes, int side);

}  // namespace mpm::test
