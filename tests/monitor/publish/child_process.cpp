// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mpm::monitor {

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const char* logPath = log.c_str();
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("no process more");
  if (id_ > 0) return;
  // From here on only what is safe between fork and exec.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(logPath, O_WRONLY | O_CREAT | O_TRUNC, 0600),
            in = open("/dev/null", O_RDONLY);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  execv(arguments[0], arguments.data());
  _exit(127);
}

ChildProcess::~ChildProcess() { end(SIGKILL); }

bool ChildProcess::isRunning() {
  if (id_ > 0 && waitpid(id_, nullptr, WNOHANG) == id_) id_ = -1;
  return id_ > 0;
}

void ChildProcess::tell(int signal) {
  if (id_ > 0) kill(id_, signal);
}

int ChildProcess::end(int signal) {
  if (id_ <= 0) return -1;
  tell(signal);
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int runProgram(const std::vector<std::string>& command, const std::string& log,
               const std::string& input) {
  std::string line;
  for (const std::string& argument : command) line += '\'' + argument + "' ";
  const int status = std::system((line + "> '" + log + "' 2>&1 < '" + input + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string findProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path == nullptr ? "" : path) +
                             ":/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + '/' + name;
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace mpm::monitor
