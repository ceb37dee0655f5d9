// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/segment_frames.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

/// How many pixels of each class a label map has.
std::vector<long> pixelsOf(const cv::Mat& labels, std::size_t classes);

/// A frame as one line of JSON, with its end of line: where it came from, its size, the share of
/// each class that it has, the tokens that lived at each stage, times, its files.
std::string frameJson(const InputFrame& frame, int number, const Segmentation& segmentation,
                      const std::vector<std::string>& classes,
                      const std::vector<std::string>& files);

}  // namespace mpm::cli
