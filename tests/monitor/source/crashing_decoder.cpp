// SPDX-License-Identifier: Apache-2.0
// In a reader of its own: a decoder that crashes, hangs or waits on pictures whose names say so.
// Each try of one that hangs adds a byte to PICTURE.tries; one that waits goes on where
// PICTURE.goes-on is.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

// In place of OpenCV's.
cv::Mat cv::imread(const cv::String& path, int flags) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (name.find("crashes") != std::string::npos) std::abort();
  if (name.find("hangs") != std::string::npos) {
    std::ofstream(path + ".tries", std::ios::app) << '.' << std::flush;
    for (;;) pause();
  }
  while (name.find("waits") != std::string::npos && !std::filesystem::exists(path + ".goes-on")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  return cv::imdecode(bytes, flags);
}
