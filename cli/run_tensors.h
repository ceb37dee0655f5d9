// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"

namespace mpm::cli {

struct Tensor {
  std::string name;
  std::string file;  ///< that it was read from
  cv::Mat values;    ///< float32
};

/// Reads a tensor for each of the model's inputs from `words`, which are NAME=x.npy, or x.npy where
/// the model has one input. `inputSize` replaces the size of the model's image input unless it is
/// empty. UsageError where words and inputs do not pair, or where a shape does not fit;
/// std::runtime_error where a file cannot be read.
std::vector<Tensor> readInputs(const std::vector<std::string>& words, const Description& model,
                               const cv::Size& inputSize);

/// Where each tensor of these names goes: `folder`/<name>.npy, with '_' for every character but
/// letters, digits, '.', '_' and '-'. std::runtime_error where nothing can be written there, or
/// where two names become one.
std::vector<std::filesystem::path> outputFiles(const std::filesystem::path& folder,
                                               const std::vector<std::string>& names);

/// Writes every tensor to its file, all of them or none; makes the folder where there is none.
void writeOutputs(const std::vector<std::filesystem::path>& files,
                  const std::vector<cv::Mat>& tensors);

/// A tensor's sizes.
std::vector<int> shapeOf(const cv::Mat& tensor);

}  // namespace mpm::cli
