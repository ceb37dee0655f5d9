// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/publish/child_process.h"

namespace mpm::monitor {

/// The program monitor_record_child beside the tests, in a process of its own.
class Child {
 public:
  explicit Child(std::vector<std::string> words) : process_(withProgram(words), log_.at("log")) {}

  void kill() { process_.end(SIGKILL); }  ///< at once, and waits
  int wait() { return process_.end(0); }  ///< its exit status
  std::string output() const { return readText(log_.at("log")); }
  /// Waits for a line that begins so, two minutes at most.
  bool says(const std::string& begin) const {
    return waitUntil([&] { return ("\n" + output()).find("\n" + begin) != std::string::npos; });
  }

 private:
  static std::vector<std::string> withProgram(std::vector<std::string>& words) {
    words.insert(words.begin(), MPM_RECORD_CHILD);
    return words;
  }

  test::Folder log_;
  ChildProcess process_;
};

}  // namespace mpm::monitor
