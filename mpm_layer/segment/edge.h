// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>

#include "mpm/segmenter.h"
#include "onnx/graph/model.h"

/// What a Segmenter is given is checked here, once.
namespace mpm::segment {

/// A net and what is known of its model.
struct PictureModel {
  Description description;
  cv::dnn::Net net;
};

/// describe() and readNet() of a file that is read once. std::runtime_error where its input is not
/// one picture.
PictureModel readPictureModel(const std::string& name, const ReadOptions& options);

/// Whether a model's input is [1, H, W, 3] instead of [1, 3, H, W].
bool isChannelsLast(const Description& model);

/// Of Fit::slide, in pixels; std::invalid_argument where they make no sense, or go with
/// Fit::stretch. The short side of the resized frame; the stride, which stays 0 where it is the
/// input's side.
int checkedShortSide(const SegmenterOptions& options, const cv::Size& input);
int checkedStride(const SegmenterOptions& options, const cv::Size& input);

/// std::invalid_argument where it is none.
void checkFrame(const cv::Mat& frame);

/// std::invalid_argument where a frame would be cut into more windows than anybody waits for.
void checkWindows(int shortSide, int stride, const cv::Size& frame, const cv::Size& input);

/// Where the first output of a model is labels, that is the largest of scores, or their softmax:
/// makes the scores themselves an output, and gives their name. From them come labels and
/// probabilities of a frame of any size, and they are there before merged tokens are restored. Else
/// nothing changes, and it is empty.
std::string showScores(onnx::Model& model);

/// std::runtime_error where `output` is whole numbers. `name` stands for the model.
void checkFraction(const onnx::Model& model, const std::string& output, const std::string& name);

/// The first output that is the model's own: what merging adds to a converted file does not count.
/// std::runtime_error where there is none.
std::string firstOutput(const onnx::Model& model, const std::string& name);

}  // namespace mpm::segment
