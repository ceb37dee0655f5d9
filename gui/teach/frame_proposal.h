// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm::gui {

/// What a picture looks like, as a row of numbers that tells noon, dusk, night, rain and snow of
/// one view apart: colours of a coarse grid, and how rough each of its places is. BGR, of any size.
std::vector<float> lookOf(const cv::Mat& picture);

/// Which of `looks` differ most from each other and from those that are `known`: at most `count`,
/// the one that tells most first. Without any known the first is the most ordinary one. Of equals
/// the earlier; none that looks like one that is known or chosen.
std::vector<int> proposeFrames(const std::vector<std::vector<float>>& looks, int count,
                               const std::vector<std::vector<float>>& known = {});

}  // namespace mpm::gui
