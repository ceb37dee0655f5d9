// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/separate_wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace mpm::monitor {
namespace {

constexpr std::size_t kMostText = 64 * 1024;

union Passing {
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
  cmsghdr aligned;
};

}  // namespace

void OwnDescriptor::reset(int number) {
  if (number_ >= 0) close(number_);
  number_ = number;
}

bool sendBlock(int socket, const void* facts, std::size_t bytes, const std::string& text,
               int passed) {
  const std::string kept = text.substr(0, kMostText);
  std::array<iovec, 2> parts{
      {{const_cast<void*>(facts), bytes}, {const_cast<char*>(kept.data()), kept.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  Passing passing{};
  if (passed >= 0) {
    message.msg_control = passing.bytes.data();
    message.msg_controllen = passing.bytes.size();
    cmsghdr* control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(control), &passed, sizeof passed);
  }
  ssize_t sent = -1;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes + kept.size());
}

bool receiveBlock(int socket, void* facts, std::size_t bytes, std::string& text,
                  OwnDescriptor& passed) {
  text.resize(kMostText);
  std::array<iovec, 2> parts{{{facts, bytes}, {text.data(), text.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  Passing passing{};
  message.msg_control = passing.bytes.data();
  message.msg_controllen =
      CMSG_LEN(sizeof(int));  // of more descriptors the system keeps the others
  ssize_t came = -1;
  do {
    came = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (came < 0 && errno == EINTR);
  passed.reset();
  for (cmsghdr* control = came > 0 ? CMSG_FIRSTHDR(&message) : nullptr; control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    int number = -1;
    std::memcpy(&number, CMSG_DATA(control), sizeof number);
    passed.reset(number);
  }
  const bool whole = came >= static_cast<ssize_t>(bytes);
  text.resize(whole ? static_cast<std::size_t>(came) - bytes : 0);
  return whole;
}

}  // namespace mpm::monitor
