// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <opencv2/core.hpp>
#include <string>
#include <thread>

namespace cv {
class VideoWriter;
}

namespace mpm::monitor {

/// Writes pictures into a video (.avi, Motion JPEG, which every OpenCV can write) in a thread of
/// its own. Where the disk is too slow pictures are left out, and counted. The first one's size
/// counts; others are resized.
class ClipWriter {
 public:
  /// std::runtime_error where it cannot be written.
  ClipWriter(const std::string& path, double fps, std::size_t mostWaiting = 16);
  ~ClipWriter();  ///< writes what waits, and ends the file
  ClipWriter(const ClipWriter&) = delete;
  ClipWriter& operator=(const ClipWriter&) = delete;

  /// BGR CV_8UC3, not changed afterwards; stands for so many frames. Returns at once.
  void add(const cv::Mat& picture, int frames = 1);

  struct Status {
    std::uint64_t written = 0, leftOut = 0;  ///< pictures
    bool isWhole = true;  ///< known at the end: on a full disk it may not be, and not even play
  };
  /// No picture comes any more. `then` is called from another thread when the file is ended, and
  /// does not throw; isDone() after that.
  void finish(std::function<void(const Status&)> then);
  bool isDone() const { return isDone_; }

  Status status() const;

 private:
  struct Waiting {
    cv::Mat picture;
    int frames = 1;
  };
  void run();
  bool write(cv::VideoWriter& video, Waiting next);

  std::string path_;
  double fps_;
  std::size_t mostWaiting_;
  cv::Size size_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Waiting> waiting_;
  Status status_;
  bool ending_ = false;
  std::function<void(const Status&)> then_;
  std::atomic<bool> isDone_{false};
  std::thread thread_;
};

}  // namespace mpm::monitor
