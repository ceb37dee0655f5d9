// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <type_traits>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// What a monitor and the process that reads a source for it (`mpm-reader`) say to each other: a
/// call, an answer, a call, ...; each a block of plain facts and a text. Before it decodes a
/// picture of a folder, the process asks with an answer of its own whether it may. Both come from
/// one build, but for an update under a running monitor: `layout` tells.
constexpr std::uint32_t kWireVersion = 2;

struct ReaderCall {
  enum What : std::int32_t { open, read, seek, decode, leaveOut };

  std::uint32_t layout = 0;
  What what = open;
  SourceKind kind = SourceKind::stream;  ///< of `open`, whose text is the address, 0, and the shown
  ReaderOptions options;                 ///< of `open`
  std::int64_t positionMs = 0;           ///< of `seek`
  cv::Size room;  ///< of `read`: the size of pictures in the memory that is passed with it
};

struct ReaderAnswer {
  enum Said : std::int32_t {
    done,    ///< it is open, or went there
    failed,  ///< the text says why
    frame,   ///< it stands in the memory
    ended,
    tries,  ///< may it decode the picture that the text names? `decode` or `leaveOut`
    noRoom  ///< there is a frame, of the size `picture`: pass memory for it with another `read`
  };

  // No bool: whoever took that process over may send any byte.
  Said said = failed;
  std::uint8_t isLive = 1, hasPosition = 0;
  double paceMs = 0;
  std::int64_t positionMs = 0, written = 0;  ///< `written`: of `tries`, as PictureFile has it
  cv::Size picture;
};

constexpr std::uint32_t kWireLayout =
    kWireVersion << 24 | std::uint32_t{sizeof(ReaderCall)} << 12 | sizeof(ReaderAnswer);

/// A descriptor that is closed with this object.
class OwnDescriptor {
 public:
  explicit OwnDescriptor(int number = -1) : number_(number) {}
  ~OwnDescriptor() { reset(); }
  OwnDescriptor(OwnDescriptor&& other) noexcept : number_(other.release()) {}
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }

  int get() const { return number_; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }
  void reset(int number = -1);

 private:
  int number_;
};

/// Sends facts and a text over a socket of SOCK_SEQPACKET, and a descriptor where one is given.
/// False: nobody hears it.
bool sendBlock(int socket, const void* facts, std::size_t bytes, const std::string& text,
               int passed);
/// Waits for as long as it takes. False: the other end is closed, or said something else.
bool receiveBlock(int socket, void* facts, std::size_t bytes, std::string& text,
                  OwnDescriptor& passed);

template <typename Facts>
bool send(int socket, const Facts& facts, const std::string& text = "", int passed = -1) {
  static_assert(std::is_trivially_copyable_v<Facts>);
  return sendBlock(socket, &facts, sizeof facts, text, passed);
}

template <typename Facts>
bool receive(int socket, Facts& facts, std::string& text, OwnDescriptor& passed) {
  static_assert(std::is_trivially_copyable_v<Facts>);
  return receiveBlock(socket, &facts, sizeof facts, text, passed);
}

/// Memory for a picture that two processes see. It has no name, and is gone when both let go of it,
/// however they end; its size is sealed, so that none can take memory away under the other.
class SharedPicture {
 public:
  SharedPicture() = default;
  ~SharedPicture();
  SharedPicture(SharedPicture&& other) noexcept;
  SharedPicture& operator=(SharedPicture&& other) noexcept;

  /// For pictures of that size that another process writes; `passed` is for it. std::runtime_error.
  static SharedPicture toRead(cv::Size size, OwnDescriptor& passed);
  /// The same memory, there. std::runtime_error where it is none of that size.
  static SharedPicture toWrite(cv::Size size, const OwnDescriptor& passed);

  cv::Size size() const { return size_; }
  cv::Mat picture() const;  ///< BGR CV_8UC3, in the memory; empty: there is none

 private:
  void map(int descriptor, int protection);

  cv::Size size_;
  void* memory_ = nullptr;
};

}  // namespace mpm::monitor
