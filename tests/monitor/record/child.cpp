// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>

extern char** environ;

namespace mpm::monitor {

Child::Child(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string program = MPM_RECORD_CHILD;
  std::vector<std::string> words = arguments;
  std::vector<char*> list{program.data()};
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  const int error = posix_spawn(&id_, program.c_str(), &actions, nullptr, list.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  pipe_ = ends[0];
  if (error != 0) throw std::runtime_error("cannot run " + program);
}

Child::~Child() {
  kill();
  wait();
  close(pipe_);
}

void Child::kill() {
  if (!isOver_) ::kill(id_, SIGKILL);
}

int Child::wait() {
  if (isOver_) return status_;
  int status = 0;
  waitpid(id_, &status, 0);
  isOver_ = true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return status_;
}

bool Child::read(bool wait) {
  pollfd ready{pipe_, POLLIN, 0};
  if (poll(&ready, 1, wait ? 120000 : 0) <= 0) return false;
  std::array<char, 65536> bytes{};
  const ssize_t size = ::read(pipe_, bytes.data(), bytes.size());
  if (size <= 0) return false;
  output_.append(bytes.data(), static_cast<std::size_t>(size));
  return true;
}

std::string Child::output() {
  while (read(isOver_)) {
  }
  return output_;
}

bool Child::says(const std::string& begin) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (("\n" + output_).find("\n" + begin) == std::string::npos) {
    if (std::chrono::steady_clock::now() > end || !read(true)) return false;
  }
  return true;
}

}  // namespace mpm::monitor
