// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "monitor/source/address.h"

namespace mpm::monitor {

/// One picture as a reader gives it.
struct Shot {
  cv::Mat picture;                         ///< BGR CV_8UC3, its own
  std::optional<std::int64_t> positionMs;  ///< of a video, folder or scene: since its beginning
  cv::Mat room;  ///< asked for: memory that a picture of that size may stand in; empty: its own
};

/// A picture as BGR CV_8UC3: `picture` itself where it is that already, else a converted copy.
/// Takes 8 and 16 bits and floats from 0 to 1; grey, BGR and BGRA. Empty: it is no such picture.
cv::Mat bgrOf(const cv::Mat& picture);

enum class ReadStatus {
  frame,
  ended,  ///< the last picture of a file or folder was given: there is nothing to reconnect to
  failed  ///< nothing came: Reader::fault() says why
};

/// Frames of one source, from one thread.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual bool open() = 0;  ///< again after a failure; false: fault() says why
  virtual ReadStatus read(Shot& shot) = 0;
  virtual const std::string& fault() const = 0;  ///< one sentence without secrets
  /// Whether frames come when the camera has them; else whenever they are asked for, and whoever
  /// reads keeps the pace (`paceMs`).
  virtual bool isLive() const = 0;
  virtual double paceMs() const { return 0; }  ///< from frame to frame, of what is not live
  virtual bool seek(std::int64_t /*positionMs*/) { return false; }  ///< of files; before a read
  /// What ends the call that the reader is in, from any thread and for as long as anybody likes;
  /// the reader is of no use then. Empty: nothing can.
  virtual std::function<void()> interruption() const { return {}; }
  /// Whether its last call took too long and was given up; the reader is of no use then.
  virtual bool wasGivenUp() const { return false; }
};

struct ReaderOptions {
  std::int64_t openTimeoutMs = 10000, readTimeoutMs = 5000;  ///< asked of libraries that have them
  std::int64_t abandonAfterMs = 15000;  ///< a process that is longer in one call is killed
  bool loop = false;                    ///< files and folders begin again
  bool timesInNames = false;  ///< of a folder for which namedTimes() is known: they are positions
  /// Of a picture: a larger one is refused, where its file, stream or camera tells its size before
  /// memory is taken for it. 8K has 33.
  double mostMegapixels = 40;
  /// Of memory, for a reader in a process of its own: one that takes more is ended, and replaced.
  /// It is looked at five times a second.
  double mostMegabytes = 1000;
};

/// When the pictures of a folder were taken, in their order, in milliseconds of UTC: where all
/// their names have a date and a time, as 20240612T152855Z or 2024-06-12_15-28-55, each later than
/// the one before. Else empty.
std::vector<std::int64_t> namedTimes(const std::string& folder);

/// Does not open it yet.
std::unique_ptr<Reader> makeReader(const SourceAddress& address, const ReaderOptions& options = {});

}  // namespace mpm::monitor
