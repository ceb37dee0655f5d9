// SPDX-License-Identifier: Apache-2.0
// What a monitor hears from the process that reads a camera, which a hostile stream may have taken
// over; and what that process hears.
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "monitor/source/separate_wire.h"

namespace {

using namespace mpm::monitor;

template <typename Facts>
bool hear(const std::uint8_t* bytes, std::size_t size, Facts& facts, OwnDescriptor& passed) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
  const OwnDescriptor here(ends[0]), there(ends[1]);
  if (::send(there.get(), bytes, size, MSG_NOSIGNAL) < 0) return false;
  std::string text;
  const bool heard = receive(here.get(), facts, text, passed);
  if (heard && text.size() > size) std::abort();
  return heard;
}

volatile double sink;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  OwnDescriptor passed;
  ReaderAnswer answer;
  if (hear(bytes, size, answer, passed)) {
    sink = answer.paceMs + (answer.isLive ? 1 : 0) + (answer.hasPosition ? 1 : 0) +
           (answer.said == ReaderAnswer::frame ? 1 : 0);
  }
  ReaderCall call;
  if (hear(bytes, size, call, passed) && call.layout == kWireLayout) {
    try {
      SharedPicture::toWrite(call.room, passed);
    } catch (const std::runtime_error&) {
    }
  }
  return 0;
}
