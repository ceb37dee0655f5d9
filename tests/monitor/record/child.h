// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace mpm::monitor {

/// The program monitor_record_child beside the tests, in a process of its own.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments);
  ~Child();  ///< kills it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill();           ///< SIGKILL, at once
  int wait();            ///< its exit status; -1: a signal ended it
  std::string output();  ///< what it has said up to its end, or up to now if it still runs
  bool says(const std::string& begin);  ///< waits for a line that begins so, two minutes at most

 private:
  bool read(bool wait);  // whether there may be more

  pid_t id_ = -1;
  int pipe_ = -1;
  bool isOver_ = false;
  int status_ = -1;
  std::string output_;
};

}  // namespace mpm::monitor
