// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

namespace mpm::monitor {

/// Writes pictures into a video (.avi, Motion JPEG, which every OpenCV can write) in a thread of
/// its own. Where the disk is too slow pictures are left out, and counted. The first one's size
/// counts; others are resized.
class ClipWriter {
 public:
  ClipWriter(const std::string& path,
             double fps);  ///< std::runtime_error where it cannot be written
  ~ClipWriter();           ///< writes what waits, and ends the file

  void add(const cv::Mat& picture);  ///< BGR CV_8UC3, not changed afterwards; returns at once

  struct Status {
    std::uint64_t written = 0, leftOut = 0;
  };
  Status status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
