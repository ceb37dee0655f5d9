// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "monitor/process/program.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kFarewellMs = 1000;

// Until the other end is closed, as it is by a process that ends.
bool isClosedWithin(int socket, int patienceMs) {
  pollfd waiting{socket, POLLRDHUP, 0};
  return poll(&waiting, 1, patienceMs) > 0;
}

}  // namespace

std::string readerProgram() {
  std::error_code ignored;
  if (const char* named = std::getenv("MPM_READER"); named != nullptr && *named != '\0') {
    if (fs::is_regular_file(named, ignored)) return named;
    throw std::runtime_error(std::string("MPM_READER names ") + named + ", which is not a program");
  }
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path installed = (folder / MPM_READER_FROM_PROGRAM).lexically_normal();
  if (fs::is_regular_file(installed, ignored)) return installed.string();
  fs::path build = folder;
  for (int up = 0; up < 3; ++up) {
    build = build.parent_path();
    if (const fs::path built = build / "monitor/source/mpm-reader";
        fs::is_regular_file(built, ignored)) {
      return built.string();
    }
  }
  throw std::runtime_error("the program that reads cameras and streams is not at " +
                           installed.string() +
                           "; reinstall this program, or set MPM_READER to the path of mpm-reader");
}

void ReaderProcess::start(const std::string& program) {
  close();
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(std::string("cannot create a socket: ") + std::strerror(errno));
  }
  OwnDescriptor ours(ends[0]), theirs(ends[1]);
  const std::lock_guard lock(mutex_);
  if (isOver_) throw std::runtime_error("it was stopped before it started");
  const Started started = startProgram({program}, theirs.get());
  if (!started.fault.empty()) {
    throw std::runtime_error(program + " cannot be started: " + started.fault);
  }
  id_ = started.pid;
  socket_ = std::move(ours);
}

int ReaderProcess::close() {
  pid_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = id_;
  }
  if (id == 0) return 0;
  shutdown(socket_.get(), SHUT_WR);
  if (!isClosedWithin(socket_.get(), kFarewellMs)) kill(id, SIGKILL);
  socket_.reset();
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  // Not waited for yet, it keeps its number: end() can kill no other.
  const std::lock_guard lock(mutex_);
  id_ = 0;
  int status = 0;
  while (waitpid(id, &status, 0) < 0) {
    if (errno != EINTR) return 0;  // a process that ignores SIGCHLD is not told
  }
  return status;
}

void ReaderProcess::end() {
  const std::lock_guard lock(mutex_);
  isOver_ = true;
  if (id_ != 0) kill(id_, SIGKILL);
}

}  // namespace mpm::monitor
