// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/record/record.h"

namespace mpm::monitor {

/// Writes pictures into a video (.avi, Motion JPEG, which every OpenCV can write) in its own
/// thread. Only that thread waits for the disk. If that is too slow, pictures are dropped and
/// counted. The first one sets the size; others are resized. A file without pictures is removed.
class ClipWriter {
 public:
  /// Calls `prepare` first in the thread; its exception is the fault.
  ClipWriter(const std::string& path, double fps, std::size_t mostWaiting = 16,
             std::function<void()> prepare = {});
  /// Writes what waits, and finishes the file. It gives up on a disk that takes nothing for
  /// kSilentMs, also after finish(). The thread is then abandoned, and nobody learns when it is
  /// done.
  ~ClipWriter();
  ClipWriter(const ClipWriter&) = delete;
  ClipWriter& operator=(const ClipWriter&) = delete;

  static constexpr int kSilentMs = 5000;

  /// Takes BGR CV_8UC3, not changed afterwards, for as many frames. Returns at once.
  void add(const cv::Mat& picture, int frames = 1);

  struct Status {
    std::uint64_t written = 0, leftOut = 0;  ///< pictures
    bool isWhole = true;  ///< known at the end: on a full disk it may not be, and not even play
    std::string fault{};  ///< why no picture can be written
  };
  /// Ends the input. `then` is called from another thread when the file is finished; it neither
  /// throws nor takes long. isDone() is true after that.
  void finish(std::function<void(const Status&)> then);
  bool isDone() const;

  Status status() const;

 private:
  struct Writing;
  std::shared_ptr<Writing> writing_;
  std::thread thread_;
};

/// Records a video around an event of one source: the seconds before it, kept if a rule asks for
/// clips, and those after it. It keeps the frames' own pictures or smaller ones. Until an event
/// that costs memory (kMostBytes, as much again while a clip is written) and almost no time. Events
/// during a clip extend it. Only end() waits for the disk. Not for two threads at once.
class EventClips {
 public:
  static constexpr std::int64_t kBeforeMs = 5000, kAfterMs = 10000, kLongestMs = 60000;
  static constexpr double kMostFps = 10;  // or a little more: frames are taken as they come
  static constexpr int kWidest = 800;
  static constexpr std::size_t kMostBytes = 64 << 20;
  static constexpr std::size_t kMostEnding = 2;  ///< then the disk is too slow

  /// Clips are part of this run. `record` must outlive this. They grow in its folder of snapshots
  /// until they are complete.
  EventClips(Record& record, std::int64_t run);

  void want(bool wanted);
  void frame(const Frame& frame);
  /// Call this from time to time while no frame arrives: it completes a clip whose time is over.
  void look(const Moment& now);
  /// `isLast` means that no frame will follow it.
  void begin(const std::string& reason, const Moment& at, bool isLast);
  void end();  ///< waits until all is written, or the disk does not answer

 private:
  struct Kept {
    std::int64_t steadyMs = 0, utcMs = 0;
    cv::Mat picture;
  };
  struct Clip {
    std::int64_t untilMs = 0, longestMs = 0;  // steady
    std::int64_t fromUtcMs = 0, toUtcMs = 0;
    Moment at;
    std::vector<std::string> reasons;
    std::filesystem::path path;
    std::unique_ptr<ClipWriter> writer;
  };
  void forget();
  void keep(Kept kept);
  void start(const Moment& at);
  void tell(const Moment& at, const std::string& text);
  void finish();

  Record& record_;
  std::int64_t run_;
  bool isWanted_ = false;
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
  std::optional<Clip> clip_;
  std::vector<std::unique_ptr<ClipWriter>> ending_;
  int made_ = 0;
};

}  // namespace mpm::monitor
