// SPDX-License-Identifier: Apache-2.0
#include "monitor/process/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace mpm::monitor {
namespace {

class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class Descriptors {
 public:
  explicit Descriptors(const std::vector<int>& passed) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) {
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    // Moves all descriptors beyond these numbers first, so that none is overwritten before it is
    // passed.
    const int beyond = passed.empty() ? 0 : *std::max_element(passed.begin(), passed.end()) + 1;
    int last = STDERR_FILENO;
    for (std::size_t i = 0; i < passed.size(); ++i)
      posix_spawn_file_actions_adddup2(&actions_, passed[i], beyond + static_cast<int>(i));
    for (std::size_t i = 0; i < passed.size(); ++i)
      posix_spawn_file_actions_adddup2(&actions_, beyond + static_cast<int>(i), ++last);
    posix_spawn_file_actions_addclosefrom_np(&actions_, last + 1);
  }
  ~Descriptors() { posix_spawn_file_actions_destroy(&actions_); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Makes arguments for posix_spawn. POSIX says that execve leaves words unchanged; its type predates
// const.
std::vector<char*> pointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environmentWith(std::vector<std::string> variables) {
  const std::size_t added = variables.size();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    const auto isReplaced = [&](const std::string& other) {
      return other.compare(0, other.find('=') + 1, variable, 0, variable.find('=') + 1) == 0;
    };
    const auto end = variables.begin() + static_cast<std::ptrdiff_t>(added);
    if (std::none_of(variables.begin(), end, isReplaced)) variables.push_back(variable);
  }
  return variables;
}

}  // namespace

std::string endingText(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = sigdescr_np(number);
    return "was ended by signal " + std::to_string(number) +
           (name != nullptr ? std::string(" (") + name + ")" : std::string());
  }
  const int code = WEXITSTATUS(status);
  return code == 0 ? std::string() : "ended with status " + std::to_string(code);
}

Started startProgram(const std::vector<std::string>& words, const std::vector<int>& passed,
                     const std::vector<std::string>& variables) {
  const Attributes attributes;
  const Descriptors descriptors(passed);
  const std::vector<std::string> environment = environmentWith(variables);
  Started started;
  const int error =
      posix_spawnp(&started.pid, words.at(0).c_str(), descriptors.get(), attributes.get(),
                   pointersTo(words).data(), pointersTo(environment).data());
  if (error == 0) return started;
  started.pid = 0;
  started.fault = std::generic_category().message(error);
  return started;
}

std::optional<std::string> endingOf(pid_t pid) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == EINTR) return std::nullopt;
    return "";  // a process that ignores SIGCHLD is not told how its children end
  }
  if (info.si_pid == 0) return std::nullopt;
  // Kills the group first: until the wait, the process keeps the group's number.
  signalGroup(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return "";
  }
  return endingText(status);
}

void signalGroup(pid_t pid, int signal) { kill(-pid, signal); }

}  // namespace mpm::monitor
