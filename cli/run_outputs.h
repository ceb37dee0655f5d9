// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/run_inputs.h"

namespace mpm::cli {

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
