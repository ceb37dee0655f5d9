// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/model.h"

namespace mpm::segment {

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
