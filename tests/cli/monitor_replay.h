// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "cli/mpm.h"

namespace mpm::test {

using Words = std::vector<std::string>;

/// Writes so many pictures of noise, 100.png and so on, and returns their folder.
inline std::string noisePictures(const Folder& folder, int count) {
  const std::string path = folder.at("pictures");
  std::filesystem::create_directory(path);
  for (int i = 0; i < count; ++i) {
    cv::Mat picture(48, 64, CV_8UC3);
    cv::RNG(static_cast<std::uint64_t>(i) + 1).fill(picture, cv::RNG::UNIFORM, 0, 256);
    cv::imwrite(path + "/" + std::to_string(100 + i) + ".png", picture);
  }
  return path;
}

/// mpm watch over all of a source, with a small model.
inline Ended monitorReplay(const std::string& source, const Words& more) {
  Words words{"watch", source, "--replay", "--model", modelFile("segmenter_mask.onnx")};
  words.insert(words.end(), more.begin(), more.end());
  return mpmProgram(words);
}

}  // namespace mpm::test
