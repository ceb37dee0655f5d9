// SPDX-License-Identifier: Apache-2.0
#include "cli/run_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/npy.h"
#include "cli/output_file.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

std::string fileName(std::string name) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  for (char& c : name) {
    if (kSafe.find(c) == std::string_view::npos) c = '_';
  }
  return name + ".npy";
}

// Files beside their final names; those that were not renamed are gone with it.
class PartialFiles {
 public:
  ~PartialFiles() {
    std::error_code ignored;
    for (const auto& [file, partial] : files_) fs::remove(partial, ignored);
  }

  void write(const fs::path& file, const cv::Mat& tensor) {
    fs::path partial = file;
    partial += ".";
    partial += std::to_string(getpid());
    partial += ".partial";
    files_.emplace_back(file, partial);
    cv::Mat values;
    tensor.convertTo(values, CV_32F);  // continuous, whatever the tensor was
    writeNpy(partial, shapeOf(values), values.ptr<float>());
  }

  void rename() {
    for (const auto& [file, partial] : files_) {
      std::error_code failed;
      fs::rename(partial, file, failed);
      if (failed) {
        throw std::runtime_error("cannot write " + file.string() + ": " + failed.message());
      }
    }
    files_.clear();
  }

 private:
  std::vector<std::pair<fs::path, fs::path>> files_;
};

}  // namespace

std::vector<fs::path> outputFiles(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    throw std::runtime_error("cannot write into " + folder.string() + ", which is no folder");
  }
  std::vector<fs::path> files;
  std::map<fs::path, std::string> owners;
  for (const std::string& name : names) {
    files.push_back(folder / fileName(name));
    const auto [owner, added] = owners.emplace(files.back(), name);
    if (!added) {
      throw std::runtime_error("outputs " + owner->second + " and " + name + " would both be " +
                               files.back().string());
    }
    if (fs::is_directory(files.back(), ignored)) {
      throw std::runtime_error("cannot write " + files.back().string() + ", which is a folder");
    }
  }
  return files;
}

void writeOutputs(const std::vector<fs::path>& files, const std::vector<cv::Mat>& tensors) {
  if (files.empty()) return;
  const fs::path folder = files[0].parent_path();
  const bool created = makeFolder(folder);
  try {
    PartialFiles partial;
    for (std::size_t i = 0; i < files.size(); ++i) partial.write(files[i], tensors[i]);
    partial.rename();
  } catch (...) {
    std::error_code ignored;
    if (created) fs::remove(folder, ignored);
    throw;
  }
}

std::vector<int> shapeOf(const cv::Mat& tensor) {
  return {tensor.size.p, tensor.size.p + tensor.dims};
}

}  // namespace mpm::cli
