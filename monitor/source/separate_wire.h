// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// Messages between a monitor and the process that reads a source for it (`mpm-reader`), over a
/// socket: a call, an answer, a call, ...; each a block of plain data.
using WireText = std::array<char, 8192>;  ///< up to its end or a 0

struct ReaderCall {
  enum What : std::int32_t { open, read, seek };

  What what = open;
  SourceKind kind = SourceKind::stream;  ///< of `open`, as `options` and the address
  ReaderOptions options;
  WireText address{}, shown{};
  std::int64_t positionMs = 0;  ///< of `seek`
};

struct ReaderAnswer {
  enum Said : std::int32_t {
    done,    ///< it is open, or went there
    failed,  ///< the text says why
    frame,   ///< it stands at the beginning of the memory
    ended
  };

  // Contains no bool: someone who took over that process may send any byte.
  Said said = failed;
  std::uint8_t isLive = 1, hasPosition = 0;
  double paceMs = 0;
  std::int64_t positionMs = 0;
  cv::Size picture;
  WireText text{};
};

/// Descriptors that mpm-reader starts with: a SOCK_SEQPACKET socket, and memory for pictures.
constexpr int kReaderSocket = 3, kReaderMemory = 4;
/// Exit status of a process that took more than ReaderOptions::mostMegabytes.
constexpr int kTookTooMuchMemory = 3;

/// Truncates a text to the room that there is.
WireText wireText(const std::string& text);
std::string textOf(const WireText& text);

/// Returns false if nobody receives it.
template <typename Facts>
bool send(int socket, const Facts& facts) {
  static_assert(std::is_trivially_copyable_v<Facts>);
  return TEMP_FAILURE_RETRY(::send(socket, &facts, sizeof facts, MSG_NOSIGNAL)) ==
         static_cast<ssize_t>(sizeof facts);
}

/// Waits without a limit. Returns false if the other end is closed or sent something else.
template <typename Facts>
bool receive(int socket, Facts& facts) {
  static_assert(std::is_trivially_copyable_v<Facts>);
  return TEMP_FAILURE_RETRY(recv(socket, &facts, sizeof facts, 0)) ==
         static_cast<ssize_t>(sizeof facts);
}

/// Closes its descriptor with this object.
class OwnDescriptor {
 public:
  explicit OwnDescriptor(int number = -1) : number_(number) {}
  ~OwnDescriptor() { reset(); }
  OwnDescriptor(OwnDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }

  int get() const { return number_; }
  void reset(int number = -1);

 private:
  int number_;
};

/// Creates memory shared by two processes, for a picture of any size up to a limit; only written
/// pages take space. It has no name, and is freed when both release it, however they end. Its size
/// is sealed, so that neither can shrink it under the other. Throws std::runtime_error.
OwnDescriptor makePictureMemory(double megapixels);

/// Maps that memory into this process.
class PictureMemory {
 public:
  PictureMemory() = default;
  PictureMemory(int descriptor, bool isToWrite);  ///< std::runtime_error

  /// Returns a BGR CV_8UC3 picture in the memory; empty if that size does not fit.
  cv::Mat picture(cv::Size size) const;

 private:
  std::size_t bytes_ = 0;
  std::shared_ptr<void> memory_;
};

}  // namespace mpm::monitor
