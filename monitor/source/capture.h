// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <thread>

#include "monitor/clock/clock.h"
#include "monitor/source/address.h"
#include "monitor/source/reader.h"

namespace mpm::monitor {

struct Frame {
  cv::Mat picture;                         ///< BGR CV_8UC3; nobody writes into it
  std::uint64_t number = 0;                ///< of this capture, from 1, dropped ones counted
  Moment taken;                            ///< when the reader gave it
  std::optional<std::int64_t> positionMs;  ///< in a file
};

enum class CaptureState {
  opening,
  live,     ///< frames come
  stale,    ///< it is open, but nothing new came for staleMs
  waiting,  ///< it failed, and is tried again at nextTry
  ended     ///< a file is at its end, or the capture was stopped
};

/// Returns "opening", "live", ... Inline, so that users of states load no libraries that read
/// videos.
constexpr const char* nameOf(CaptureState state) {
  switch (state) {
    case CaptureState::opening:
      return "opening";
    case CaptureState::live:
      return "live";
    case CaptureState::stale:
      return "stale";
    case CaptureState::waiting:
      return "waiting";
    case CaptureState::ended:
      return "ended";
  }
  return "";
}

struct CaptureStatus {
  CaptureState state = CaptureState::opening;
  std::uint64_t frames = 0;        ///< read
  std::uint64_t drops = 0;         ///< of these nobody took
  std::uint64_t reconnects = 0;    ///< how often it was opened again
  std::uint64_t abandoned = 0;     ///< readers that did not return, and were ended
  std::uint64_t frozen = 0;        ///< frames that were the very same as the one before, in a row
  std::string fault;               ///< why it is not live; no secrets
  bool isCutShort = false;         ///< of `ended`: a replay that failed before its end
  std::int64_t msToNextTry = 0;    ///< of `waiting`
  std::int64_t msSinceFrame = -1;  ///< since the newest was read; -1: none yet
  double fps = 0;                  ///< of the last seconds, as read
  cv::Size size;                   ///< of the newest frame
};

struct CaptureOptions {
  ReaderOptions reader;
  bool everyFrame =
      false;  ///< a replay: waits until each frame was taken, at no pace, and its time
              ///< is its position in the file; for files, folders and scenes alone
  std::int64_t staleMs = 3000;
  std::int64_t firstWaitMs = 500, longestWaitMs = 30000;  ///< between tries; doubled each time
  std::int64_t atOnceMs = 50;  ///< instead of the first, where it gave frames for a second
};

/// Reads a source in its own thread indefinitely. The latest frame can be taken; older ones are
/// dropped and counted. A failing source is reopened for ever, ever more slowly. All but scenes are
/// read in separate processes, by the program mpm-reader (separate_reader.h).
class Capture {
 public:
  using MakeReader = std::function<std::unique_ptr<Reader>()>;

  /// Throws std::invalid_argument, or std::runtime_error if mpm-reader is missing.
  Capture(const SourceAddress& address, const CaptureOptions& options,
          Clock& clock = systemClock());
  /// Takes other readers, for tests. `shown` names the source.
  Capture(const std::string& shown, MakeReader makeReader, const CaptureOptions& options,
          Clock& clock = systemClock());
  ~Capture();  ///< ends within 500 ms, whatever the reader does

  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Waits up to `patience` for a frame that can be taken; false if none came or it ended.
  bool waitForFrame(std::chrono::milliseconds patience) const;
  /// Returns the newest frame that was not taken yet, after waiting up to `patience`. Returns
  /// std::nullopt if none came or it ended.
  std::optional<Frame> next(std::chrono::milliseconds patience);
  CaptureStatus status() const;
  const std::string& shown() const;

  void pause(bool paused);             ///< files stand still; live sources go on unread
  void seek(std::int64_t positionMs);  ///< files, behind their end too; a paused one shows a frame
  void step();                         ///< while paused: one frame, of a live source the newest

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
  std::thread thread_;
};

}  // namespace mpm::monitor
