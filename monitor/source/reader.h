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

/// One picture from a reader.
struct Shot {
  cv::Mat picture;                         ///< BGR CV_8UC3, its own
  std::optional<std::int64_t> positionMs;  ///< of a video, folder or scene: since its beginning
  cv::Mat room;  ///< asked for: memory that a picture of that size may stand in; empty: its own
};

/// Returns a picture as BGR CV_8UC3: `picture` itself if it is, else a converted copy. Takes 8 and
/// 16 bits and floats from 0 to 1, grey, BGR and BGRA. Empty if it is no such picture.
cv::Mat bgrOf(const cv::Mat& picture);

enum class ReadStatus {
  frame,
  ended,  ///< the last picture of a file or folder was given: there is nothing to reconnect to
  failed  ///< nothing came: Reader::fault() says why
};

/// Reads frames of one source, in one thread.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual bool open() = 0;  ///< again after a failure; false: fault() says why
  virtual ReadStatus read(Shot& shot) = 0;
  virtual const std::string& fault() const = 0;  ///< one sentence without secrets
  /// Tells whether frames come when the camera has them. Otherwise they come on request, and the
  /// caller keeps the pace (`paceMs`).
  virtual bool isLive() const = 0;
  virtual double paceMs() const { return 0; }  ///< from frame to frame, of what is not live
  virtual bool seek(std::int64_t /*positionMs*/) { return false; }  ///< of files; before a read
  /// Returns a function that ends the reader's current call, from any thread at any later time; the
  /// reader is useless afterwards. Empty if nothing can.
  virtual std::function<void()> interruption() const { return {}; }
  /// Tells whether its last call took too long and was abandoned; the reader is useless then.
  virtual bool wasGivenUp() const { return false; }
};

struct ReaderOptions {
  std::int64_t openTimeoutMs = 10000, readTimeoutMs = 5000;  ///< asked of libraries that have them
  std::int64_t abandonAfterMs = 15000;  ///< a process that is longer in one call is killed
  bool loop = false;                    ///< files and folders begin again
  bool timesInNames = false;  ///< of a folder for which namedTimes() is known: they are positions
  /// Largest picture to read. A larger one is rejected before it takes memory, if its file, stream
  /// or camera reports its size. 8K has 33.
  double mostMegapixels = 40;
  /// Memory limit of a reader in a separate process, checked five times a second. A process that
  /// takes more is ended and replaced.
  double mostMegabytes = 1000;
};

/// Returns when a folder's pictures were taken, in order, in milliseconds of UTC. All names need a
/// date and a time, such as 20240612T152855Z or 2024-06-12_15-28-55, in ascending order. Otherwise
/// empty.
std::vector<std::int64_t> namedTimes(const std::string& folder);

/// Creates a reader without opening it.
std::unique_ptr<Reader> makeReader(const SourceAddress& address, const ReaderOptions& options = {});

}  // namespace mpm::monitor
