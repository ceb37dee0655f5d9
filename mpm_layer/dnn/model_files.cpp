// SPDX-License-Identifier: Apache-2.0
#include "dnn/model_files.h"

#include <filesystem>

#include "onnx/graph/file.h"

namespace mpm::dnn {

std::vector<std::string> filesOfModel(const std::string& path) {
  std::vector<std::string> files = onnx::weightFiles(path);
  files.push_back(path);
  files.push_back(std::filesystem::path(path).replace_extension(".toml").string());
  return files;
}

}  // namespace mpm::dnn
