// SPDX-License-Identifier: Apache-2.0
// What a monitor hears from the process that reads a camera, which a hostile stream may have taken
// over.
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "monitor/source/separate_wire.h"

using namespace mpm::monitor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const OwnDescriptor memory = makePictureMemory(0.01);
  static const PictureMemory pictures(memory.get(), false);
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
  const OwnDescriptor here(ends[0]), there(ends[1]);
  if (::send(there.get(), bytes, size, MSG_NOSIGNAL) < 0) return 0;
  ReaderAnswer answer;
  if (!receive(here.get(), answer)) return 0;
  if (textOf(answer.text).size() > answer.text.size()) std::abort();
  const cv::Mat picture = pictures.picture(answer.picture);
  if (picture.total() > 10001) std::abort();
  return 0;
}
