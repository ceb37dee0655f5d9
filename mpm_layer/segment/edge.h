// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>

#include "mpm/segmenter.h"
#include "onnx/graph/model.h"

/// Checks once what a Segmenter is given.
namespace mpm::segment {

/// A net and the description of its model.
struct PictureModel {
  Description description;
  cv::dnn::Net net;
};

/// Runs describe() and readNet() on a file that is read once. Throws std::runtime_error if its
/// input is not one picture.
PictureModel readPictureModel(const std::string& name, const ReadOptions& options);

/// Tells whether a model's input is [1, H, W, 3] instead of [1, 3, H, W].
bool isChannelsLast(const Description& model);

/// Return the short side of the resized frame and the stride of Fit::slide, in pixels. A stride of
/// 0 stays 0 and means the input's side. Throw std::invalid_argument if the options make no sense,
/// or come with Fit::stretch.
int checkedShortSide(const SegmenterOptions& options, const cv::Size& input);
int checkedStride(const SegmenterOptions& options, const cv::Size& input);

/// Throws std::invalid_argument if it is no frame.
void checkFrame(const cv::Mat& frame);

/// Throws std::invalid_argument if a frame would be cut into too many windows to wait for.
void checkWindows(int shortSide, int stride, const cv::Size& frame, const cv::Size& input);

/// Makes scores an output and returns its name if the first output is labels, the largest of scores
/// or of their softmax. Labels and probabilities of a frame of any size come from scores, and
/// scores exist before merged tokens are restored. Otherwise returns an empty name and changes
/// nothing.
std::string showScores(onnx::Model& model);

/// Throws std::runtime_error if `output` holds integers. `name` stands for the model.
void checkFraction(const onnx::Model& model, const std::string& output, const std::string& name);

/// Returns the first output of the model itself, without those that merging adds to a converted
/// file. Throws std::runtime_error if there is none.
std::string firstOutput(const onnx::Model& model, const std::string& name);

}  // namespace mpm::segment
