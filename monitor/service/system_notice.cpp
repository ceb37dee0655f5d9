// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/system_notice.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace mpm::monitor {

SystemNotice::SystemNotice() {
  if (const char* path = std::getenv("NOTIFY_SOCKET")) path_ = path;
  const char* forWhom = std::getenv("WATCHDOG_PID");
  const char* every = std::getenv("WATCHDOG_USEC");
  if (every != nullptr && (forWhom == nullptr || std::atoll(forWhom) == getpid())) {
    aliveEveryMs_ = std::max<std::int64_t>(std::atoll(every), 0) / 2000;
  }
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}) unsetenv(name);
  // Accepts a path, or a name in the abstract namespace, which begins with @.
  if (path_.size() < 2 || (path_[0] != '/' && path_[0] != '@') ||
      path_.size() >= sizeof(sockaddr_un::sun_path)) {
    path_.clear();
    return;
  }
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

SystemNotice::~SystemNotice() {
  if (socket_ >= 0) close(socket_);
}

void SystemNotice::send(const std::string& text) const {
  if (socket_ < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (path_[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  sendto(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
         reinterpret_cast<const sockaddr*>(&address), size);
}

void SystemNotice::ready() { send("READY=1"); }

void SystemNotice::reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t usec = static_cast<std::int64_t>(now.tv_sec) * 1000000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

void SystemNotice::stopping() { send("STOPPING=1"); }
void SystemNotice::status(const std::string& line) { send("STATUS=" + line); }
void SystemNotice::alive() { send("WATCHDOG=1"); }

}  // namespace mpm::monitor
