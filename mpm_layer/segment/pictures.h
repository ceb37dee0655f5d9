// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm {

/// The frame (BGR) with each pixel half in the colour of its label.
cv::Mat drawOverlay(const cv::Mat& frame, const cv::Mat& labels,
                    const std::vector<cv::Vec3b>& palette);

/// The frame as the merged tokens see it, at its own size: each place of the grid in the mean
/// colour of its group, with a line wherever two neighbours belong to different groups.
/// `map`: CV_32S, the live row of each place. `area`: what the grid covers of the frame, which is
/// (0, 0) to (1, 1), and more of it than the frame (Segmentation::gridArea of one window): a group
/// has the mean colour of what of it lies in the frame.
cv::Mat drawMergeMap(const cv::Mat& frame, const cv::Mat& map,
                     const cv::Rect2d& area = {0, 0, 1, 1});

/// Values (CV_32F) as colours from dark to bright, from the smallest finite one to the largest;
/// what is not finite is black.
cv::Mat drawValues(const cv::Mat& values);

}  // namespace mpm
