// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "onnx/graph/model.h"
#include "vit/smooth_block.h"

namespace mpm::dnn {

/// Ranges of a net's blocks, by their nodes' names.
using NetRanges = std::map<std::string, vit::BlockRanges>;

/// Measures them on these inputs of a net of one input that has not run yet, in float32 on the
/// processor. std::invalid_argument for an input that does not fit or is not finite.
NetRanges measureRanges(cv::dnn::Net& net, const std::vector<cv::Mat>& inputs);

/// Gives each block of a converted model the ranges of its name's, as constants; how many blocks.
int addRanges(onnx::Model& model, const NetRanges& ranges);

}  // namespace mpm::dnn
