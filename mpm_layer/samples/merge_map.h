// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace demo {

/// The picture as the merged tokens see it: each patch in the mean colour of its group, with a
/// line wherever two neighbouring patches belong to different groups.
/// `map`: 1 x N floats, N = (height / patch) * (width / patch) of the picture.
cv::Mat drawMergeMap(const cv::Mat& picture, const cv::Mat& map, int patch);

}  // namespace demo
