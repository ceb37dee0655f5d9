// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>

#include "monitor/source/separate_wire.h"

namespace mpm::monitor {

/// Exit statuses of mpm-reader that say more than "it ended".
constexpr int kTookTooMuchMemory = 3, kOfAnotherVersion = 4;

/// Where mpm-reader is: what MPM_READER names; beside this program as both are installed; in the
/// build that this program belongs to. std::runtime_error, one sentence, where it is nowhere.
std::string readerProgram();

/// The process of one reader. It ends when this object does, and by itself when this process does.
class ReaderProcess {
 public:
  /// std::runtime_error where it cannot be started, or end() came first.
  void start(const std::string& program);
  ~ReaderProcess() { close(); }
  ReaderProcess() = default;
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  int socket() const { return socket_.get(); }
  /// Lets it say goodbye to its camera for at most a second, and waits for it. Its status, as
  /// waitpid gives it; 0: there is none, or nobody is told.
  int close();
  void end();  ///< kills it now, and none is started any more: from any thread, in any call

 private:
  OwnDescriptor socket_;
  std::mutex mutex_;  // of what follows
  pid_t id_ = 0;
  bool isOver_ = false;
};

}  // namespace mpm::monitor
