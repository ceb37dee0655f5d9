// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "segment/facts.h"

namespace mpm::cli {

/// A picture as the input of `model`, which has to have one, [batch, 1 or 3, height, width]:
/// resized to `size`, or where that is empty to the model's own, with the mean, std and channel
/// order that `facts` have (0.5, 0.5, RGB where they have none). Every image of a batch is the
/// picture. std::runtime_error where the model takes something else.
cv::Mat pictureBlob(const cv::Mat& picture, const Description& model, const segment::Facts& facts,
                    const cv::Size& size);

/// Frames as inputs of the model in a file that is read with these options, to calibrate it on.
/// std::runtime_error with `path` where it cannot merge, or takes something else.
std::vector<cv::Mat> calibrationBlobs(const std::string& path, ReadOptions options,
                                      const std::vector<cv::Mat>& frames);

}  // namespace mpm::cli
