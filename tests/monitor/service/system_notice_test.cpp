// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/system_notice.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/folder.h"

namespace mpm::test {
namespace {

// The other end of the socket.
class Listener {
 public:
  Listener() : path_(folder_.at("notify")), socket_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::string path() const { return path_; }
  std::string heard() const {
    std::array<char, 512> text{};
    const ssize_t size = recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
  }

 private:
  const Folder folder_;
  std::string path_;
  int socket_;
};

TEST(SystemNotice, SpeaksTheProtocol) {
  const Listener listener;
  setenv("NOTIFY_SOCKET", listener.path().c_str(), 1);
  setenv("WATCHDOG_USEC", "60000000", 1);
  unsetenv("WATCHDOG_PID");
  monitor::SystemNotice notice;
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);  // programs that it starts do not speak for it
  EXPECT_EQ(notice.aliveEveryMs(), 30000);
  notice.ready();
  EXPECT_EQ(listener.heard(), "READY=1");
  notice.status("all is well");
  EXPECT_EQ(listener.heard(), "STATUS=all is well");
  notice.alive();
  EXPECT_EQ(listener.heard(), "WATCHDOG=1");
  notice.reloading();
  EXPECT_EQ(listener.heard().rfind("RELOADING=1\nMONOTONIC_USEC=", 0), 0u);
  notice.stopping();
  EXPECT_EQ(listener.heard(), "STOPPING=1");
}

TEST(SystemNotice, WithoutSystemdNothingHappens) {
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
  monitor::SystemNotice notice;
  EXPECT_EQ(notice.aliveEveryMs(), 0);
  notice.ready();
  notice.alive();
}

TEST(SystemNotice, AnotherProcessesWatchdogIsNotOurs) {
  setenv("WATCHDOG_USEC", "60000000", 1);
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_EQ(monitor::SystemNotice().aliveEveryMs(), 0);
}

}  // namespace
}  // namespace mpm::test
