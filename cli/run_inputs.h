// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"

namespace mpm::cli {

struct Tensor {
  std::string name;
  cv::Mat values;  ///< float32
};

/// Reads a tensor for each of the model's inputs from `words`, which are NAME=x.npy, or x.npy where
/// the model has one input. `inputSize` replaces the size of the model's image input unless it is
/// empty. UsageError where words and inputs do not pair, or where a shape does not fit;
/// std::runtime_error where a file cannot be read.
std::vector<Tensor> readInputs(const std::vector<std::string>& words, const Description& model,
                               const cv::Size& inputSize);

}  // namespace mpm::cli
