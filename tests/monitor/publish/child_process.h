// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace mpm::monitor {

/// A program that ends with this object, or with this process.
class ChildProcess {
 public:
  /// What it says goes into the file `log`.
  ChildProcess(const std::vector<std::string>& command, const std::string& log);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool isRunning();
  void tell(int signal);
  pid_t id() const { return id_; }  ///< -1: it is gone
  /// Waits for it; its exit status, 128 and the signal's number where one ended it, -1: it is gone.
  int end(int signal);

 private:
  pid_t id_ = -1;
};

/// Runs it to its end; its exit status.
int runProgram(const std::vector<std::string>& command, const std::string& log,
               const std::string& input = "/dev/null");

/// A program's path; empty where there is none.
std::string findProgram(const std::string& name);

std::string readText(const std::string& path);

}  // namespace mpm::monitor
