// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm {

/// Returns the frame (BGR) with each pixel half in the colour of its label.
cv::Mat drawOverlay(const cv::Mat& frame, const cv::Mat& labels,
                    const std::vector<cv::Vec3b>& palette);

/// Draws the frame at its own size as the merged tokens see it. Each place of the grid has its
/// group's mean colour, with lines between neighbours of different groups. `map` is CV_32S with the
/// live row of each place. `area` is the part of the frame that the grid covers, (0, 0) to (1, 1)
/// by default. It may exceed the frame (Segmentation::gridArea of one window): means then count
/// only what lies in the frame.
cv::Mat drawMergeMap(const cv::Mat& frame, const cv::Mat& map,
                     const cv::Rect2d& area = {0, 0, 1, 1});

/// Draws values (CV_32F) as colours from dark to bright, from the smallest finite one to the
/// largest. Values that are not finite are black.
cv::Mat drawValues(const cv::Mat& values);

}  // namespace mpm
