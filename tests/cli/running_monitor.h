// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "monitor/publish/child_process.h"

namespace mpm::test {

/// `mpm watch` as a process that is still there while a test looks. What it prints on both
/// streams is in the log.
class RunningMonitor {
 public:
  /// With a small model where `words` have none. `environment`: NAME=VALUE.
  explicit RunningMonitor(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment = {});

  std::string log() const;
  /// Whether the log holds `part`, `times` or more, within two minutes.
  bool says(const std::string& part, int times = 1) const;
  void tell(int signal) { process_->tell(signal); }
  pid_t id() const { return process_->id(); }
  int end(int signal) { return process_->end(signal); }  ///< and waits; its exit status

  /// A page of its HTTP server, header and all; empty: it tells of none within two minutes.
  std::string page(const std::string& path) const;

 private:
  Folder folder_;
  std::unique_ptr<monitor::ChildProcess> process_;
};

/// The datagrams of systemd's protocol, as systemd would get them.
class NoticeSocket {
 public:
  NoticeSocket();
  ~NoticeSocket();
  NoticeSocket(const NoticeSocket&) = delete;
  NoticeSocket& operator=(const NoticeSocket&) = delete;

  const std::string& path() const { return path_; }
  /// The next one that begins so, within two minutes; what comes before it is gone. Empty: none.
  std::string next(const std::string& beginning);

 private:
  Folder folder_;
  std::string path_;
  int file_ = -1;
};

}  // namespace mpm::test
