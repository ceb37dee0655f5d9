// SPDX-License-Identifier: Apache-2.0
#include "cli/running_monitor.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "cli/mpm.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{120};

int countOf(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

RunningMonitor::RunningMonitor(const std::vector<std::string>& words,
                               const std::vector<std::string>& environment) {
  std::vector<std::string> command{"/usr/bin/env"};
  command.insert(command.end(), environment.begin(), environment.end());
  command.insert(command.end(), {mpmPath(), "watch"});
  if (std::find(words.begin(), words.end(), "--model") == words.end()) {
    command.insert(command.end(), {"--model", modelFile("segmenter_mask.onnx")});
  }
  command.insert(command.end(), words.begin(), words.end());
  process_ = std::make_unique<monitor::ChildProcess>(command, folder_.at("log"));
}

std::string RunningMonitor::log() const { return monitor::readText(folder_.at("log")); }

bool RunningMonitor::says(const std::string& part, int times) const {
  return eventually([&] { return countOf(part, log()) >= times || !process_->isRunning(); },
                    kPatience) &&
         countOf(part, log()) >= times;
}

std::string RunningMonitor::page(const std::string& path) const {
  const std::string before = "http://127.0.0.1:";
  if (!says(before)) return "";
  const std::string text = log();
  const int port = std::stoi(text.substr(text.find(before) + before.size()));
  std::string answer;
  // One that takes three seconds to hear what it is asked for, as on a busy machine, says nothing.
  for (int attempt = 0; attempt < 10 && answer.empty(); ++attempt) {
    monitor::RawSocket socket(port);
    socket.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    answer = socket.receiveAll(std::chrono::milliseconds(kPatience).count());
  }
  return answer;
}

NoticeSocket::NoticeSocket()
    : path_(folder_.at("notice")), file_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) throw std::runtime_error(path_ + " is too long");
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (bind(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("no socket at " + path_);
}

NoticeSocket::~NoticeSocket() { close(file_); }

std::string NoticeSocket::next(const std::string& beginning) {
  const auto until = Clock::now() + kPatience;
  std::array<char, 4096> bytes;
  while (Clock::now() < until) {
    pollfd file{file_, POLLIN, 0};
    if (poll(&file, 1, 100) <= 0) continue;
    const ssize_t size = recv(file_, bytes.data(), bytes.size(), 0);
    if (size <= 0) continue;
    std::string text(bytes.data(), static_cast<std::size_t>(size));
    if (text.starts_with(beginning)) return text;
  }
  return "";
}

}  // namespace mpm::test
