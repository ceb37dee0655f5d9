// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace mpm::monitor {

/// Keeps a second writer out: flock() on `<record>-lock`, which holds the writer's process id. The
/// system lets go of it when the process ends, however it ends; the file stays. Readers never look
/// at it, so they come in. SQLite's own exclusive mode would keep them out, and its ordinary locks
/// would let a second writer in between two transactions.
class LockFile {
 public:
  /// std::runtime_error, one sentence: another process writes, or the file cannot be made.
  explicit LockFile(const std::filesystem::path& record);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  static std::filesystem::path pathOf(const std::filesystem::path& record);

  /// Whether a record was written here before: a file at its path that is none is a damaged one
  /// then, and else somebody's other file.
  bool wasClaimed() const { return wasClaimed_; }
  void claim();  ///< a record is written here; without this the lock leaves no trace

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool wasClaimed_ = false, claimed_ = false;
};

}  // namespace mpm::monitor
