// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_exchange.h"

#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace mpm::monitor {
namespace {

constexpr std::size_t kLongestRequest = 8192;
// Patience with a client: alone, and while others wait.
constexpr int kRequestMs = 3000, kRequestBusyMs = 250;
constexpr int kAnswerMs = 10000, kAnswerBusyMs = 2000;
constexpr int kFarewellMs = 250, kFarewellBusyMs = 20;
constexpr int kLookMs = 50;  // how soon it is seen that others wait, or that the server ends

constexpr std::string_view kTooLong =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: "
    "0\r\n\r\n";
constexpr std::string_view kTooLate =
    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

}  // namespace

bool HttpExchange::wait(short events, Clock::time_point since, int patienceMs, int busyMs) {
  while (!load_.stopping) {
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since);
    const int patience = load_.waiting > 0 ? busyMs : patienceMs;
    if (elapsed.count() >= patience) return false;
    const int left = patience - static_cast<int>(elapsed.count());
    pollfd socket{socket_, events, 0};
    const int ready = poll(&socket, 1, std::min(left, kLookMs));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool HttpExchange::receive() {
  const auto since = Clock::now();
  std::array<char, 4096> part;
  while (request_.find("\r\n\r\n") == std::string::npos) {
    if (!wait(POLLIN, since, kRequestMs, kRequestBusyMs)) {
      if (!request_.empty()) answer_ = kTooLate;
      return false;
    }
    const ssize_t got = recv(socket_, part.data(), part.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got > 0) request_.append(part.data(), static_cast<std::size_t>(got));
    if (request_.size() > kLongestRequest) {
      answer_ = kTooLong;
      return false;
    }
  }
  keepWhatMatters();
  return true;
}

/// Everything else in a head (ranges, bodies, expectations, upgrades) asks for what is not given
/// here, and need not reach a parser.
void HttpExchange::keepWhatMatters() {
  constexpr std::array<std::string_view, 3> kept{"host:", "authorization:", "accept-encoding:"};
  const std::string head = std::move(request_);
  std::size_t end = head.find("\r\n");
  request_ = head.substr(0, end + 2);
  while (end + 2 < head.size()) {
    const std::size_t begin = end + 2;
    end = head.find("\r\n", begin);
    if (end == begin || end == std::string::npos) break;
    const bool matters = std::any_of(kept.begin(), kept.end(), [&](std::string_view name) {
      return end - begin >= name.size() &&
             strncasecmp(head.data() + begin, name.data(), name.size()) == 0;
    });
    if (matters) request_.append(head, begin, end + 2 - begin);
  }
  request_ += "\r\n";
}

void HttpExchange::send() {
  auto since = Clock::now();
  std::size_t sent = 0;
  while (sent < answer_.size()) {
    if (!wait(POLLOUT, since, kAnswerMs, kAnswerBusyMs)) return;
    const ssize_t taken =
        ::send(socket_, answer_.data() + sent, answer_.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken < 0 && errno != EAGAIN && errno != EINTR) return;
    if (taken > 0) sent += static_cast<std::size_t>(taken);
  }
  // Closing while something unread is left would take the answer away from the client.
  shutdown(socket_, SHUT_WR);
  since = Clock::now();
  std::array<char, 4096> unread;
  while (wait(POLLIN, since, kFarewellMs, kFarewellBusyMs)) {
    const ssize_t got = recv(socket_, unread.data(), unread.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

ssize_t HttpExchange::read(char* data, size_t size) {
  const std::size_t count = std::min(size, request_.size() - read_);
  std::memcpy(data, request_.data() + read_, count);
  read_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t HttpExchange::write(const char* data, size_t size) {
  answer_.append(data, size);
  return static_cast<ssize_t>(size);
}

}  // namespace mpm::monitor
