// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "cli/measure/configuration.h"

namespace mpm::cli {

/// A model as OpenCV itself reads it.
struct OpenCvPeer {
  std::shared_ptr<LoadedNet> net;  ///< null: there is nothing to time
  std::string why;                 ///< then: "does not load it", or how wrong its result is
};

/// Reads the model with cv::dnn::readNetFromONNX. Its result is right where no value differs from
/// `expected`, one for each output, by more than 1e-3 of that output's largest.
OpenCvPeer readOpenCvPeer(const std::string& path, const cv::Mat& blob, const Description& model,
                          const std::vector<cv::Mat>& expected);

/// The largest difference of two tensors relative to the largest value of `expected`; infinite
/// where their numbers of values differ or one of `given` is not finite.
double largestDifference(const cv::Mat& given, const cv::Mat& expected);

}  // namespace mpm::cli
