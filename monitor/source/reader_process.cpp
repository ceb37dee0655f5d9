// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
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

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kFarewellMs = 1000;

// Its only descriptors are /dev/null, what this process writes errors to, twice, and the socket.
class Spawning {
 public:
  explicit Spawning(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) {
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDERR_FILENO + 1);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 2);
    posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    // In a group of its own: a terminal's Ctrl-C is for the monitor.
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  int run(const std::string& program, pid_t& id) const {
    std::array<char*, 2> arguments{const_cast<char*>(program.c_str()), nullptr};
    return posix_spawn(&id, program.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

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
    throw std::runtime_error(std::string("MPM_READER names ") + named + ", which is no program");
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
                           "; install this program again, or let MPM_READER name mpm-reader");
}

void ReaderProcess::start(const std::string& program) {
  close();
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(std::string("no socket more: ") + std::strerror(errno));
  }
  OwnDescriptor ours(ends[0]), theirs(ends[1]);
  const std::lock_guard lock(mutex_);
  if (isOver_) throw std::runtime_error("it was ended before it began");
  if (const int error = Spawning(theirs.get()).run(program, id_); error != 0) {
    id_ = 0;
    throw std::runtime_error(program +
                             " cannot be started: " + std::generic_category().message(error));
  }
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
