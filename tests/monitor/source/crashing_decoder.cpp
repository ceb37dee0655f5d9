// SPDX-License-Identifier: Apache-2.0
// In a reader of its own: a decoder that crashes or hangs on pictures whose names say so.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

// In place of OpenCV's.
cv::Mat cv::imread(const cv::String& path, int flags) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (name.find("crashes") != std::string::npos) std::abort();
  while (name.find("hangs") != std::string::npos) pause();
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  return cv::imdecode(bytes, flags);
}
