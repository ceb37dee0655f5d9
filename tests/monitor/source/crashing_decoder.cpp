// SPDX-License-Identifier: Apache-2.0
// In a reader of its own: a decoder that crashes on pictures whose names say so.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <vector>

// In place of OpenCV's.
cv::Mat cv::imread(const cv::String& path, int flags) {
  if (std::filesystem::path(path).filename().string().find("crashes") != std::string::npos) {
    std::abort();
  }
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  return cv::imdecode(bytes, flags);
}
