// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mpm::monitor {

/// Reports a service's state to systemd, by its protocol: datagrams to the socket in NOTIFY_SOCKET.
/// Does nothing without one.
class SystemNotice {
 public:
  SystemNotice();  ///< reads the environment, and takes its variables out of it: programs that
                   ///< rules run must not speak for this one
  ~SystemNotice();
  SystemNotice(const SystemNotice&) = delete;
  SystemNotice& operator=(const SystemNotice&) = delete;

  void ready();
  void reloading();
  void stopping();
  void status(const std::string& line);
  void alive();  ///< for the watchdog
  /// Returns how often `alive` is expected, in milliseconds, halved for safety; 0: no watchdog.
  std::int64_t aliveEveryMs() const { return aliveEveryMs_; }

 private:
  void send(const std::string& text) const;
  std::string path_;
  int socket_ = -1;
  std::int64_t aliveEveryMs_ = 0;
};

}  // namespace mpm::monitor
