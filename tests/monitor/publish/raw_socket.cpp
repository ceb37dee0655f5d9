// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/raw_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace mpm::monitor {
namespace {

sockaddr_in ownAddress(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool listens(int file) {
  int isListening = 0;
  socklen_t size = sizeof isListening;
  return getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0 && isListening != 0;
}

int portOf(int file) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  return ntohs(address.sin_port);
}

}  // namespace

RawSocket::RawSocket(int port, int receiveBuffer)
    : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receiveBuffer > 0)
    setsockopt(file_, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, sizeof receiveBuffer);
  const sockaddr_in address = ownAddress(port);
  if (connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(file_);
    throw std::runtime_error("nobody listens on port " + std::to_string(port));
  }
}

RawSocket::RawSocket(const SilentServer& server)
    : file_(accept4(server.file_, nullptr, nullptr, SOCK_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error("nobody comes");
}

RawSocket::~RawSocket() { close(file_); }

bool RawSocket::send(const std::string& text) {
  return ::send(file_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string RawSocket::receiveAll(int patienceMs) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(patienceMs);
  std::string received;
  std::array<char, 65536> part;
  while (Clock::now() < until) {
    pollfd file{file_, POLLIN, 0};
    if (poll(&file, 1, 50) <= 0) continue;
    const ssize_t got = recv(file_, part.data(), part.size(), 0);
    if (got <= 0) {
      isOver_ = true;
      break;
    }
    received.append(part.data(), static_cast<std::size_t>(got));
  }
  return received;
}

bool RawSocket::hasBytes(int patienceMs) const {
  pollfd file{file_, POLLIN, 0};
  return poll(&file, 1, patienceMs) > 0;
}

SilentServer::SilentServer() : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = ownAddress(0);
  if (bind(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(file_, 8) != 0)
    throw std::runtime_error("no port to listen on");
}

SilentServer::~SilentServer() { close(file_); }

int SilentServer::port() const { return portOf(file_); }

HeldPort::HeldPort() : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  const sockaddr_in address = ownAddress(0);
  if (setsockopt(file_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("no port to hold");
}

HeldPort::~HeldPort() { close(file_); }

int HeldPort::port() const { return portOf(file_); }

bool isListening(int port) {
  try {
    const RawSocket probe(port);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

bool breakListening(int port) {
  for (int file = 3; file < 1024; ++file)
    if (portOf(file) == port && listens(file)) return shutdown(file, SHUT_RDWR) == 0;
  return false;
}

int connectionFiles(int port) {
  int count = 0;
  for (int file = 3; file < 1024; ++file) count += portOf(file) == port && !listens(file) ? 1 : 0;
  return count;
}

}  // namespace mpm::monitor
