// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/tiny_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mpm::test {

TinyServer::TinyServer(std::string answer, bool closes)
    : answer_(std::move(answer)), closes_(closes) {
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (listening_ < 0 || bind(listening_, plain, size) != 0 || listen(listening_, 8) != 0 ||
      getsockname(listening_, plain, &size) != 0 || pipe(wake_) != 0) {
    throw std::runtime_error("a test's server cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

TinyServer::~TinyServer() {
  close(wake_[1]);
  thread_.join();
  close(wake_[0]);
  close(listening_);
}

void TinyServer::serve() {
  std::vector<int> connections;
  for (;;) {
    std::array<pollfd, 2> waiting{{{listening_, POLLIN, 0}, {wake_[0], POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[1].revents != 0) break;
    const int connection = accept(listening_, nullptr, nullptr);
    if (connection < 0) continue;
    answerTo(connection);
    if (closes_) {
      close(connection);
    } else {
      connections.push_back(connection);
    }
  }
  for (const int connection : connections) close(connection);
}

void TinyServer::answerTo(int connection) const {
  if (answer_.empty()) return;
  std::array<char, 4096> asked{};
  if (recv(connection, asked.data(), asked.size(), 0) <= 0) return;
  for (std::size_t sent = 0; sent < answer_.size();) {
    const ssize_t now =
        send(connection, answer_.data() + sent, answer_.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<std::size_t>(now);
  }
}

std::string cameraAnswer(int frames, cv::Size size) {
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", cv::Mat(size, CV_8UC3, cv::Scalar::all(90)), jpeg);
  const std::string picture(jpeg.begin(), jpeg.end());
  std::string answer =
      "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n";
  for (int i = 0; i < frames; ++i) {
    answer +=
        "--next\r\nContent-Type: image/jpeg\r\nContent-Length: " + std::to_string(picture.size()) +
        "\r\n\r\n" + picture + "\r\n";
  }
  return answer;
}

}  // namespace mpm::test
