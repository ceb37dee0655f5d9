// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <thread>

namespace mpm::monitor {

/// Writes pictures into a video (.avi, Motion JPEG, which every OpenCV can write) in a thread of
/// its own, which alone waits for the disk. Where that is too slow pictures are left out, and
/// counted. The first one's size counts; others are resized. A file that has no picture in the end
/// is removed.
class ClipWriter {
 public:
  /// `prepare` is called first in the thread: what it throws is the fault.
  ClipWriter(const std::string& path, double fps, std::size_t mostWaiting = 16,
             std::function<void()> prepare = {});
  /// Writes what waits, and ends the file. A disk that takes nothing for kSilentMs, also before
  /// this where finish() was called, is waited for no longer: the thread is left behind, and nobody
  /// is told when it is done.
  ~ClipWriter();
  ClipWriter(const ClipWriter&) = delete;
  ClipWriter& operator=(const ClipWriter&) = delete;

  static constexpr int kSilentMs = 5000;

  /// BGR CV_8UC3, not changed afterwards; stands for so many frames. Returns at once.
  void add(const cv::Mat& picture, int frames = 1);

  struct Status {
    std::uint64_t written = 0, leftOut = 0;  ///< pictures
    bool isWhole = true;  ///< known at the end: on a full disk it may not be, and not even play
    std::string fault{};  ///< why no picture can be written
  };
  /// No picture comes any more. `then` is called from another thread when the file is ended, and
  /// neither throws nor takes long; isDone() after that.
  void finish(std::function<void(const Status&)> then);
  bool isDone() const;

  Status status() const;

 private:
  struct Writing;
  std::shared_ptr<Writing> writing_;
  std::thread thread_;
};

}  // namespace mpm::monitor
