// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <thread>

namespace mpm::test {

/// A web server on a port of its own choice that says one thing to everybody, whatever was asked,
/// and then nothing more: the connection stays open, or is closed.
class TinyServer {
 public:
  TinyServer(std::string answer, bool closes);
  ~TinyServer();
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;

  int port() const { return port_; }

 private:
  void serve();
  void answerTo(int connection) const;

  std::string answer_;
  bool closes_;
  int listening_ = -1, port_ = 0;
  int wake_[2] = {-1, -1};
  std::thread thread_;
};

/// What a camera of Motion JPEG answers: grey pictures, of the grey 90.
std::string cameraAnswer(int frames, cv::Size size);

}  // namespace mpm::test
